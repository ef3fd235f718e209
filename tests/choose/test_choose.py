"""Which strategy is taken, why, what it costs, and the steps that carry it out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from everview.algebra.relations import At, Net, Scan
from everview.algebra.walk import walk_plan
from everview.choose.choose import choose, leaf_bytes
from everview.choose.cost import Cost
from everview.choose.strategies import Full, Incremental, Move, Refusal, Skip
from everview.errors import Place, RefreshRefused
from everview.facts.files import DataFile, Sign
from everview.facts.methods import Way
from everview.facts.refreshes import RefreshFacts, SourceFacts
from everview.facts.refusals import Kind
from everview.facts.schema import Field, Schema
from everview.facts.tables import Changes
from everview.facts.views import LayoutKind, Moment
from everview.program.program import program
from everview.program.programs import GroupsSteps
from everview.program.steps import Overwrite, Publish
from everview.shape.grouped import Grouped
from everview.shape.shape import Bag, FullOnly, Keyed, Shape, full_only, shape_of
from everview.sql.bind.query import Lowered, bind
from everview.sql.read.parse import parse_query
from tests.choose.facts import facts, snapshot, source
from tests.sql.schemas import SOURCES

PLUS, MINUS = Sign.PLUS, Sign.MINUS


def shape(sql: str, type_: str = "long") -> Shape:
    found = bind(parse_query(sql), SOURCES)
    assert isinstance(found, Lowered)
    rel = found.rel
    types = {c.id: type_ for r in walk_plan(rel) for c in r.columns}
    return shape_of(rel, types, Schema(tuple(Field(c.name, types[c.id]) for c in rel.columns)))


NUMBERED = "SELECT a, b, row_number() OVER (PARTITION BY b ORDER BY a) AS n FROM t"
ROWS = shape("SELECT t.a, u.c FROM t JOIN u ON t.a = u.a")
GROUPS = shape("SELECT b, count(*) AS n, max(a) AS m FROM t GROUP BY b")
PARTITIONS = shape(NUMBERED)
FULL = full_only(
    Kind.CUT_OFF, "LIMIT or OFFSET is not maintained incrementally", Place(2, 3, 1, "x"), Schema(())
)


# Shapes


def test_shapes() -> None:
    assert isinstance(ROWS, Bag)
    assert ROWS.layout.kind is LayoutKind.BAG
    assert isinstance(GROUPS, Keyed)
    assert GROUPS.layout.kind is LayoutKind.KEYED
    assert GROUPS.layout.key == ("b",)
    assert GROUPS.layout.stored.names[:3] == ("b", "n", "m")
    assert GROUPS.layout.stored.names[3].startswith("__ev.")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM (SELECT a, count(*) AS n FROM t GROUP BY a)",
        "SELECT a, count(*) AS n FROM (SELECT a, count(*) AS m FROM t GROUP BY a) GROUP BY a",
        "SELECT a FROM t UNION ALL SELECT count(*) FROM u",
    ],
)
def test_a_group_below_the_root_is_maintained(sql: str) -> None:
    assert not isinstance(shape(sql), FullOnly)
    assert isinstance(shape(sql, "double"), Bag | Keyed)


@pytest.mark.parametrize(
    ("sql", "function"),
    [
        ("SELECT DISTINCT sum(a) AS s FROM t GROUP BY b", "sum(...) over floating-point"),
        ("SELECT DISTINCT s FROM (SELECT avg(a) AS s FROM t)", "avg(...) over floating-point"),
        ("SELECT DISTINCT l FROM (SELECT max_by(a, b) AS l FROM t GROUP BY a)", "max_by(...)"),
        (f"SELECT DISTINCT n FROM ({NUMBERED})", "may tie"),
        ("SELECT DISTINCT sum(a) OVER (PARTITION BY b) AS s FROM t", "sum(...) over a window"),
        ("SELECT DISTINCT lag(a) OVER (PARTITION BY b ORDER BY a) AS s FROM t", "lag(...) over a"),
        (f"SELECT n, count(*) AS c FROM ({NUMBERED}) GROUP BY n", "may tie"),
        (f"SELECT q.a FROM ({NUMBERED}) q JOIN u ON q.n = u.a", "may tie"),
        (
            "SELECT row_number() OVER (PARTITION BY b ORDER BY n) AS m "
            "FROM (SELECT b, row_number() OVER (PARTITION BY a ORDER BY b) AS n FROM t)",
            "may tie",
        ),
    ],
)
def test_an_old_value_that_need_not_repeat_is_full(sql: str, function: str) -> None:
    found = shape(sql, "double")
    assert isinstance(found, FullOnly)
    assert function in found.reason


@pytest.mark.parametrize("call", ["collect_list(a)", "stddev(a)", "count(DISTINCT a)", "mode(a)"])
def test_any_function_at_the_root_is_kept_by_group(call: str) -> None:
    found = shape(f"SELECT b, {call} AS x, count(*) AS n FROM t GROUP BY b")
    assert isinstance(found, Keyed)
    assert found.layout.key == ("b",)
    assert len(found.view.recomputed) == 1
    assert "all rows of a group" in found.view.reasons[0]


def test_recomputing_touched_groups_is_counted_as_reading() -> None:
    given = facts(GROUPS, source("t", PLUS, MINUS))
    spread = shape("SELECT b, stddev(a) AS s FROM t GROUP BY b")
    few, many = (
        choose(given, some, full=False).estimates()["incremental: groups"]["bytes_read"]
        for some in (GROUPS, spread)
    )
    assert many == few + given.source("t").at_new.bytes


@pytest.mark.parametrize(
    "call",
    [
        "rank() OVER (PARTITION BY b ORDER BY a)",
        "avg(a) OVER (PARTITION BY b)",
        "sum(a) OVER (PARTITION BY b ORDER BY a)",
        "count(1) OVER (PARTITION BY b)",
        "max(a + 1) OVER (PARTITION BY b)",
    ],
)
def test_a_window_whose_values_repeat_is_maintained(call: str) -> None:
    assert not isinstance(shape(f"SELECT b, {call} AS x FROM t"), FullOnly)


@pytest.mark.parametrize(
    ("sql", "key", "names"),
    [
        (NUMBERED, ("b",), ("a", "b", "n")),
        (f"SELECT n, a FROM ({NUMBERED}) WHERE n = 1", ("__ev.h0_b",), ("n", "a", "__ev.h0_b")),
        ("SELECT b, sum(a) OVER (PARTITION BY a + 1) AS s FROM t", None, None),
        (
            "SELECT b, lag(s) OVER (PARTITION BY b ORDER BY a) AS l "
            "FROM (SELECT a, b, sum(a) AS s FROM t GROUP BY a, b)",
            ("b",),
            ("b", "l"),
        ),
        ("SELECT b, stddev(a) AS s FROM t GROUP BY b HAVING count(*) > 1", ("b",), ("b", "s")),
        (
            "SELECT max(s) AS m FROM (SELECT a, b, sum(a) AS s FROM t GROUP BY a, b) GROUP BY b",
            ("__ev.h0_b",),
            ("m", "__ev.h0_b"),
        ),
    ],
)
def test_rows_are_kept_by_the_key_that_all_groupings_share(
    sql: str, key: tuple[str, ...] | None, names: tuple[str, ...] | None
) -> None:
    found = shape(sql, "double")
    assert isinstance(found, Grouped)
    assert found.layout.kind is LayoutKind.GROUPED
    if key is not None:
        assert (found.layout.key, found.layout.stored.names) == (key, names)
    assert len(found.layout.key) == 1


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT b, sum(a) AS s FROM t GROUP BY b HAVING sum(a) > 1", "pass a condition on sum"),
        (f"SELECT a FROM ({NUMBERED}) WHERE n = a", "pass a condition on n"),
        (
            f"SELECT a FROM (SELECT * FROM ({NUMBERED}) WHERE a > 1) WHERE n = 1",
            "pass a condition on n",
        ),
        (f"SELECT a FROM (SELECT * FROM ({NUMBERED}) WHERE b > 1) WHERE n = 1", None),
        (
            "SELECT a FROM (SELECT a, row_number() OVER (PARTITION BY b ORDER BY a) AS n, "
            "row_number() OVER (PARTITION BY b ORDER BY a DESC) AS m FROM t) WHERE n = m",
            "pass a condition on",
        ),
        (f"SELECT a FROM ({NUMBERED}) WHERE n + 1 = 2", None),
        (f"SELECT a FROM ({NUMBERED}) WHERE n = 1 AND b > 2", None),
        (
            f"SELECT b, count(*) AS c FROM ({NUMBERED}) GROUP BY b, n",
            "are grouped by n",
        ),
        (
            f"SELECT b, a, count(*) AS c FROM ({NUMBERED}) WHERE n = 1 GROUP BY b, a",
            "are grouped by a",
        ),
    ],
)
def test_a_condition_on_what_need_not_repeat_is_full(sql: str, why: str | None) -> None:
    """Unless it reads numbers alone: as many rows of a key have them, whichever they are."""
    found = shape(sql, "double")
    assert isinstance(found, FullOnly if why else Grouped)
    assert why is None or f"which rows {why}" in found.reason


def test_a_partition_is_not_kept_by_what_cannot_be_compared() -> None:
    assert "VARIANT" in getattr(shape(NUMBERED, "variant"), "reason", "")
    assert "MAP" in getattr(shape(NUMBERED, _MAP), "reason", "")


def test_the_steps_of_partitions() -> None:
    given = facts(PARTITIONS, source("t", PLUS), policy="INCREMENTAL")
    choice = choose(given, PARTITIONS, full=False)
    assert isinstance(choice.strategy, Incremental)
    assert choice.strategy.method.name == "incremental: partitions"
    assert [s.name for s in program(choice, PARTITIONS).steps] == [
        "changes",
        "rows",
        "write",
        "commit",
    ]
    assert choice.strategy.cost.bytes_read > 200_000_000, "the partitions are read at NEW"


GROUPED = "(SELECT a, b, max(a) AS m, sum(a) AS s FROM t GROUP BY a, b)"
ORDERED = "OVER (PARTITION BY b ORDER BY a)"
BY_ROWS = ORDERED.replace(")", " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)")


@pytest.mark.parametrize(
    "call",
    [
        f"row_number() {ORDERED}",
        f"ntile(3) {ORDERED}",
        f"lag(m) {ORDERED}",
        f"lead(m, 2, 0) {ORDERED}",
        f"lag(m) IGNORE NULLS {ORDERED}",
        f"first_value(m) {ORDERED}",
        f"last_value(m) {ORDERED}",
        f"nth_value(m, 2) {ORDERED}",
        f"sum(s) {BY_ROWS}",
        f"count(1) {BY_ROWS}",
        f"first(m) {BY_ROWS}",
        "row_number() OVER (PARTITION BY a ORDER BY m, b)",
    ],
)
def test_a_window_whose_rows_a_key_orders_is_maintained(call: str) -> None:
    assert isinstance(shape(f"SELECT a, b, {call} AS x FROM {GROUPED}"), Bag)
    # The same over rows that no key tells apart, and where the order does not hold the key.
    several = GROUPED.replace(" GROUP BY a, b", "").replace("max(a)", "a").replace("sum(a)", "a")
    assert isinstance(shape(f"SELECT a, b, {call} AS x FROM {several}"), Grouped)
    less = call.replace("ORDER BY a", "ORDER BY m").replace("ORDER BY m, b", "ORDER BY m")
    assert isinstance(shape(f"SELECT a, b, {less} AS x FROM {GROUPED}"), Grouped)


@pytest.mark.parametrize(
    ("call", "function"),
    [
        (f"sum(m) {BY_ROWS}", "sum(...) over a window"),
        (f"stddev(m) {ORDERED}", "stddev(...) over a window"),
        (f"collect_set(m) {BY_ROWS}", "collect_set(...) over a window"),
    ],
)
def test_what_does_not_repeat_in_a_total_order_is_full(call: str, function: str) -> None:
    grouped = GROUPED.replace(", sum(a) AS s", "")
    found = shape(f"SELECT DISTINCT a, b, {call} AS x FROM {grouped}", "double")
    assert isinstance(found, FullOnly)
    assert function in found.reason


def test_rows_of_partners_are_ordered_by_the_key_of_one_side() -> None:
    partners = "(SELECT a, max(c) AS c FROM u GROUP BY a)"
    joined = (
        f"(SELECT t.a, t.b, c FROM (SELECT DISTINCT a, b FROM t) t JOIN {partners} u ON t.a = u.a)"
    )
    call = "lag(c) OVER (PARTITION BY b ORDER BY a)"
    assert isinstance(shape(f"SELECT a, b, {call} AS x FROM {joined}"), Bag)
    other = joined.replace("t.a = u.a", "t.a > u.a")
    assert isinstance(shape(f"SELECT a, b, {call} AS x FROM {other}"), Grouped)


def test_a_plan_that_is_too_large_is_full() -> None:
    joins = "".join(f" JOIN u u{i} ON t.a = u{i}.a" for i in range(50))
    found = shape(f"SELECT t.a FROM t{joins}")
    assert isinstance(found, FullOnly)
    assert "operators" in found.reason


_MAP = '{"type": "map", "keyType": "string", "valueType": "long"}'


@pytest.mark.parametrize(
    ("sql", "type_", "why"),
    [
        ("SELECT a FROM t", "variant", "VARIANT"),
        ("SELECT a, count(*) AS n FROM t GROUP BY a", "variant", "MAP or VARIANT"),
        ("SELECT a, count(*) AS n FROM t GROUP BY a", _MAP, "MAP or VARIANT"),
        (
            "SELECT a, count(*) AS n FROM t GROUP BY a",
            f'{{"type": "struct", "fields": [{{"name": "f", "type": {_MAP}}}]}}',
            "MAP or VARIANT",
        ),
        ("SELECT max(a) AS m FROM t", "variant", "VARIANT"),
    ],
)
def test_what_cannot_be_compared_is_full(sql: str, type_: str, why: str) -> None:
    found = shape(sql, type_)
    assert isinstance(found, FullOnly)
    assert why in found.reason


@pytest.mark.parametrize("name", ["map", "variant", "a variant", "decimal", "{"])
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM t",
        "SELECT a, count(*) AS n FROM t GROUP BY a",
        "SELECT a, row_number() OVER (PARTITION BY a ORDER BY b) AS n FROM t",
        "SELECT max(a) AS m FROM t",
    ],
)
def test_the_name_of_a_field_is_not_its_type(sql: str, name: str) -> None:
    found = shape(sql, f'{{"type": "struct", "fields": [{{"name": "{name}", "type": "string"}}]}}')
    assert not isinstance(found, FullOnly), found


# Strategies


def test_nothing_moved() -> None:
    choice = choose(facts(ROWS, source("t"), source("u")), ROWS, full=False)
    assert isinstance(choice.strategy, Skip)
    assert list(choice.estimates()) == ["skipped"]
    assert program(choice, ROWS).steps == ()


def test_versions_moved_without_rows() -> None:
    still = source("t")
    moved = replace(still, new=3, changes=Changes("id", "uri", 1, 3, SOURCES["t"], ()))
    choice = choose(facts(GROUPS, moved), GROUPS, full=False)
    assert isinstance(choice.strategy, Move)
    assert "t hold no change" in choice.reason
    assert program(choice, GROUPS).steps == (Publish(),)


@pytest.mark.parametrize("policy", ["AUTO", "FULL"])
def test_what_depends_on_the_clock_is_never_skipped(policy: str) -> None:
    shape = replace(FULL, moment=Moment("now()", Place(1, 8, 3, "SELECT now()")))
    still = source("t")
    moved = replace(still, new=3, changes=Changes("id", "uri", 1, 3, SOURCES["t"], ()))
    for given in (still, moved):
        choice = choose(facts(shape, given, policy=policy), shape, full=False)
        assert isinstance(choice.strategy, Full)
        assert choice.reason == "it depends on the clock: now() (line 1, column 8)"


@pytest.mark.parametrize("policy", ["AUTO", "INCREMENTAL", "INCREMENTAL STRICT", "FULL"])
@pytest.mark.parametrize(
    ("given", "full", "reason"),
    [
        (facts(ROWS, source("t", PLUS, old=None)), False, "first build"),
        (facts(ROWS, source("t")), True, "asked for"),
        (facts(ROWS, source("t", PLUS), distrust="changed by another writer"), True, "asked for"),
    ],
)
def test_what_must_be_full_is_full_under_every_policy(
    given: RefreshFacts, full: bool, reason: str, policy: str
) -> None:
    choice = choose(replace(given, policy=policy), ROWS, full=full)
    assert isinstance(choice.strategy, Full)
    assert reason in choice.reason


@pytest.mark.parametrize(
    ("kind", "signs", "name"),
    [
        (ROWS, (PLUS,), "incremental: append"),
        (ROWS, (PLUS, MINUS), "incremental: rows"),
        (ROWS, (Sign.FEED,), "incremental: rows"),
        (GROUPS, (PLUS,), "incremental: groups"),
        (GROUPS, (MINUS,), "incremental: groups"),
    ],
)
def test_small_changes_are_propagated(kind: Shape, signs: tuple[Sign, ...], name: str) -> None:
    others = [source("u")] if kind is ROWS else []
    choice = choose(facts(kind, source("t", *signs), *others), kind, full=False)
    assert choice.strategy.method.name == name
    assert "% of the bytes" in choice.reason
    assert choice.runner_up is not None
    assert set(choice.estimates()) == {name, "full"}


def test_only_a_bag_with_deletions_is_netted() -> None:
    def nets(*signs: Sign) -> int:
        found = choose(facts(ROWS, source("t", *signs), source("u")), ROWS, full=False).strategy
        assert isinstance(found, Incremental)
        return sum(isinstance(r, Net) for r in walk_plan(found.changes))

    assert nets(PLUS) == 0
    assert nets(MINUS) == 1


BIG = [source("t", PLUS, MINUS, size=1000)]


def test_auto_takes_the_cheaper_way() -> None:
    choice = choose(facts(GROUPS, *BIG), GROUPS, full=False)
    assert isinstance(choice.strategy, Full)
    assert choice.reason == "cheaper: 1 action rather than 2"
    assert isinstance(choice.runner_up, Incremental)


@pytest.mark.parametrize("policy", ["INCREMENTAL", "INCREMENTAL STRICT"])
def test_incremental_never_chooses_full_by_cost(policy: str) -> None:
    choice = choose(facts(GROUPS, *BIG, policy=policy), GROUPS, full=False)
    assert isinstance(choice.strategy, Incremental)
    assert choice.reason == f"the policy is {policy}"


def test_full_is_full() -> None:
    choice = choose(facts(GROUPS, source("t", PLUS), policy="FULL"), GROUPS, full=False)
    assert isinstance(choice.strategy, Full)
    assert choice.reason == "the policy is FULL"


LOST = facts(GROUPS, source("t", lost="version 3 was vacuumed"))


@pytest.mark.parametrize("policy", ["AUTO", "INCREMENTAL"])
def test_lost_history_falls_back_to_full_with_the_reason(policy: str) -> None:
    choice = choose(replace(LOST, policy=policy), GROUPS, full=False)
    assert isinstance(choice.strategy, Full)
    assert choice.reason == "t: version 3 was vacuumed"
    assert choice.refusals == (Refusal(Way.INCREMENTAL, choice.reason),)


FOREIGN = facts(ROWS, source("t"), distrust="changed by another writer")


@pytest.mark.parametrize("policy", ["AUTO", "INCREMENTAL", "FULL"])
def test_rows_of_another_writer_are_recomputed_with_the_reason(policy: str) -> None:
    choice = choose(replace(FOREIGN, policy=policy), ROWS, full=False)
    assert isinstance(choice.strategy, Full)
    assert choice.reason == "changed by another writer"


@pytest.mark.parametrize(
    ("given", "shape", "why"), [(LOST, GROUPS, "vacuumed"), (FOREIGN, ROWS, "another writer")]
)
def test_strict_raises_instead(given: RefreshFacts, shape: Shape, why: str) -> None:
    with pytest.raises(RefreshRefused, match=rf"`v` .*{why}") as raised:
        choose(replace(given, policy="INCREMENTAL STRICT"), shape, full=False)
    assert "refresh(full=True)" in raised.value.remedy


def test_a_view_that_is_full_only_says_why_and_where() -> None:
    choice = choose(facts(FULL, source("t", PLUS)), FULL, full=False)
    assert choice.reason == "LIMIT or OFFSET is not maintained incrementally (line 2, column 3)"
    choice = choose(facts(FULL, source("t", PLUS), policy="FULL"), FULL, full=False)
    assert choice.reason == "the policy is FULL"
    nowhere = replace(FULL, place=None)
    choice = choose(facts(nowhere, source("t", PLUS)), nowhere, full=False)
    assert choice.reason == "LIMIT or OFFSET is not maintained incrementally"


# Costs


def cost_of(given: RefreshFacts, kind: Shape) -> Cost:
    strategy = choose(replace(given, policy="INCREMENTAL"), kind, full=False).strategy
    assert isinstance(strategy, Incremental)
    return strategy.cost


def test_costs_add_up() -> None:
    cost = Cost(60_000_000, 20_000_000, 2, ("a guess",))
    assert cost.seconds == pytest.approx(2.5)
    assert cost.to_dict()["seconds"] == 2.5
    assert list(cost.to_dict()["guessed"]) == ["a guess"]


@pytest.mark.parametrize(
    ("cost", "text"),
    [
        (Cost(1_200_000, 50_000_000, 2), "reads 1 % of the bytes"),
        (Cost(0, 50_000_000, 2), "reads less than 1 % of the bytes"),
        (Cost(120_000_000, 5_000_000, 2), "writes 10 % of the bytes"),
        (Cost(120_000_000, 50_000_000, 1), "1 action rather than 2"),
    ],
)
def test_what_makes_a_cost_the_lower_one(cost: Cost, text: str) -> None:
    assert cost.advantage(Cost(120_000_000, 50_000_000, 2)) == text


def test_every_leaf_is_paid_for() -> None:
    one = cost_of(facts(ROWS, source("t", PLUS), source("u")), ROWS)
    assert one.bytes_read == 1000 + 200_000_000
    both = cost_of(facts(ROWS, source("t", PLUS), source("u", PLUS)), ROWS)
    assert both.bytes_read == 2 * 1000 + 2 * 200_000_000


def test_an_append_writes_what_it_appends() -> None:
    cost = cost_of(facts(ROWS, source("t", PLUS), source("u"), stored=snapshot(1000)), ROWS)
    assert cost.bytes_written == 1000 * 5 // 100
    assert cost.actions == 1


def test_no_more_files_are_rewritten_than_rows_changed() -> None:
    many = snapshot(*[100] * 50)
    cost = cost_of(facts(GROUPS, source("t", MINUS), stored=many), GROUPS)
    assert cost.bytes_written == 5 * 100
    assert cost.actions == 2


def test_what_is_not_known_counts_as_everything() -> None:
    given = source("t", MINUS)
    assert isinstance(given.changes, Changes)
    files = tuple(replace(f, file=DataFile("c", 9, None)) for f in given.changes.files)
    unknown = replace(given, changes=replace(given.changes, files=files))
    assert cost_of(facts(GROUPS, unknown, stored=snapshot(10, 20)), GROUPS).bytes_written == 30


def test_a_first_build_guesses_what_it_writes() -> None:
    given = facts(ROWS, source("t", PLUS, old=None), stored=snapshot())
    cost = choose(given, ROWS, full=False).strategy.cost
    assert cost.bytes_written == 200_000_000 // 4
    assert cost.guessed


def gone(name: str, *signs: Sign, columns: Schema = SOURCES["t"]) -> SourceFacts:
    """A source of which the version where the view is exact cannot be read any more."""
    given = source(name, *signs)
    return replace(given, at_old=None, at_new=replace(given.at_new, schema=columns))


def test_instead_of_a_snapshot_that_is_gone_the_newer_one_and_the_changes_are_read() -> None:
    given = facts(ROWS, gone("t", PLUS), source("u", PLUS), policy="INCREMENTAL")
    strategy = choose(given, ROWS, full=False).strategy
    assert isinstance(strategy, Incremental)
    leaves = [leaf for leaf in walk_plan(strategy.changes) if isinstance(leaf, Scan)]
    assert {(leaf.table, leaf.at) for leaf in leaves} == {("t", At.NEW), ("u", At.NEW)}
    read = sum(leaf_bytes(given, leaf) for leaf in walk_plan(strategy.changes))
    assert read == 3 * 1000 + 2 * 200_000_000
    assert strategy.cost.bytes_read >= read


def test_a_snapshot_that_is_gone_of_rows_that_cannot_be_compared_is_full_with_the_reason() -> None:
    variant = Schema((Field("a", "variant"),))
    given = facts(ROWS, gone("t", PLUS, columns=variant), source("u", PLUS))
    choice = choose(replace(given, policy="INCREMENTAL"), ROWS, full=False)
    assert isinstance(choice.strategy, Full)
    assert "t: version 1 cannot be read any more" in choice.reason
    with pytest.raises(RefreshRefused, match="version 1 cannot be read any more"):
        choose(replace(given, policy="INCREMENTAL STRICT"), ROWS, full=False)


def test_a_snapshot_that_is_gone_and_that_nothing_reads_is_no_matter() -> None:
    given = facts(ROWS, gone("t", PLUS), source("u"), policy="INCREMENTAL STRICT")
    assert isinstance(choose(given, ROWS, full=False).strategy, Incremental)


# Steps


@pytest.mark.parametrize(
    ("kind", "signs", "names"),
    [
        (ROWS, (PLUS,), ["write", "commit"]),
        (ROWS, (MINUS,), ["changes", "copies", "write", "commit"]),
        (GROUPS, (PLUS,), ["changes", "write", "commit"]),
        (GROUPS, (MINUS,), ["changes", "lost", "write", "commit"]),
    ],
)
def test_the_steps_of_a_strategy(kind: Shape, signs: tuple[Sign, ...], names: list[str]) -> None:
    given = facts(kind, source("t", *signs), source("u"), policy="INCREMENTAL")
    steps = program(choose(given, kind, full=False), kind).steps
    assert [s.name for s in steps] == names
    assert all(s.title for s in steps)


def test_a_count_needs_no_look_at_lost_extremes() -> None:
    counts = shape("SELECT b, count(*) AS n FROM t GROUP BY b")
    given = facts(counts, source("t", MINUS), policy="INCREMENTAL")
    names = [s.name for s in program(choose(given, counts, full=False), counts).steps]
    assert names == ["changes", "write", "commit"]


@pytest.mark.parametrize(
    "kind", [ROWS, GROUPS, PARTITIONS, FULL], ids=["bag", "keyed", "grouped", "full only"]
)
def test_a_full_recompute_overwrites(kind: Shape) -> None:
    steps = program(choose(facts(kind, source("t")), kind, full=True), kind).steps
    assert [type(s) for s in steps] == [Overwrite, Publish]
    assert isinstance(steps[0], Overwrite)
    assert (steps[0].rel is None) == (kind is FULL)


def test_staged_changes_know_the_operator_that_applies_them() -> None:
    given = facts(GROUPS, source("t", MINUS), policy="INCREMENTAL")
    found = program(choose(given, GROUPS, full=False), GROUPS)
    assert isinstance(found, GroupsSteps)
    assert found.find is not None
    assert found.stage.apply is found.find.apply is found.write.apply
