"""The passes that improve a plan, in their order, and the one place that runs them."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum

from everview.algebra.relations import Rel
from everview.algebra.scalars import Types
from everview.errors import InvalidArgument
from everview.optimize.narrow import narrowed
from everview.optimize.needed_columns import with_needed_columns, without_needless_columns
from everview.optimize.net_first import netted_first
from everview.optimize.parts import MOST_REPEATED, MOST_TOGETHER, LeafBytes, Parted, parted, tidied
from everview.optimize.reach import LeafFacts
from everview.optimize.simplified import (
    rooted_in_groups,
    without_inner_groups,
    without_needless_distinct,
)
from everview.optimize.sizes import LeafRows
from everview.optimize.small_sides import with_small_sides, without_broadcast
from everview.optimize.spoiled import require_same
from everview.rewrite.connected_joins import connected_joins
from everview.rewrite.filter_join_merge import filter_join_merge
from everview.rewrite.filter_join_transpose import filter_join_transpose
from everview.rewrite.filter_merge import filter_merge
from everview.rewrite.filter_outer_join import filter_outer_join
from everview.rewrite.filter_union_transpose import filter_union_transpose
from everview.rewrite.join_filter_transpose import join_filter_transpose
from everview.rewrite.join_order import join_order
from everview.rewrite.join_project_transpose import join_project_transpose
from everview.rewrite.net_sources import net_sources
from everview.rewrite.project_merge import project_merge
from everview.rewrite.rules import Rule, rewrite

_LOG = logging.getLogger("everview.passes")
ALL = "all"  # in place of names: every pass that may be left out


class When(Enum):
    """When passes run, on the way from a text to the queries of a refresh."""

    BOUND = "the definition as it was read"
    TYPED = "the definition, with the types of its columns"
    BEFORE = "the definition, before its changes are propagated"
    CHANGES = "the plan of its changes"
    AGAIN = "the plan of its changes, after it failed in Spark"
    PARTS = "the plan of its changes, cut into queries"
    QUERY = "a query, right before it is written"


@dataclass(frozen=True, slots=True)
class PassContext:
    """What passes know besides the plan; a pass reads what is known at its stage.

    `few`: whether the rows at hand are few enough to be sent to every task. `netted`: the tables
    whose changes are netted first. `off`: the names of the passes to leave out.
    """

    types: Types = field(default_factory=dict)
    leaf_rows: LeafRows = lambda _: None
    leaf_facts: LeafFacts = lambda _: ({}, {})
    leaf_bytes: LeafBytes = field(default_factory=dict)
    repeated: int = MOST_REPEATED
    together: int = MOST_TOGETHER
    few: bool = True
    netted: frozenset[str] = frozenset()
    off: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Pass:
    """One improvement: the same rows under the same columns, computed in a better way.

    `does` says what it does. One that is `required`, with the reason, is never left out.
    """

    name: str
    when: When
    does: str
    run: Callable[[Rel, PassContext], Rel | Parted]
    required: str = ""


def _rules(*rules: Rule) -> Callable[[Rel, PassContext], Rel]:
    """The rules together, until none changes anything."""
    return lambda rel, _: rewrite(rel, rules)


def _parted(rel: Rel, context: PassContext) -> Parted:
    limits = {"repeated": context.repeated, "together": context.together}
    return parted(rel, context.leaf_bytes, **limits)


_STORED = "how the rows of a view are stored is read off the plan that it gives"

PARTS = Pass(
    "parts",
    When.PARTS,
    "computes large parts that several read by a query of their own, once",
    _parted,
)
NARROW_QUERIES = Pass(
    "narrow_queries",
    When.QUERY,
    "cuts scans to the keys of the rows at hand, so that the driver can fetch few rows",
    lambda rel, context: narrowed(rel, context.leaf_facts),
)

NARROW_SCANS = Pass(
    "narrow_scans",
    When.CHANGES,
    "cuts scans to the keys that the log says changes can reach",
    lambda rel, context: narrowed(rel, context.leaf_facts),
)

PASSES: tuple[Pass, ...] = (
    Pass(
        "merge_projections",
        When.BOUND,
        "makes one projection of two in a row",
        _rules(project_merge),
        required=_STORED,
    ),
    Pass(
        "needless_distinct",
        When.TYPED,
        "leaves out DISTINCT where a key tells the rows apart already",
        lambda rel, context: without_needless_distinct(rel, context.types),
        required=_STORED,
    ),
    Pass(
        "groups_of_groups",
        When.TYPED,
        "groups rows in place of groups that are grouped again",
        lambda rel, context: without_inner_groups(rel, context.types),
        required=_STORED,
    ),
    Pass(
        "rows_as_groups",
        When.TYPED,
        "stores groups, and what stands above them as columns and conditions of the groups",
        lambda rel, context: rooted_in_groups(rel, context.types),
        required=_STORED,
    ),
    Pass(
        "filters_below_joins",
        When.BEFORE,
        "moves filters below the joins whose rows they test, and pads no row that they leave out",
        _rules(filter_merge, filter_join_transpose, filter_outer_join),
    ),
    Pass(
        "connected_joins",
        When.BEFORE,
        "orders inner joins so that each finds its partners by an equality",
        lambda rel, _: connected_joins(rel),
    ),
    Pass(
        "needed_columns",
        When.BEFORE,
        "leaves out the columns of tables that nothing looks at, where whole rows are compared",
        lambda rel, _: without_needless_columns(rel),
    ),
    Pass(
        "net_first",
        When.CHANGES,
        "nets the changes of tables that were written anew by a query of their own, first",
        lambda rel, context: netted_first(rel, context.netted),
    ),
    Pass(
        "union_of_terms",
        When.CHANGES,
        "makes each term of the changes one chain of joins",
        _rules(
            filter_union_transpose, join_project_transpose, join_filter_transpose, filter_join_merge
        ),
    ),
    Pass(
        "join_order",
        When.CHANGES,
        "starts each chain of joins from the changes",
        lambda rel, _: join_order(rel),
    ),
    Pass(
        "small_sides",
        When.CHANGES,
        "sends small sides of joins to every task, and cuts large sides to what they touch",
        lambda rel, context: with_small_sides(rel, context.leaf_rows),
    ),
    Pass(
        "tidy_parts",
        When.CHANGES,
        "writes a part that one operator reads where it is read, and numbers the others",
        lambda rel, _: tidied(rel),
    ),
    NARROW_SCANS,
    Pass(
        "net_sources",
        When.AGAIN,
        "leaves out rows that came and went within the changes of a source",
        lambda rel, _: net_sources(rel),
    ),
    PARTS,
    Pass(
        "needed_columns_of_queries",
        When.QUERY,
        "leaves out the columns of a query that nothing looks at",
        lambda rel, _: with_needed_columns(rel),
    ),
    Pass(
        "many_not_sent",
        When.QUERY,
        "lets Spark choose how to join rows at hand that are many",
        lambda rel, context: rel if context.few else without_broadcast(rel),
        required="Spark fails to send many rows to every task",
    ),
    NARROW_QUERIES,
)


@dataclass(frozen=True, slots=True)
class Ran:
    """A pass that ran: the plan it gave, whether that is another one, and the seconds it took."""

    name: str
    plan: Rel
    changed: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class Improved:
    """A plan after the passes of a stage, as the queries it consists of, and the passes that ran
    in their order. Only the stages CHANGES and PARTS make more queries than one.
    """

    queries: Parted
    ran: tuple[Ran, ...] = ()

    @property
    def plan(self) -> Rel:
        return self.queries.rest


def improved(when: When, rel: Rel, context: PassContext | None = None) -> Improved:
    """The plan after the passes of a stage, but for those that are off.

    PlanSpoiled, by the name of the pass, if one gave a plan with other columns or weights.
    """
    known = PassContext() if context is None else context
    queries = Parted((), rel)
    ran = []
    for one in PASSES:
        if one.when is not when or is_off(one, known.off):
            continue
        before = queries.rest
        begun = time.perf_counter()
        made = one.run(before, known)
        seconds = time.perf_counter() - begun
        if isinstance(made, Parted):
            queries = Parted((*queries.parts, *made.parts), made.rest)
        else:
            queries = Parted(queries.parts, made)
        require_same(one.name, before, queries.rest, may_be_off=not one.required)
        ran.append(Ran(one.name, queries.rest, queries.rest is not before, seconds))
        _LOG.debug("%s took %.4f s", one.name, seconds)
    return Improved(queries, tuple(ran))


def require_passes(names: Iterable[str]) -> None:
    """InvalidArgument unless each name is one of a pass that may be left out, or `all`."""
    for name in names:
        known = next((one for one in PASSES if one.name == name), None)
        if name == ALL or (known is not None and not known.required):
            continue
        what = f"There is no pass {name!r}."
        if known is not None:
            what = f"The pass {name} is always needed: {known.required}."
        may = ", ".join(one.name for one in PASSES if not one.required)
        raise InvalidArgument(
            what,
            where="settings (EVERVIEW_PASSES_OFF)",
            remedy=f"Give {ALL}, or some of {may}.",
        )


def is_off(one: Pass, off: frozenset[str]) -> bool:
    """Whether a pass is left out."""
    return not one.required and (one.name in off or ALL in off)
