"""What a change of a stored group is to a reader who sees only some of the groups."""

from __future__ import annotations

from dataclasses import dataclass

from everview.algebra.scalars import Case, Not, Scalar
from everview.apply.lines import DELETE, INSERT, NO_ACTION, action_code


@dataclass(frozen=True, slots=True)
class SeenGroups:
    """Whether a reader sees a group as it was, and as it becomes: a group that is stored but not
    seen is no row to him.
    """

    before: Scalar
    after: Scalar

    def actions(self, is_old: Scalar) -> tuple[tuple[Scalar, Scalar], ...]:
        """The actions of lines where one of the two is not seen, for the line of the old row and
        that of the new one: first of a line that is not seen itself, so that of what is left the
        other one is meant.
        """
        unseen = Case(((is_old, Not(self.before)),), Not(self.after))
        return (
            (unseen, NO_ACTION),
            (Not(self.after), action_code(DELETE)),
            (Not(self.before), action_code(INSERT)),
        )
