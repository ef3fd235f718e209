"""The steps of a refresh, a value per variant; their order is that of the fields."""

from __future__ import annotations

from dataclasses import dataclass

from everview.program.steps import (
    Append,
    CompareRows,
    FindCopies,
    FindKeys,
    FindLost,
    Keep,
    Overwrite,
    Publish,
    Recompute,
    RewriteBag,
    RewriteGrouped,
    RewriteKeyed,
    StageGroups,
    StageRows,
    Step,
)


@dataclass(frozen=True, slots=True)
class NoSteps:
    """Nothing is done."""

    @property
    def steps(self) -> tuple[Step, ...]:
        return ()


@dataclass(frozen=True, slots=True)
class MoveSteps:
    """Only the watermark moves."""

    publish: Publish

    @property
    def steps(self) -> tuple[Step, ...]:
        return (self.publish,)


@dataclass(frozen=True, slots=True)
class FullSteps:
    """Everything is computed and written anew, and compared where other views read it."""

    write: Overwrite
    compare: CompareRows | None
    publish: Publish

    @property
    def steps(self) -> tuple[Step, ...]:
        compare = () if self.compare is None else (self.compare,)
        return self.write, *compare, self.publish


@dataclass(frozen=True, slots=True)
class AppendSteps:
    """Insertions alone are written; the stored rows are not read."""

    keep: tuple[Keep, ...]
    write: Append
    publish: Publish

    @property
    def steps(self) -> tuple[Step, ...]:
        return *self.keep, self.write, self.publish


@dataclass(frozen=True, slots=True)
class RowsSteps:
    """Net changes of a bag: stored copies of deleted rows are found, and their files rewritten."""

    keep: tuple[Keep, ...]
    stage: StageRows
    find: FindCopies
    write: RewriteBag
    publish: Publish

    @property
    def steps(self) -> tuple[Step, ...]:
        return *self.keep, self.stage, self.find, self.write, self.publish


@dataclass(frozen=True, slots=True)
class GroupsSteps:
    """A change table meets the stored groups; lost extremes are looked for where there may be
    some.
    """

    keep: tuple[Keep, ...]
    stage: StageGroups
    find: FindLost | None
    write: RewriteKeyed
    publish: Publish

    @property
    def steps(self) -> tuple[Step, ...]:
        find = () if self.find is None else (self.find,)
        return *self.keep, self.stage, *find, self.write, self.publish


@dataclass(frozen=True, slots=True)
class PartitionsSteps:
    """The rows of the touched keys are computed and take the place of the stored ones."""

    keep: tuple[Keep, ...]
    find: FindKeys
    recompute: Recompute
    write: RewriteGrouped
    publish: Publish

    @property
    def steps(self) -> tuple[Step, ...]:
        return *self.keep, self.find, self.recompute, self.write, self.publish


Incrementally = AppendSteps | RowsSteps | GroupsSteps | PartitionsSteps
Program = NoSteps | MoveSteps | FullSteps | Incrementally
