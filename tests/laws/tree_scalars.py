"""Random conditions and computed columns for random trees, over columns whose kinds are known."""

from __future__ import annotations

from random import Random

from everview.algebra.calls import AggregateCall, SortKey, WindowCall
from everview.algebra.scalars import (
    FALSE,
    NULL,
    TRUE,
    And,
    Call,
    Case,
    Column,
    ColumnId,
    Compare,
    IsNull,
    Not,
    Or,
    Ref,
    Scalar,
    integer,
    string,
)

COMPARISONS = ("=", "<=>", "<>", "<", "<=", ">", ">=")
WORDS = ("x", "y")  # the labels of every Unpivot
ORDERED = ("number", "truth", "word")

Columns = tuple[Column, ...]


class Scalars:
    """What can be said of columns that hold numbers, truths, words or arrays."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.kinds: dict[ColumnId, str] = {}

    def of(self, columns: Columns, *kinds: str) -> Columns:
        """The columns of these kinds."""
        return tuple(c for c in columns if self.kinds[c.id] in kinds)

    def number(self, columns: Columns) -> Ref:
        return Ref(self.rng.choice(self.of(columns, "number")).id)

    # Conditions

    def condition(self, columns: Columns) -> Scalar:
        some = self.number(columns)
        other = self.rng.choice((self.number(columns), integer(self.rng.randint(0, 2))))
        compare = Compare(self.rng.choice(COMPARISONS), some, other)
        about = self._about(self.rng.choice(columns))
        whole = Case(((about, Compare("=", some, integer(1))),), compare)
        either = Or((compare, about))
        return self.rng.choice((compare, compare, about, Not(compare), either, either, whole))

    def _about(self, column: Column) -> Scalar:
        ref = Ref(column.id)
        match self.kinds[column.id]:
            case "truth":
                return self.rng.choice((ref, Not(ref)))
            case "word":
                return Compare(self.rng.choice(COMPARISONS), ref, string(self.rng.choice(WORDS)))
            case _:
                return self.rng.choice((IsNull(ref), Not(IsNull(ref))))

    def between(self, left: Columns, right: Columns) -> Scalar:
        """A join condition: an equality most of the time, with something beside it or alone."""
        x, y = self.number(left), self.number(right)
        same = Compare(self.rng.choice(("=", "=", "<=>")), x, y)
        residual = Compare(
            self.rng.choice(COMPARISONS), self.number(left + right), self.number(right + left)
        )
        one_sided = self.condition(self.rng.choice((left, right)))
        anything = self.condition(left + right)
        shapes = {
            same: 8,
            And((same, residual)): 3,
            And((same, one_sided)): 3,
            residual: 2,
            one_sided: 1,
            anything: 1,
            Or((same, residual)): 2,
            Or((same, one_sided)): 1,
            Or((same, IsNull(same))): 2,  # what NOT IN asks
            Or((Compare("=", x, y), IsNull(Compare("=", x, y)))): 2,
            TRUE: 1,
            FALSE: 0.5,
        }
        return self.rng.choices(list(shapes), list(shapes.values()))[0]

    def over_mark(self, mark: Column, columns: Columns) -> Scalar:
        """A mark where SQL has it: beside another condition, which the subquery was part of."""
        said = self.rng.choice((Ref(mark.id), Not(Ref(mark.id))))
        condition = self.condition(columns)
        return self.rng.choice((Or((said, condition)), Or((condition, said)), said))

    # Computed columns

    def computed(self, columns: Columns) -> Scalar:
        """A number; constants are among them, which a padded row must not show."""
        x, y = self.number(columns), self.number(columns)
        about = self._about(self.rng.choice(columns))
        return self.rng.choice(
            (
                Call("%", (Call("+", (x, integer(1))), integer(3))),
                Call("%", (Call("+", (x, y)), integer(3))),
                Call("coalesce", (x, integer(self.rng.randint(0, 2)))),
                Case(((about, x),), integer(self.rng.randint(0, 2))),
                Case(((about, integer(1)),), NULL),
                integer(1),
                NULL,
            )
        )

    def aggregate(self, columns: Columns) -> tuple[AggregateCall, str]:
        """A call and the kind of its result."""
        name = self.rng.choice(("count", "count", "count", "sum", "sum", "avg", "min", "max"))
        distinct = self.rng.random() < 0.25
        if name == "count":
            size = self.rng.choice((1, 2) if distinct else (0, 0, 1, 2))
            args = self.rng.sample(columns, min(size, len(columns)))
            return AggregateCall("count", tuple(c.id for c in args), distinct=distinct), "number"
        some = self.of(columns, *(ORDERED if name in ("min", "max") else ("number",)))
        arg = self.rng.choice(some)
        return AggregateCall(name, (arg.id,), distinct=distinct), self.kinds[arg.id]

    def measure(self, columns: Columns) -> Call:
        """What a pivot or a window asks of the rows of a group."""
        name = self.rng.choice(("count", "sum", "min", "max"))
        return Call(name, (self.number(columns),))

    def window(self, columns: Columns) -> WindowCall:
        """A call whose value does not depend on the order of ties."""
        ordered = self.of(columns, *ORDERED)
        kind = self.rng.choice(("ranks", "whole", "running", "places"))
        if kind == "places" and len(ordered) == len(columns):
            everything = self.rng.sample(columns, len(columns))
            return WindowCall(Call("row_number", ()), self._order(tuple(everything)))
        if kind == "whole":
            return WindowCall(self.rng.choice((Call("count", ()), self.measure(columns))))
        some = tuple(self.rng.sample(ordered, self.rng.randint(1, min(2, len(ordered)))))
        rank = Call(self.rng.choice(("rank", "dense_rank")), ())
        return WindowCall(rank if kind == "ranks" else self.measure(columns), self._order(some))

    def _order(self, columns: Columns) -> tuple[SortKey, ...]:
        return tuple(
            SortKey(c.id, self.rng.random() < 0.5, self.rng.random() < 0.5) for c in columns
        )
