"""What a query is bound in: names around it, new columns, questions to Spark, places."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from everview.algebra.fresh import Fresh
from everview.algebra.relations import Rel
from everview.facts.schema import Schema
from everview.sql.bind.scope import Scope, Visible
from everview.sql.read.parse import Parsed
from everview.sql.write.door import Sql


class Unanswered(Exception):
    """Raised where only Spark knows the names or types of a query that the binder needs."""

    def __init__(self, question: Sql) -> None:
        super().__init__(question.text)
        self.question = question


@dataclass
class Asking:
    """Answers of Spark in the order of the questions; the same text asks the same ones again."""

    answers: tuple[Schema, ...]
    asked: int = 0

    def ask(self, question: Sql) -> Schema:
        if self.asked == len(self.answers):
            raise Unanswered(question)
        self.asked += 1
        return self.answers[self.asked - 1]


@dataclass
class Places:
    """Which node of the text an operator comes from, by identity."""

    found: list[tuple[Rel, exp.Expr]] = field(default_factory=list)

    def node(self, made: Rel) -> exp.Expr | None:
        return next((node for other, node in self.found if other is made), None)


@dataclass
class Cte:
    """A WITH query: where it was defined, and its plan once it is bound."""

    node: exp.CTE
    context: Context
    uses: int
    rel: Rel | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """What names can mean around a query, and how a query inside is bound.

    `outer` are the scopes of the queries around, the nearest first.
    """

    parsed: Parsed
    fresh: Fresh
    sources: Mapping[str, Schema]
    asking: Asking
    places: Places
    bind_query: Callable[[exp.Expr, Context], Rel]
    case_sensitive: bool = False
    ctes: Mapping[str, Cte] = field(default_factory=dict)
    outer: tuple[Scope, ...] = ()

    def placed(self, rel: Rel, node: exp.Expr) -> Rel:
        """The operator, whose place in the text is known from now on."""
        self.places.found.append((rel, node))
        return rel

    def scope(self, columns: tuple[Visible, ...] = ()) -> Scope:
        return Scope(columns, self.case_sensitive)
