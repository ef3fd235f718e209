"""The queries behind DELETE, UPDATE and MERGE: the user's own expressions over the table's rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from everview.facts.schema import Field, Schema
from everview.sql.names import quoted, sql_type

TARGET_ROWS = "__ev_rows"  # the table's rows, as a table of these queries
SOURCE = "__ev_source"  # the rows that are merged into it
PATH, ROW, HIT = "__ev_path", "__ev_row", "__ev_hit"
SOURCE_ROW = "__ev_source_row"  # a number that tells the source's rows apart
ACT, MATCHED = "__ev_act", "__ev_matched"
_VALUE = "__ev_v"
# Always true, and Spark does not know it. Of a projection that repeats Spark keeps its hands off;
# any other it pushes through a union (the rows of several partitions), where its optimizer fails
# on a correlated subquery ("key not found").
_KEPT_HERE = "monotonically_increasing_id() >= 0"
DOES_NOT_FIT = "everview the value does not fit"


def found_paths(alias: str, condition: str) -> str:
    """The files of the rows for which the condition is true."""
    return f"SELECT {PATH} FROM {TARGET_ROWS} AS {quoted(alias)} WHERE (\n{condition}\n)"


def found_places(alias: str, condition: str) -> str:
    """The files of the rows for which the condition is true, and their places in these."""
    return f"SELECT {PATH}, {ROW} FROM {TARGET_ROWS} AS {quoted(alias)} WHERE (\n{condition}\n)"


def marked_rows(alias: str, condition: str, schema: Schema, values: Mapping[str, str]) -> str:
    """All rows, whether the condition is true for each, and each column's new value.

    A value is computed once, and only for rows for which the condition is true: for others it may
    fail.
    """
    old = ", ".join(map(quoted, schema.names))
    mark = f"coalesce((\n{condition}\n), FALSE) AND {_KEPT_HERE} AS {MATCHED}"
    marked = f"SELECT {old}, {mark} FROM {TARGET_ROWS} AS {quoted(alias)}"
    return _with_values(alias, marked, schema, values)


def updated_rows(alias: str, condition: str, schema: Schema, values: Mapping[str, str]) -> str:
    """The rows for which the condition is true: their places, and each column's new value."""
    columns = ", ".join([*map(quoted, schema.names), PATH, ROW, f"{_KEPT_HERE} AS {MATCHED}"])
    marked = f"SELECT {columns} FROM {TARGET_ROWS} AS {quoted(alias)} WHERE (\n{condition}\n)"
    return _with_values(alias, marked, schema, values, (PATH, ROW))


def _with_values(
    alias: str,
    marked: str,
    schema: Schema,
    values: Mapping[str, str],
    places: tuple[str, ...] = (),
) -> str:
    """Marked rows with new values: after their places, or after all their columns."""
    old = ", ".join(map(quoted, schema.names))
    given = {i: values[f.name] for i, f in enumerate(schema.fields) if f.name in values}
    raw = [f"CASE WHEN {MATCHED} THEN (\n{v}\n) END AS {_VALUE}{i}" for i, v in given.items()]
    computed = ", ".join([old, *places, MATCHED, *raw])
    new = [
        f"{assigned(f'{_VALUE}{i}', f) if i in given else quoted(f.name)} AS {new_name(i)}"
        for i, f in enumerate(schema.fields)
    ]
    return (
        f"SELECT {', '.join([*(places or (old, MATCHED)), *new])} FROM "
        f"(SELECT {computed} FROM ({marked}) AS {quoted(alias)})"
    )


def new_name(index: int) -> str:
    """The column that holds the new value of the column at that place of the table."""
    return f"__ev_n{index}"


def assigned(expression: str, field: Field) -> str:
    """The value as one of the column's type; a value that does not fit fails, in any session."""
    type_ = sql_type(field.type)
    said = f"{DOES_NOT_FIT} {field.name} {type_}".replace("\\", "\\\\").replace("'", "\\'")
    value = f"(\n{expression}\n)"
    return (
        f"coalesce(try_cast({value} AS {type_}), if({value} IS NULL, NULL, raise_error('{said}')))"
    )


@dataclass(frozen=True, slots=True)
class WhenClause:
    """A clause of MERGE: which pairs or rows, on what condition, and what becomes of them."""

    match: Literal["MATCHED", "NOT MATCHED", "NOT MATCHED BY SOURCE"]
    condition: str | None
    action: Literal["update", "delete", "insert"]
    values: Mapping[str, str]  # column of the table -> expression; a column left out stays, or
    # is NULL in a new row


@dataclass(frozen=True, slots=True)
class Merge:
    """MERGE INTO as queries over the table's rows and the source's."""

    target: str  # alias
    source: str  # alias
    on: str
    schema: Schema
    whens: tuple[WhenClause, ...]

    def of(self, match: str) -> list[tuple[int, WhenClause]]:
        return [(i, w) for i, w in enumerate(self.whens) if w.match == match]

    def acts(self, action: str) -> list[int]:
        """The clauses that do so, by their numbers."""
        return [i for i, w in enumerate(self.whens) if w.action == action]

    @property
    def columns_set(self) -> set[str]:
        """The columns of the table that a clause gives values."""
        return {name for when in self.whens for name in when.values}

    @property
    def may_repeat(self) -> bool:
        """Whether several source rows for one row of the table mean the same as one."""
        return all(w.action == "delete" and w.condition is None for _, w in self.of("MATCHED"))

    @property
    def changes_every_match(self) -> bool:
        """Whether a clause changes each row of the table that has a source row."""
        return any(w.condition is None for _, w in self.of("MATCHED"))

    def pairs(self) -> str:
        """Every row of the table that a clause changes, once per source row that does."""
        t = quoted(self.target)
        return (
            f"SELECT {t}.{PATH}, {t}.{ROW} FROM {TARGET_ROWS} AS {t} JOIN {SOURCE} AS "
            f"{quoted(self.source)} ON {self._on} WHERE {self._act('MATCHED')} IS NOT NULL"
        )

    def lone(self) -> str:
        """The files of rows without a source row that a clause changes."""
        t = quoted(self.target)
        return (
            f"SELECT {t}.{PATH} FROM {TARGET_ROWS} AS {t} {self._anti} "
            f"WHERE {self._act('NOT MATCHED BY SOURCE')} IS NOT NULL"
        )

    def matched_rows(self) -> str:
        """Rows of the table with the number of the clause that changes each, and new values."""
        t, s = quoted(self.target), quoted(self.source)
        rows = f"{TARGET_ROWS} AS {t}"
        if self.of("NOT MATCHED BY SOURCE"):
            semi = (
                f"SELECT * FROM {TARGET_ROWS} AS {t} LEFT SEMI JOIN {SOURCE} AS {s} ON {self._on}"
            )
            rows = f"({semi}) AS {t}"
        act = self._act("MATCHED")
        if self.may_repeat:
            deleted = f"SELECT {self._columns('MATCHED', 'FALSE', act)} FROM {rows}"
            kept = f"SELECT {self._columns('MATCHED', 'FALSE', _NO_ACT)} FROM {rows}"
            if self.of("NOT MATCHED BY SOURCE") or not self.of("MATCHED"):
                return deleted
            semi = f"LEFT SEMI JOIN {SOURCE} AS {s} ON {self._on}"
            return f"{deleted} {semi} UNION ALL {kept} {self._anti}"
        hit = f"{s}.{HIT} IS NOT NULL"
        columns = self._columns("MATCHED", hit, f"CASE WHEN {hit} THEN {act} END")
        return (
            f"SELECT {columns} FROM {rows} LEFT JOIN {SOURCE} AS {s} ON {self._on} "
            f"AND {act} IS NOT NULL"
        )

    def lone_rows(self) -> str:
        """Rows without a source row, likewise."""
        act = f"CASE WHEN {_KEPT_HERE} THEN {self._act('NOT MATCHED BY SOURCE')} END"
        columns = self._columns("NOT MATCHED BY SOURCE", "TRUE", act)
        return f"SELECT {columns} FROM {TARGET_ROWS} AS {quoted(self.target)} {self._anti}"

    def changed_rows(self) -> list[str]:
        """The rows that a clause changes, with their places, the source row that says so, the
        number of the clause, and new values: of each kind of clause one query.
        """
        t, s = quoted(self.target), quoted(self.source)
        found = []
        if self.of("MATCHED"):
            act = self._act("MATCHED")
            if self.may_repeat:
                columns = self._placed("NULL", act, self._no_values())
                join = f"LEFT SEMI JOIN {SOURCE} AS {s} ON {self._on}"
            else:
                columns = self._placed(
                    f"{s}.{SOURCE_ROW}", act, self._new_values("MATCHED", "TRUE")
                )
                join = f"JOIN {SOURCE} AS {s} ON {self._on} WHERE {act} IS NOT NULL"
            found.append(f"SELECT {columns} FROM {TARGET_ROWS} AS {t} {join}")
        if self.of("NOT MATCHED BY SOURCE"):
            lone = "NOT MATCHED BY SOURCE"
            act = f"CASE WHEN {_KEPT_HERE} THEN {self._act(lone)} END"
            columns = self._placed("NULL", act, self._new_values(lone, "TRUE"))
            rows = f"SELECT {columns} FROM {TARGET_ROWS} AS {t} {self._anti}"
            found.append(f"SELECT * FROM ({rows}) WHERE {ACT} IS NOT NULL")
        return found

    def met(self) -> str:
        """The numbers of the source rows that have a row of the table."""
        t, s = quoted(self.target), quoted(self.source)
        return (
            f"SELECT DISTINCT {s}.{SOURCE_ROW} FROM {TARGET_ROWS} AS {t} JOIN {SOURCE} AS {s} "
            f"ON {self._on}"
        )

    def new_rows(self) -> str:
        """The rows to insert: source rows without a row of the table."""
        unmet = f"LEFT ANTI JOIN {TARGET_ROWS} AS {quoted(self.target)} ON {self._on}"
        return self._inserted(unmet)

    def unmet_rows(self) -> str:
        """The rows to insert, where the source rows are those without a row of the table."""
        return self._inserted("")

    def _inserted(self, unmet: str) -> str:
        act = self._act("NOT MATCHED")
        values = []
        for i, field in enumerate(self.schema.fields):
            cases = " ".join(
                f"WHEN {_true(w.condition)} THEN "
                + (assigned(w.values[field.name], field) if field.name in w.values else "NULL")
                for _, w in self.of("NOT MATCHED")
            )
            type_ = sql_type(field.type)
            values.append(f"CAST(CASE {cases} END AS {type_}) AS {new_name(i)}")
        return (
            f"SELECT {', '.join(values)} FROM {SOURCE} AS {quoted(self.source)} {unmet} "
            f"WHERE {act} IS NOT NULL"
        )

    @property
    def _on(self) -> str:
        return f"(\n{self.on}\n)"

    @property
    def _anti(self) -> str:
        return f"LEFT ANTI JOIN {SOURCE} AS {quoted(self.source)} ON {self._on}"

    def _act(self, match: str) -> str:
        """The number of the first clause that fits, NULL if none does."""
        cases = " ".join(f"WHEN {_true(w.condition)} THEN {i}" for i, w in self.of(match))
        return f"(CASE {cases} END)" if cases else _NO_ACT

    def _columns(self, match: str, hit: str, act: str) -> str:
        t = quoted(self.target)
        old = [f"{t}.{quoted(n)}" for n in self.schema.names]
        return ", ".join([*old, f"{act} AS {ACT}", *self._new_values(match, hit)])

    def _placed(self, source_row: str, act: str, values: list[str]) -> str:
        t = quoted(self.target)
        number = f"CAST({source_row} AS BIGINT) AS {SOURCE_ROW}"
        return ", ".join([f"{t}.{PATH}", f"{t}.{ROW}", number, f"{act} AS {ACT}", *values])

    def _no_values(self) -> list[str]:
        """NULL for each column: deleted rows have no new values."""
        fields = enumerate(self.schema.fields)
        return [f"CAST(NULL AS {sql_type(f.type)}) AS {new_name(i)}" for i, f in fields]

    def _new_values(self, match: str, hit: str) -> list[str]:
        t = quoted(self.target)
        found = []
        for i, field in enumerate(self.schema.fields):
            own = f"{t}.{quoted(field.name)}"
            cases = " ".join(
                f"WHEN {hit} AND {_true(w.condition)} THEN "
                + (assigned(w.values[field.name], field) if field.name in w.values else own)
                for _, w in self.of(match)
            )
            found.append(f"{f'CASE {cases} ELSE {own} END' if cases else own} AS {new_name(i)}")
        return found


_NO_ACT = "CAST(NULL AS INT)"


def _true(condition: str | None) -> str:
    return "TRUE" if condition is None else f"(\n{condition}\n)"
