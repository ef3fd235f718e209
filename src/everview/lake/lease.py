"""Who of several processes does a work of a warehouse: a lease, taken and renewed by files."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass

from obstore.exceptions import AlreadyExistsError

from everview.lake.delta.put import put_if_absent
from everview.lake.storage import Storage

_FOLDER = "_everview/lease"
_DIGITS = 20
_KEPT = 3  # the files that remain: one may be read while the next is written


@dataclass(frozen=True, slots=True)
class Lease:
    """Who has it, and until when, in milliseconds since the epoch; `number` counts the files."""

    number: int
    holder: str
    expires: int

    def is_free(self, now: int) -> bool:
        return self.expires <= now


class Leases:
    """The lease of a warehouse, as one holder sees it.

    Each taking, renewal and release is a new file with the next number, which is written only
    where there is none: of two writers one is first. The file with the highest number holds.

    `7.json` says that A has it until 12:00:30. At 12:00:10 A writes 8 (until 12:00:40). A dies. At
    12:00:41 B and C want it: both write 9, and one of them succeeds.
    """

    def __init__(
        self, storage: Storage, holder: str, now: Callable[[], int], milliseconds: int = 30_000
    ) -> None:
        self._storage = storage
        self._now = now
        self.holder = holder
        self.milliseconds = milliseconds

    def current(self) -> Lease | None:
        """The lease now, None before the first."""
        for path in reversed(self._paths()):
            content = self._storage.read(path)
            if content is not None:  # it may have been removed since the folder was listed
                return Lease(**json.loads(content))
        return None

    def take(self) -> Lease | None:
        """The lease if it is free, None if another has it."""
        current = self.current()
        if current is not None and not current.is_free(self._now()):
            return None
        return self._put(0 if current is None else current.number + 1, self.milliseconds)

    def renew(self, mine: Lease) -> Lease | None:
        """A lease of our own for longer, None if another has it meanwhile."""
        return self._put(mine.number + 1, self.milliseconds)

    def release(self) -> None:
        """Let another have it at once, if it is ours: who was interrupted may not know."""
        current = self.current()
        if current is not None and current.holder == self.holder:
            self._put(current.number + 1, 0)

    def _put(self, number: int, milliseconds: int) -> Lease | None:
        lease = Lease(number, self.holder, self._now() + milliseconds)
        content = json.dumps(asdict(lease)).encode()
        try:
            put_if_absent(self._storage, _path(number), content)
        except AlreadyExistsError:
            return None
        paths = self._paths()
        if paths[-1:] != [_path(number)]:  # a number long gone: who was slow has nothing
            self._storage.delete([_path(number)])
            return None
        self._storage.delete(paths[:-_KEPT])
        return lease

    def _paths(self) -> list[str]:
        return [f.path for f in self._storage.list(_FOLDER, recursive=False)]


def _path(number: int) -> str:
    return f"{_FOLDER}/{number:0{_DIGITS}}.json"
