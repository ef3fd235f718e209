"""What a commit that raised has become: the token in the log decides."""

from __future__ import annotations

from collections.abc import Callable

from everview.errors import CommitConflict, CommitFailed, CommitUnknown, EverviewError

Search = Callable[[str, int], tuple[int, int | None]]
"""(token, since) -> the head, and the version after `since` up to it that carries the token."""


def settle(uri: str, base: int, token: str, search: Search, error: Exception) -> int:
    """The version at which the commit landed after all, else an error that says what is certain."""
    try:
        head, landed = search(token, base)
    except EverviewError:
        raise
    except Exception as second:
        raise CommitUnknown(
            f"the commit on version {base} of {uri} raised {error}, "
            f"and its log cannot be read: {second}",
            remedy=f"Look for the token {token} when the storage answers again.",
        ) from error
    if landed is not None:
        return landed
    if head > base:
        raise CommitConflict(
            f"{uri} is at version {head}, the commit was prepared on version {base}",
            remedy="Run it again.",
        ) from error
    raise CommitFailed(
        f"the commit on version {base} of {uri} did not land: {error}", remedy="Run it again."
    ) from error
