"""Statements that ask: SHOW, DESCRIBE, EXPLAIN, VERIFY."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame

from everview.errors import EverviewError
from everview.facts.failures import unforeseen
from everview.facts.files import count_marked
from everview.facts.merge_on_read import PROPERTY
from everview.facts.readers import Readers
from everview.facts.receipts import Verification
from everview.facts.schema import Schema
from everview.handles.view import View
from everview.lake.catalog import Entry
from everview.queries import public_frame
from everview.run.rows.read import schema_of
from everview.sql.names import quoted, sql_type
from everview.sql.statements.asked import (
    Describe,
    DescribeHistory,
    ExplainQuery,
    ShowCreate,
    ShowMaterializedViews,
    ShowTables,
    ShowViews,
)
from everview.sql.statements.values import Verify, VerifyTable
from everview.statements.results import (
    COLUMNS,
    checks_frame,
    like,
    moment,
    rows_frame,
    text_frame,
    verifications_frame,
)
from everview.statements.warehouse import WarehousePort, rows_of
from everview.tables import declared_of
from everview.views.resolve import virtual_view
from everview.views.status import status_table
from everview.views.table_properties import marking_of
from everview.views.world import KINDS, public_schema, record_of

_KIND = {"MATERIALIZED VIEW": "view", "VIEW": "virtual", "TABLE": "table", None: ""}


def run_verify_views(wh: WarehousePort, statement: Verify) -> DataFrame:
    """A row per view; one that was named alone raises its own error."""
    names = [n.dotted for n in statement.names] or wh.views()
    if len(statement.names) == 1:
        return verifications_frame(wh.spark, [wh.view(names[0]).verify()])
    return verifications_frame(wh.spark, [_verified(view) for view in map(wh.view, names)])


def _verified(view: View) -> Verification | tuple[str, EverviewError]:
    try:
        return view.verify()
    except Exception as error:
        return view.name, unforeseen(error)


def run_verify_table(wh: WarehousePort, statement: VerifyTable) -> DataFrame:
    names = [n.dotted for n in statement.names] or wh.tables()
    return checks_frame(wh.spark, [c for n in names for c in wh.table(n).verify()])


def run_show(
    wh: WarehousePort, statement: ShowTables | ShowViews | ShowMaterializedViews
) -> DataFrame:
    entries = {e.name: e for e in wh._world.catalog.read().entries}
    if isinstance(statement, ShowMaterializedViews):
        names = like(wh.views(), statement.like)
        statuses = wh.status(*names) if names else []
        header, *rows = status_table(statuses, wh._world.now())
        schema = ", ".join(f"{quoted(c.replace(' ', '_'))} STRING" for c in header)
        more = [(entries[s.view].comment, s.error and s.error["code"]) for s in statuses]
        shown = [(*row, *said) for row, said in zip(rows, more, strict=True)]
        return rows_frame(wh.spark, shown, f"{schema}, comment STRING, error STRING")
    kinds = ("table", "attached") if isinstance(statement, ShowTables) else ("virtual",)
    found = [e for e in entries.values() if e.kind in kinds]
    names = like([e.name for e in found], statement.like)
    rows = [(e.name, KINDS[e.kind], e.comment) for e in found if e.name in names]
    return rows_frame(wh.spark, rows, "name STRING, kind STRING, comment STRING")


def run_show_create(wh: WarehousePort, statement: ShowCreate) -> DataFrame:
    entry = wh._world.entry(statement.name.dotted, _KIND[statement.kind])
    return text_frame(wh.spark, _create_text(wh, entry), "createtab_stmt")


def _create_text(wh: WarehousePort, entry: Entry) -> str:
    comment = f"\nCOMMENT {_string(entry.comment)}" if entry.comment else ""
    if entry.kind == "virtual":
        view = virtual_view(entry)
        names = _column_list(view.columns, view.comments)
        return f"CREATE VIEW {quoted(entry.name)}{names}{comment} AS\n{view.sql}"
    table = wh._world.open(entry)
    own = table.head().properties.get(PROPERTY)
    comment += f"\nTBLPROPERTIES ('merge_on_read' = {_string(own)})" if own else ""
    if entry.kind == "view":
        record = record_of(table)
        names = _column_list(record.columns.names if record.comments else (), record.comments)
        policy = f"\nREFRESH POLICY {entry.policy}"
        policy += f"\nREFRESH {entry.when}" if entry.when else ""
        return (
            f"CREATE MATERIALIZED VIEW {quoted(entry.name)}{names}{comment}{policy} AS\n"
            f"{record.sql}"
        )
    if entry.kind == "attached":
        return f"ATTACH {quoted(entry.name)} FROM {_string(entry.location)}"
    declared = declared_of(table)
    snapshot = table.snapshot(table.head().version)
    lines = [
        f"  {quoted(f.name)} {sql_type(f.type)}{'' if f.nullable else ' NOT NULL'}"
        + (f" COMMENT {_string(declared.comments[f.name])}" if f.name in declared.comments else "")
        for f in snapshot.schema.fields
    ]
    if declared.primary_key:
        held = "" if declared.primary_key_enforced else " NOT ENFORCED"
        lines.append(f"  PRIMARY KEY ({', '.join(map(quoted, declared.primary_key))}){held}")
    for columns, other, referenced in declared.foreign_keys:
        target = f"{quoted(other)} ({', '.join(map(quoted, referenced))})"
        lines.append(f"  FOREIGN KEY ({', '.join(map(quoted, columns))}) REFERENCES {target}")
    parts = snapshot.partition_by
    split = f"\nPARTITIONED BY ({', '.join(map(quoted, parts))})" if parts else ""
    inside = ",\n".join(lines)
    return f"CREATE TABLE {quoted(entry.name)} (\n{inside}\n){split}{comment}"


def _column_list(columns: Sequence[str], comments: Mapping[str, str]) -> str:
    """The columns in parentheses, each with its comment; nothing where none are named."""
    said = [
        quoted(c) + (f" COMMENT {_string(comments[c])}" if c in comments else "") for c in columns
    ]
    return f" ({', '.join(said)})" if said else ""


def run_describe(wh: WarehousePort, statement: Describe) -> DataFrame:
    entry = wh._world.entry(statement.name.dotted, _KIND[statement.kind])
    schema, comments = _columns(wh, entry)
    rows = [(f.name, sql_type(f.type).lower(), comments.get(f.name)) for f in schema.fields]
    if statement.extended:
        rows += [("", "", None), ("# Details", "", None), *_details(wh, entry)]
    return rows_frame(wh.spark, rows, COLUMNS)


def _columns(wh: WarehousePort, entry: Entry) -> tuple[Schema, dict[str, str]]:
    if entry.kind == "virtual":
        schema = schema_of(public_frame(wh._world, wh.spark, entry))
        return schema, dict(virtual_view(entry).comments)
    table = wh._world.open(entry)
    schema = public_schema(table, table.head().version)
    if entry.kind == "view":
        return schema, dict(record_of(table).comments)
    return schema, dict(declared_of(table).comments)


def _details(wh: WarehousePort, entry: Entry) -> list[tuple[str, str, None]]:
    found: dict[str, str] = {"Name": entry.name, "Kind": KINDS[entry.kind]}
    if entry.comment:
        found["Comment"] = entry.comment
    if entry.kind == "virtual":
        found["Query"] = virtual_view(entry).query
        return [(k, v, None) for k, v in found.items()]
    table = wh._world.open(entry)
    head = table.head()
    snapshot = table.snapshot(head.version)
    found |= {"Location": wh._world.uri(entry.location), "Version": str(head.version)}
    found["Rows"] = _number(snapshot.rows)
    found["Readers"] = str(Readers(head.reader_features, count_marked(snapshot.files)))
    found["Merge on read"] = marking_of(wh._world, table).said
    if entry.kind == "view":
        status = wh.view(entry.name).status()
        found["Rows"] = _number(status.rows)
        found |= {"Policy": entry.policy, "Refreshed": status.schedule, "Kept": status.kept}
        found["Query"] = record_of(table).sql
        if record_of(table).cluster_by:
            found["Clustered by"] = ", ".join(record_of(table).cluster_by)
        found["Exact at"] = ", ".join(f"{n} v{v}" for n, v in status.exact_at.items())
        if not status.readable_by_others:
            found["Readable by others"] = f"no: {status.readable_reason}"
    else:
        declared = declared_of(table)
        if declared.primary_key:
            held = "" if declared.primary_key_enforced else " (not enforced)"
            found["Primary key"] = ", ".join(declared.primary_key) + held
        for columns, other, referenced in declared.foreign_keys:
            found[f"Foreign key {', '.join(columns)}"] = f"{other} ({', '.join(referenced)})"
    return [(k, v, None) for k, v in found.items()]


def _number(rows: int | None) -> str:
    return "?" if rows is None else f"{rows:,}"


def run_describe_history(wh: WarehousePort, statement: DescribeHistory) -> DataFrame:
    entry = wh._world.entry(statement.name.dotted, _KIND[statement.kind])
    if entry.kind == "view":
        receipts = wh.view(entry.name).history()
        rows = [(r["version"], r["timestamp"], r["strategy"], r["reason"], r) for r in receipts]
    else:
        commits = wh.table(entry.name).history()
        rows = [(c["version"], c["timestamp"], c["operation"], "", c["rows"]) for c in commits]
    shown = [
        (version, moment(at), what, why or None, json.dumps(details, default=str))
        for version, at, what, why, details in rows
    ]
    schema = "version BIGINT, timestamp TIMESTAMP, operation STRING, reason STRING, details STRING"
    return rows_frame(wh.spark, shown, schema)


def run_explain_query(wh: WarehousePort, statement: ExplainQuery) -> DataFrame:
    frame = rows_of(wh, statement.query, only_explained=True)
    mode = (statement.mode or "simple").lower()
    return text_frame(wh.spark, explained(frame, mode))


def explained(frame: DataFrame, mode: str) -> str:
    """Spark's own explanation, which it only prints."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        frame.explain(mode=mode)
    return said.getvalue().rstrip()


def _string(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
