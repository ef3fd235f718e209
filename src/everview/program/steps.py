"""The steps of a refresh as data: run, explain and dry run read the same ones."""

from __future__ import annotations

from dataclasses import dataclass

from everview.algebra.relations import Rel
from everview.apply.grouped import ApplyGrouped
from everview.apply.keyed import ApplyKeyed
from everview.optimize.in_common import CommonPart
from everview.optimize.parts import Part


@dataclass(frozen=True, slots=True)
class Keep:
    """Compute a part of the changes that later queries read, and keep it at hand. One that is
    `always` kept makes many rows few; another is left to the queries that read it where it reads
    few rows. One that is `common` is that of other views as well.
    """

    part: Part
    always: bool = False
    common: CommonPart | None = None
    name: str = "parts"
    title: str = "compute once what several queries read"


@dataclass(frozen=True, slots=True)
class StageRows:
    """Compute the net changes of a bag once and keep them at hand."""

    changes: Rel
    name: str = "changes"
    title: str = "compute the view's changes"


@dataclass(frozen=True, slots=True)
class StageGroups:
    """Compute the change table of a keyed view once and keep it at hand."""

    changes: Rel
    apply: ApplyKeyed
    name: str = "changes"
    title: str = "compute the view's changes"


@dataclass(frozen=True, slots=True)
class FindLost:
    """Find the groups whose extreme was deleted, or whose values deletions leave unknown."""

    apply: ApplyKeyed
    name: str = "lost"
    title: str = "if deletions may have taken an extreme: find those groups"


@dataclass(frozen=True, slots=True)
class FindCopies:
    """Find the stored copies of the rows to delete, file by file."""

    name: str = "copies"
    title: str = "if rows are deleted: find their stored copies"


@dataclass(frozen=True, slots=True)
class FindKeys:
    """Find the keys whose rows are to be replaced, and keep them at hand."""

    changes: Rel
    apply: ApplyGrouped
    name: str = "changes"
    title: str = "find the keys that the changes touch"


@dataclass(frozen=True, slots=True)
class Recompute:
    """Compute the rows of the touched keys, once, so that what is written and what is told to have
    changed are the same rows.
    """

    apply: ApplyGrouped
    name: str = "rows"
    title: str = "compute the rows of the touched keys"


@dataclass(frozen=True, slots=True)
class RewriteGrouped:
    """Write the touched files anew without the rows of touched keys, the new rows beside them."""

    apply: ApplyGrouped
    name: str = "write"
    title: str = "replace the stored rows of every touched key"


@dataclass(frozen=True, slots=True)
class RewriteKeyed:
    """Write the touched files of a keyed view anew, and the changes beside them."""

    apply: ApplyKeyed
    name: str = "write"
    title: str = "replace the stored rows of every touched key"


@dataclass(frozen=True, slots=True)
class RewriteBag:
    """Write the files of a bag anew that hold deleted rows, and append the inserted ones."""

    name: str = "write"
    title: str = "append insertions, take deleted rows out of the stored ones"


@dataclass(frozen=True, slots=True)
class Append:
    """Write the insertions as new files, reading nothing of the stored view."""

    changes: Rel
    name: str = "write"
    title: str = "append the insertions; the stored rows are not read"


@dataclass(frozen=True, slots=True)
class Overwrite:
    """Write everything anew; `rel` is None where the user's own text is run."""

    rel: Rel | None
    name: str = "write"
    title: str = "recompute everything"


@dataclass(frozen=True, slots=True)
class CompareRows:
    """Find what differs of all rows, so that the views that read them are told only that."""

    read_by: tuple[str, ...]
    name: str = "compare"
    title: str = "compare with the stored rows, so that readers are told only what differs"


@dataclass(frozen=True, slots=True)
class Publish:
    """Make rows, hidden values and watermark visible together, in one commit."""

    name: str = "commit"
    title: str = "publish rows and watermark in one commit"


Step = (
    Keep | StageRows | StageGroups | FindLost | FindCopies | FindKeys | Recompute
    | RewriteKeyed | RewriteGrouped | RewriteBag | Append | Overwrite | CompareRows | Publish
)  # fmt: skip
