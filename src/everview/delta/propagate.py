"""Change propagation: the one dispatch from an operator to its delta rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import assert_never

from everview.algebra.fresh import Fresh
from everview.algebra.memo import Memo
from everview.algebra.relations import (
    Aggregate,
    Changes,
    ChangeTable,
    Copies,
    Distinct,
    Except,
    Filter,
    Generate,
    Intersect,
    Join,
    JoinKind,
    Local,
    Negate,
    Net,
    Pivot,
    PlanError,
    Project,
    Rel,
    Scan,
    Shared,
    Side,
    Signed,
    TableFunction,
    TopK,
    Touched,
    UnionAll,
    Unpivot,
    Values,
    Window,
)
from everview.algebra.walk import highest_id
from everview.delta.context import NOTHING_KNOWN, DeltaContext, Known
from everview.delta.differences import delta_difference
from everview.delta.filter import delta_filter
from everview.delta.generate import delta_generate
from everview.delta.groups import delta_groups
from everview.delta.join import delta_join
from everview.delta.outer import delta_full, delta_left, delta_right
from everview.delta.partners import Tested
from everview.delta.project import delta_project
from everview.delta.rule import DeltaRule
from everview.delta.semi import delta_tested
from everview.delta.shared import delta_shared
from everview.delta.union_all import delta_union_all
from everview.rewrite.deciding_part import deciding_part

# What stands in plans of changes only; and LIMIT, whose rows depend on all others.
WithoutRule = TopK | Changes | Local | Signed | Negate | Net | Copies | Touched | ChangeTable


def delta(rel: Rel, changed: frozenset[str], known: Known = NOTHING_KNOWN) -> Rel | None:
    """The query of the changes of `rel` when these tables changed; None if it cannot have changed.

    `rows(delta(q)) == rows(q at NEW) - rows(q at OLD)`, under the columns of `rel`.
    """
    return deltas(rel, changed, known)(rel)


def deltas(
    rel: Rel, changed: frozenset[str], known: Known = NOTHING_KNOWN
) -> Callable[[Rel], Rel | None]:
    """The same for `rel` and every operator in it, when it is asked for; each is made once."""
    stored = () if known.stored is None else known.stored.joins.stored
    highest = max(highest_id(rel), *(c.id for c in stored), 0)
    return _Propagation(DeltaContext(changed, Fresh(highest), known)).of


def rule_of(rel: Rel) -> DeltaRule | None:
    """The rule for the changes of an operator; None of a table, whose changes are given, and of
    what never changes.
    """
    match rel:
        case Filter():
            return DeltaRule("delta/filter.py")
        case Project():
            return DeltaRule("delta/project.py")
        case Generate() | Unpivot():
            return DeltaRule("delta/generate.py")
        case Shared():
            return DeltaRule("delta/shared.py")
        case Join():
            return _JOIN_RULES[rel.kind]
        case UnionAll():
            return DeltaRule("delta/union_all.py")
        case Except() | Intersect():
            return DeltaRule("delta/differences.py")
        case Aggregate() | Distinct() | Window() | Pivot():
            return DeltaRule("delta/groups.py", "Vista, 3.4.1")
        case Scan() | Values() | TableFunction():
            return None
        case TopK() | Changes() | Local() | Signed() | Negate() | Net() | Copies() | Touched():
            return None
        case ChangeTable():
            return None
        case _:
            assert_never(rel)


_INNER = DeltaRule("delta/join.py")
_TESTED = DeltaRule("delta/semi.py", "Griffin & Kumar, P17 to P24")
_JOIN_RULES: dict[JoinKind, DeltaRule] = {
    "inner": _INNER,
    "cross": _INNER,
    "left": DeltaRule("delta/outer.py", "Griffin & Kumar, P25 to P28"),
    "right": DeltaRule("delta/outer.py", "Griffin & Kumar, P29 and on"),
    "full": DeltaRule("delta/outer.py", "Griffin & Kumar, D5"),
    "semi": _TESTED,
    "anti": _TESTED,
    "mark": _TESTED,
}


@dataclass(frozen=True, slots=True)
class _Propagation:
    context: DeltaContext
    memo: Memo[Rel | None] = field(default_factory=Memo)

    def of(self, rel: Rel) -> Rel | None:
        return self.memo.of(rel, self._propagate)

    def _propagate(self, rel: Rel) -> Rel | None:
        if isinstance(rel, WithoutRule):
            raise PlanError(f"no delta rule for {type(rel).__name__}: {rel}")
        match rel:
            case Scan(table):
                return self.context.changes(rel) if table in self.context.changed else None
            case Values() | TableFunction():
                return None
            case Filter():
                return delta_filter(rel, self.of(rel.input))
            case Project():
                return delta_project(rel, self.of(rel.input))
            case Generate() | Unpivot():
                return delta_generate(rel, self.of(rel.input))
            case Shared():
                return delta_shared(rel, self.of(rel.input))
            case Join():
                return self._join(rel, self.of(rel.left), self.of(rel.right))
            case UnionAll():
                return delta_union_all(rel, tuple(self.of(i) for i in rel.inputs))
            case Except() | Intersect():
                sides = self.of(rel.left), self.of(rel.right)
                return self._whole(delta_difference(rel, *sides, self.context))
            case Aggregate() | Distinct() | Window() | Pivot():
                return self._whole(delta_groups(rel, self.of(rel.input), self.context))
            case _:
                assert_never(rel)

    def _join(self, join: Join, left: Rel | None, right: Rel | None) -> Rel | None:
        match join.kind:
            case "inner" | "cross":
                return delta_join(join, left, right, self.context)
            case "left":
                return self._whole(delta_left(join, *self._sides(join), self.context))
            case "right":
                return self._whole(delta_right(join, *self._sides(join), self.context))
            case "full":
                return self._whole(delta_full(join, *self._sides(join), self.context))
            case "semi" | "anti" | "mark":
                return self._whole(delta_tested(join, left, right, self.context))
            case _:
                assert_never(join.kind)

    def _sides(self, join: Join) -> tuple[Tested, Tested]:
        """Both sides of an outer join."""
        return self._side(join, "left"), self._side(join, "right")

    def _side(self, join: Join, which: Side) -> Tested:
        side, part = (join.left if which == "left" else join.right), deciding_part(join, which)
        changes = self.of(side)
        if join.kind != which:  # it is tested for partners, and its changes are read several times
            changes = self._whole(changes)
        return Tested(side, changes, part, changes if part is side else self.of(part))

    def _whole(self, changes: Rel | None) -> Rel | None:
        """Changes of several terms as one part: what stands above is not repeated for each."""
        return None if changes is None else self.context.shared("changes", changes)
