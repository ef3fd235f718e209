"""What every operator answers about itself, so that a walk over plans need not know them all."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from everview.algebra.scalars import Column, ColumnId, Scalar

if TYPE_CHECKING:
    from everview.algebra.relations import Rel


class Origin(NamedTuple):
    """A column of an input."""

    input: Rel
    column: ColumnId


Origins = Mapping[ColumnId, tuple[Origin, ...]]
Separation = tuple[Mapping[ColumnId, ColumnId], ...]


ONE_ROW: frozenset[ColumnId] = frozenset()  # nothing need tell apart what is one row at most


class Operator:
    """An operator of a plan. Each has `columns`, `inputs`, and whether its rows are `weighted`;
    and it answers the questions below. Those that are abstract have no answer that is right for
    most: mypy refuses to build an operator that leaves one open. The other answers are safe: who
    knows nothing better loses a shortcut, never a row.
    """

    # Not an ABC: its metaclass would slow down every `match` over operators.
    __slots__ = ()

    # Whether each weight has the sign of the weights that it is made of.
    keeps_signs: ClassVar[bool] = False

    @property
    def told_apart_by(self) -> frozenset[ColumnId] | None:
        """The columns that tell apart the rows that are made of one row of the first input: none
        where there is one row at most. None where they may be alike.
        """
        return None

    @property
    def groups(self) -> tuple[Column, ...] | None:
        """The columns of which all combinations of values stand in one row each; None if the rows
        are not such groups.
        """
        return None

    @property
    @abstractmethod
    def scalars(self) -> tuple[Scalar, ...]:
        """The scalars of the operator itself."""

    @abstractmethod
    def with_scalars(self, change: Callable[[Scalar], Scalar]) -> Rel:
        """The operator with each of its scalars changed."""

    @property
    @abstractmethod
    def reads(self) -> frozenset[ColumnId]:
        """The columns of its inputs that it looks at, and does not merely pass on."""

    @property
    @abstractmethod
    def origins(self) -> Origins:
        """By output column, where its values come from unchanged: in every row the value is that
        of one of these columns in a row of the input. Where there are several, Spark casts them to
        the type that they have in common. What is computed, or padded with NULLs, is not there.
        """

    @property
    @abstractmethod
    def separate_by(self) -> Separation:
        """For each input, by output column a column of that input such that the rows with some
        value of the one are made only of the rows with that value of the other.
        """

    @abstractmethod
    def over(self, inputs: tuple[Rel, ...]) -> Rel:
        """The operator over other inputs."""

    def keeping(self, columns: tuple[Column, ...]) -> Rel | None:
        """The operator that does for each combination of values of these columns of its input what
        it does for all rows, and gives them too; None if it cannot be told to.
        """
        return None


class WithoutScalars(Operator):
    """Of an operator that has no scalars."""

    __slots__ = ()

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        return ()

    def with_scalars(self, change: Callable[[Scalar], Scalar]) -> Rel:
        return self  # type: ignore[return-value]


class WithoutWeights:
    """Of an operator whose rows have no weights."""

    __slots__ = ()

    @property
    def weighted(self) -> bool:
        return False


class Leaf(Operator):
    """Of an operator without input."""

    __slots__ = ()

    @property
    def inputs(self) -> tuple[Rel, ...]:
        return ()

    @property
    def reads(self) -> frozenset[ColumnId]:
        return frozenset()

    @property
    def origins(self) -> Origins:
        return {}

    @property
    def separate_by(self) -> Separation:
        return ()

    def over(self, inputs: tuple[Rel, ...]) -> Rel:
        return self  # type: ignore[return-value]


class OverInput(Operator):
    """What an operator takes over from its one input unless it says otherwise."""

    __slots__ = ()
    input: Rel

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.input.columns

    @property
    def weighted(self) -> bool:
        return self.input.weighted

    @property
    def inputs(self) -> tuple[Rel, ...]:
        return (self.input,)

    def over(self, inputs: tuple[Rel, ...]) -> Rel:
        (input_,) = inputs
        changed: Rel = replace(self, input=input_)  # type: ignore[type-var,assignment]
        return changed


def passed(columns: Iterable[Column], input_: Rel) -> Origins:
    """These columns of the input as they are."""
    return {c.id: (Origin(input_, c.id),) for c in columns}


def same(columns: Iterable[Column]) -> Mapping[ColumnId, ColumnId]:
    """These columns under their own ids."""
    return {c.id: c.id for c in columns}


def ids(columns: Iterable[Column]) -> frozenset[ColumnId]:
    return frozenset(c.id for c in columns)
