"""Write the generated pages of docs/, or with --check name those that are stale."""

from __future__ import annotations

import sys

from tools.docs.pages import COMMAND, DOCS, pages, stale


def main(words: list[str]) -> int:
    """The exit code: 1 if --check finds a stale page, 2 for words that mean nothing."""
    if words not in ([], ["--check"]):
        sys.stderr.write(f"usage: {COMMAND} [--check]\n")
        return 2
    found = stale(DOCS)
    if words:
        sys.stderr.writelines(f"docs/{name} is stale: {COMMAND}\n" for name in found)
        return 1 if found else 0
    for name in found:
        (DOCS / name).write_text(pages()[name], encoding="utf-8")
        sys.stdout.write(f"docs/{name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
