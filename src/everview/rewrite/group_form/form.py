"""A relation whose rows are groups: what every operator above an aggregate is brought into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from everview.aggregates.exactness import repeats_exactly
from everview.algebra.calls import AggregateCall
from everview.algebra.fresh import Fresh
from everview.algebra.relations import Aggregate, Filter, Project, Rel
from everview.algebra.rowwise import Outputs
from everview.algebra.scalars import (
    FALSE,
    NULL,
    TRUE,
    And,
    Case,
    Cast,
    Column,
    ColumnId,
    Columns,
    Compare,
    Constant,
    IsNull,
    Not,
    Or,
    Ref,
    Scalar,
    all_of,
    refs,
    substitute,
    walk,
)
from everview.algebra.types import is_equal_only_to_itself, type_of


class Passing(Enum):
    """How a change table gets past an operator: what the operator does, by the columns of the
    groups (Gupta & Mumick, table 4).
    """

    GROUPS = "makes the groups"
    DISTINCT = "makes groups of equal rows, with the number of their copies"
    KEYS_TESTED = "tests keys alone: the rows below are tested instead"
    VALUES_TESTED = "tests what is computed of the groups: all groups are stored, the test on read"
    COLUMNS = "computes columns of the groups"
    SAME_KEYS = "joins groups by all of their keys: both are stored in one row"
    LOOKUP = "adds columns of at most one row to each group: they become keys"
    UNITED = "unites groups: a number tells whose they are"


@dataclass(frozen=True, slots=True)
class Passed:
    """An operator that a change table got past, and how."""

    operator: Rel
    how: Passing


@dataclass(frozen=True, slots=True)
class NoForm:
    """The operator whose rows cannot be kept as groups, and why: there the changes of groups must
    become old and new rows (a singularity point: Gupta & Mumick, 5.3).
    """

    operator: Rel
    reason: str


@dataclass(frozen=True, slots=True)
class GroupForm:
    """Π_outputs(σ_shown(γ)): the columns of a relation over an aggregate, of which the groups that
    pass all conditions are shown.
    """

    aggregate: Aggregate
    outputs: Outputs
    shown: tuple[Scalar, ...] = ()
    passed: tuple[Passed, ...] = field(default=(), compare=False)

    @property
    def values(self) -> Mapping[ColumnId, Scalar]:
        """The columns of the relation, as scalars over the groups."""
        return {column.id: scalar for column, scalar in self.outputs}

    @property
    def keys(self) -> frozenset[ColumnId]:
        return frozenset(k.id for k in self.aggregate.keys)

    def over(self, scalar: Scalar) -> Scalar:
        """A scalar over the columns of the relation, as one over the groups."""
        return substitute(scalar, self.values)

    def after(self, operator: Rel, how: Passing) -> GroupForm:
        """The same, told to have got past an operator."""
        return replace(self, passed=(*self.passed, Passed(operator, how)))

    def plan(self) -> Project:
        if not self.shown:
            return Project(self.aggregate, self.outputs)
        return Project(Filter(self.aggregate, all_of(self.shown)), self.outputs)


@dataclass(slots=True)
class Making:
    """What is known while forms are made: the types of columns, also of those made on the way."""

    types: dict[ColumnId, str]
    fresh: Fresh

    def column(self, name: str, type_: str) -> Column:
        made = self.fresh.column(name)
        self.types[made.id] = type_
        return made

    def laid_out(self, rel: Rel, columns: Columns, values: Mapping[ColumnId, Scalar]) -> Project:
        """The rows of an input of a union with these columns: the values that it has, else NULL."""
        outputs = []
        for column in columns:
            type_ = self.types[column.id]
            value = values.get(column.id, Cast(NULL, type_))
            outputs.append((self.column(column.name, type_), value))
        return Project(rel, tuple(outputs))

    def type_of(self, column: ColumnId) -> str:
        """The type of a column, "" if it is not known."""
        return self.types.get(column, "")

    def are_plain(self, columns: frozenset[ColumnId]) -> bool:
        """Whether values of these columns that GROUP BY takes as one are the very same."""
        types = [self.type_of(c) for c in columns]
        return all(t and is_equal_only_to_itself(type_of(t)) for t in types)

    def repeats(self, form: GroupForm, scalar: Scalar) -> bool:
        """Whether a scalar over the groups comes out the same however it is maintained: a test of
        it says the same for a stored group as for one computed again.
        """
        calls = {c.id: call for c, call in form.aggregate.calls}
        read = refs(scalar)
        functions = [calls[c] for c in read & calls.keys()]
        return self.are_plain(read & form.keys) and all(
            isinstance(call, AggregateCall) and repeats_exactly(call, self.types)
            for call in functions
        )


def in_order(condition: Scalar) -> Scalar:
    """A condition that is true where this one is, of which no part is computed that those before
    it leave no need for, as in a filter: `n > 0 AND total / n > 5`. In a projection Spark computes
    beforehand what stands in it twice, behind AND and OR too, but not behind CASE.
    """
    if all(isinstance(s, _NOT_COMPUTED) for s in walk(condition)):
        return condition  # it cannot fail
    match condition:
        case And(parts):
            found: Scalar = TRUE
            for part in reversed(parts):
                found = Case(((in_order(part), found),), FALSE)
            return found
        case Or(parts):
            found = FALSE
            for part in reversed(parts):
                found = Case(((in_order(part), TRUE),), found)
            return found
        case _:
            return condition


_NOT_COMPUTED = (Ref, Constant, Compare, IsNull, Not, And, Or)


def only_if(condition: Scalar, scalar: Scalar) -> Scalar:
    """The scalar where the condition is true, else NULL; it is not computed elsewhere."""
    return Case(((condition, scalar),), NULL)


def as_they_are(columns: Columns) -> Outputs:
    """The outputs of a projection that gives the columns as they are."""
    return tuple((c, Ref(c.id)) for c in columns)
