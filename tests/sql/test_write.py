"""What leaves as SQL text: names quoted, braces doubled, no constant as a key, sides broadcast."""

from __future__ import annotations

import pytest

from everview.algebra.calls import AggregateCall, WorkDelta
from everview.algebra.relations import (
    Aggregate,
    At,
    Changes,
    ChangeTable,
    Filter,
    Join,
    Local,
    Negate,
    Net,
    Project,
    Rel,
    Scan,
    UnionAll,
    Values,
)
from everview.algebra.scalars import (
    FALSE,
    NULL,
    And,
    Call,
    Case,
    Cast,
    Column,
    Compare,
    Constant,
    IsNull,
    Not,
    Opaque,
    Or,
    Ref,
    Scalar,
    comparable,
    integer,
)
from everview.sql.write.door import local_names, write
from everview.sql.write.scalar import scalar_text

A, B, C = Column(1, "a"), Column(2, "b"), Column(3, "c")
T = Scan("t", At.NEW, (A, B))
D_T = Changes("t", (A, B))
TYPES = {1: "long", 2: "string", 3: "double"}


def text(rel: Rel) -> str:
    return write(rel, TYPES).text


# Relations


def test_clauses_gather_in_one_select() -> None:
    plan = Project(Filter(Filter(T, IsNull(Ref(1))), Not(IsNull(Ref(2)))), ((C, Ref(2)),))
    assert (
        text(plan) == "SELECT `b` AS `c`\nFROM {leaf0}\nWHERE (`a` IS NULL) AND (NOT (`b` IS NULL))"
    )


def test_changes_bring_their_weight() -> None:
    assert text(D_T) == "SELECT `a`, `b`, `__ev_w`\nFROM {leaf0}"


def test_negate_negates_the_weight() -> None:
    assert text(Negate(Negate(D_T))) == "SELECT `a`, `b`, (-(-`__ev_w`)) AS `__ev_w`\nFROM {leaf0}"


def test_net_groups_all_columns_and_drops_zeros() -> None:
    assert text(Net(D_T)) == (
        "SELECT `a`, `b`, sum(`__ev_w`) AS `__ev_w`\nFROM {leaf0}\n"
        "GROUP BY `a`, `b`\nHAVING sum(`__ev_w`) <> 0"
    )


def test_net_compares_floats_by_their_text() -> None:
    assert text(Net(Changes("t", (A, C)))) == (
        "SELECT `a`, first(`c`) AS `c`, sum(`__ev_w`) AS `__ev_w`\nFROM {leaf0}\n"
        "GROUP BY `a`, CAST(`c` AS STRING)\nHAVING sum(`__ev_w`) <> 0"
    )


def test_net_of_no_columns_is_one_sum() -> None:
    assert text(Net(Changes("t", ()))) == (
        "SELECT sum(`__ev_w`) AS `__ev_w`\nFROM {leaf0}\nHAVING sum(`__ev_w`) <> 0"
    )


def test_a_clause_over_a_group_nests() -> None:
    assert text(Filter(Net(D_T), IsNull(Ref(1)))) == (
        "SELECT `a_1` AS `a`, `b_2` AS `b`, `__ev_w`\nFROM (\n"
        "  SELECT `a` AS `a_1`, `b` AS `b_2`, sum(`__ev_w`) AS `__ev_w`\n  FROM {leaf0}\n"
        "  GROUP BY `a`, `b`\n  HAVING sum(`__ev_w`) <> 0\n) AS q1\nWHERE (`a_1` IS NULL)"
    )


def test_a_constant_is_never_grouped_by_as_a_position() -> None:
    keyed = Aggregate(Project(T, ((C, integer(1)),)), (C,), ())
    assert text(keyed) == (
        "SELECT `c_3` AS `c`\nFROM (\n  SELECT 1 AS `c_3`\n  FROM {leaf0}\n) AS q1\nGROUP BY `c_3`"
    )


def test_a_group_without_keys_or_columns() -> None:
    assert text(Aggregate(T, (), ((C, AggregateCall("count", ())),))) == (
        "SELECT count(*) AS `c`\nFROM {leaf0}"
    )
    assert text(Project(T, ())) == "SELECT 1\nFROM {leaf0}"


def test_an_argument_is_cast_where_asked() -> None:
    call = AggregateCall("sum", (1,), "decimal(20,0)")
    assert text(Aggregate(T, (), ((C, call),))).startswith(
        "SELECT sum(CAST(`a` AS DECIMAL(20,0))) AS `c`"
    )


def test_copies_of_an_extreme_are_counted_over_a_window() -> None:
    calls = (
        (C, AggregateCall("copies_of_max", (1,))),
        (Column(4, "m"), AggregateCall("max", (1,))),
    )
    assert text(Aggregate(T, (B,), calls)) == (
        "SELECT `b_2` AS `b`, count(CASE WHEN `a_1` = `__ev_all_max_1` THEN 1 END) AS `c`,"
        " max(`a_1`) AS `m`\nFROM (\n"
        "  SELECT `a` AS `a_1`, `b` AS `b_2`,"
        " max(`a`) OVER (PARTITION BY `b`) AS `__ev_all_max_1`\n"
        "  FROM {leaf0}\n) AS q1\nGROUP BY `b_2`"
    )


def test_a_window_without_keys() -> None:
    table = ChangeTable(D_T, (), ((C, WorkDelta("deleted_copies", 1, "min")),))
    assert "min(CASE WHEN `__ev_w` < 0 THEN `a` END) OVER () AS `__ev_deleted_min_1`" in text(table)


def test_a_change_table() -> None:
    areas = (
        (Column(10, "w"), WorkDelta("weight")),
        (Column(11, "n"), WorkDelta("weight", 1)),
        (Column(12, "gone"), WorkDelta("removed", 1)),
        (Column(13, "best"), WorkDelta("inserted", 1, "max", "long")),
        (Column(14, "worst"), WorkDelta("deleted", 1, "min", "long")),
    )
    assert text(ChangeTable(D_T, (B,), areas)) == (
        "SELECT `b`, sum(`__ev_w`) AS `w`,"
        " sum(CASE WHEN `a` IS NOT NULL THEN `__ev_w` ELSE 0 END) AS `n`,"
        " sum(CASE WHEN `__ev_w` < 0 AND `a` IS NOT NULL THEN -`__ev_w` ELSE 0 END) AS `gone`,"
        " max(CASE WHEN `__ev_w` > 0 THEN `a` END) AS `best`,"
        " min(CASE WHEN `__ev_w` < 0 THEN `a` END) AS `worst`\nFROM {leaf0}\nGROUP BY `b`"
    )


def test_copies_of_inserted_extremes_are_weighed() -> None:
    table = ChangeTable(D_T, (B,), ((C, WorkDelta("inserted_copies", 1, "max")),))
    counted = "`__ev_w` > 0 AND `a_1` = `__ev_inserted_max_1`"
    assert f"sum(CASE WHEN {counted} THEN abs(`__ev_w`) ELSE 0 END)" in text(table)


def test_a_change_table_of_nothing_has_no_row_also_without_keys() -> None:
    assert text(ChangeTable(D_T, (), ((C, WorkDelta("weight")),))).endswith("HAVING count(*) > 0")


def test_a_weight_beyond_nine_digits_never_multiplies_a_decimal() -> None:
    exact = WorkDelta("sum", 1, type="decimal(20,2)")
    assert "abs(`__ev_w`) <= 9999999" in text(ChangeTable(D_T, (), ((C, exact),)))
    assert "raise_error" in text(ChangeTable(D_T, (), ((C, exact),)))


def test_all_38_digits_are_kept_by_adding_up_instead_of_multiplying() -> None:
    wide = text(ChangeTable(D_T, (), ((C, WorkDelta("sum", 1, type="decimal(38,2)")),)))
    assert "aggregate(sequence(1L, abs(`__ev_w`))" in wide
    assert "* `a`" not in wide


def test_a_sum_of_changes_that_overflows_is_told() -> None:
    area = WorkDelta("overflowed", 1, type="decimal(20,2)")
    told = text(ChangeTable(D_T, (), ((C, area),)))
    assert "CASE WHEN count(`a`) > 0 AND try_cast(try_sum(" in told
    assert "IS NULL THEN 1 ELSE 0 END AS `c`" in told


def test_longs_are_cast_before_they_are_weighed() -> None:
    longs = WorkDelta("sum", 1, type="decimal(38,0)", cast="decimal(20,0)")
    assert "* CAST(`a` AS DECIMAL(20,0))" in text(ChangeTable(D_T, (), ((C, longs),)))


def test_a_float_sum_is_weighed_as_double() -> None:
    floats = WorkDelta("sum", 3, type="double")
    assert "sum(CAST(`__ev_w` AS DOUBLE) * CAST(`c` AS DOUBLE))" in text(
        ChangeTable(Changes("t", (C,)), (), ((A, floats),))
    )


def test_joins_by_kind_and_broadcast_side() -> None:
    other = Scan("u", At.OLD, (C,))
    same = Compare("<=>", Ref(1), Ref(3))
    words = {
        "inner": "\nJOIN (",
        "left": "\nLEFT JOIN (",
        "semi": "\nLEFT SEMI JOIN (",
        "anti": "\nLEFT ANTI JOIN (",
    }
    for kind, word in words.items():
        assert word in text(Join(kind, T, other, same))
    assert "\nCROSS JOIN (" in text(Join("cross", T, other))
    assert text(Join("inner", T, other, same, "left")).startswith("SELECT /*+ BROADCAST(q1) */ ")
    assert text(Join("inner", T, other, same, "right")).startswith("SELECT /*+ BROADCAST(q2) */ ")


def test_a_join_names_its_columns_by_id_so_that_a_self_join_is_trivial() -> None:
    other = Scan("t", At.NEW, (Column(5, "a"), Column(6, "b")))
    assert text(Join("inner", T, other, Compare("=", Ref(1), Ref(5)))) == (
        "SELECT `a_1` AS `a`, `b_2` AS `b`, `a_5` AS `a`, `b_6` AS `b`\nFROM (\n"
        "  SELECT `a` AS `a_1`, `b` AS `b_2`\n  FROM {leaf0}\n) AS q1\nJOIN (\n"
        "  SELECT `a` AS `a_5`, `b` AS `b_6`\n  FROM {leaf1}\n) AS q2 ON (`a_1` = `a_5`)"
    )


def test_a_union_names_the_columns_of_its_inputs() -> None:
    union = UnionAll((D_T, Negate(Changes("t", (B, A)))), (Column(8, "x"), Column(9, "y")))
    assert text(union) == (
        "SELECT `x_8` AS `x`, `y_9` AS `y`, `__ev_w`\nFROM (\n"
        "  SELECT `a` AS `x_8`, `b` AS `y_9`, `__ev_w`\n  FROM {leaf0}\n  UNION ALL\n"
        "  SELECT `b` AS `x_8`, `a` AS `y_9`, (-`__ev_w`) AS `__ev_w`\n  FROM {leaf1}\n) AS q1"
    )


def test_values() -> None:
    assert text(Values(((integer(1), NULL), (integer(2), FALSE)), (A, B))) == (
        "SELECT `a_1` AS `a`, `b_2` AS `b`\nFROM VALUES (1, NULL), (2, FALSE) AS q1(`a_1`, `b_2`)"
    )


def test_rows_at_hand_are_read_under_their_plan_names() -> None:
    staged = Local("changes", (A,))
    assert text(staged) == "SELECT `a_1` AS `a`\nFROM {leaf0}"
    assert local_names((A, B)) == ("a_1", "b_2")


def test_a_leaf_that_occurs_twice_is_read_once() -> None:
    query = write(UnionAll((D_T, D_T), (A, B)), TYPES)
    assert list(query.leaves.values()) == [D_T]


def test_odd_names_are_quoted_and_braces_doubled() -> None:
    odd = Scan("t", At.NEW, (Column(1, "a`b"), Column(2, "{x}")))
    query = write(odd, {}, ("q{", "`"))
    assert query.text == "SELECT `a``b` AS `q{{`, `{{x}}` AS ````\nFROM {leaf0}"


def test_text_for_a_person_names_tables_and_snapshots() -> None:
    everything = UnionAll(
        (T, Scan("t", At.OLD, (A, B)), Project(Local("staged", (A, B)), ((C, Ref(1)), (A, NULL)))),
        (Column(8, "x"), Column(9, "{y}")),
    )
    shown = write(everything, {}).shown()
    assert "FROM `t` /* at the new version */" in shown
    assert "FROM `t` /* at the old version */" in shown
    assert "FROM `staged` /* computed before */" in shown
    assert "`{y}`" in shown
    assert write(D_T, {}).shown().endswith("FROM `t` /* its changes */")


# Scalars


@pytest.mark.parametrize(
    ("scalar", "expected"),
    [
        (Ref(1), "`a`"),
        (Constant("'{'"), "'{{'"),
        (Compare("<=>", Ref(1), NULL), "(`a` <=> NULL)"),
        (And(()), "TRUE"),
        (Or(()), "FALSE"),
        (And((Ref(1), Ref(2))), "(`a` AND `b`)"),
        (Or((Ref(1),)), "(`a`)"),
        (Not(IsNull(Ref(1))), "(NOT (`a` IS NULL))"),
        (Cast(Ref(1), "long"), "CAST(`a` AS BIGINT)"),
        (Case(((Ref(1), Ref(2)),), NULL), "CASE WHEN `a` THEN `b` ELSE NULL END"),
        (Call("+", (Ref(1), integer(1))), "(`a` + 1)"),
        (Call("coalesce", (Ref(1), integer(0))), "coalesce(`a`, 0)"),
        (comparable(Ref(1), "double"), "CAST(`a` AS STRING)"),
        (comparable(Ref(1), "long"), "`a`"),
        (Opaque(("f(", Ref(1), ", '{}')")), "(f(`a`, '{{}}'))"),
        (Opaque((Call("+", (Ref(1), Ref(1))), ".x")), "(((`a` + `a`)).x)"),
    ],
)
def test_a_scalar(scalar: Scalar, expected: str) -> None:
    assert scalar_text(scalar, {1: "`a`", 2: "`b`"}) == expected
