"""Makes `python -m everview` the command line."""

from __future__ import annotations

import sys

# As in cli/codes.py, which is not loaded yet.
_INTERRUPTED = 130


def main() -> int:
    """The command line; Ctrl-C ends it in one line from its first moment on."""
    try:
        from everview.cli.main import run_command_line

        return run_command_line()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return _INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
