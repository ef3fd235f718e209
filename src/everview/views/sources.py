"""What a definition reads: its tables and views, and functions of the session's catalog."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from everview.errors import Place, SqlNotAllowed, SqlSyntax, UnknownName
from everview.lake.catalog import Entries
from everview.spark.session_functions import user_functions
from everview.sql.read.parse import forbid_outside_state, parse_query, table_name, table_references
from everview.sql.statements.spark_text import AnyQuery, SparkText, called_functions, one_query
from everview.views.resolve import Resolved, resolve, resolve_by_spark
from everview.views.world import World


def sources_of(
    world: World,
    name: str,
    sql: str,
    settings: Mapping[str, str],
    known: Entries | None = None,
) -> Resolved:
    """The tables and views that the text of the view of this name reads; `known` are the
    warehouse's names, if not those of now.
    """
    try:
        parsed = parse_query(sql)
    except SqlSyntax as stop:
        functions = _functions(world, SparkText(one_query(sql), (), None))
        with world.engine.settings(settings):
            resolved = resolve_by_spark(world, sql, stop)
        if name.lower() in resolved.entries:
            raise _of_itself(name, resolved.place(name.lower())) from None
        return replace(resolved, functions=functions)
    forbid_outside_state(parsed)
    for reference in table_references(parsed):
        if table_name(reference).lower() == name.lower():
            raise _of_itself(table_name(reference), parsed.place(reference))
    resolved = resolve(world, parsed, known=known)
    return replace(resolved, functions=_functions(world, resolved.query, resolved.in_original))


def _functions(
    world: World, query: AnyQuery, in_original: Callable[[Place | None], Place | None] = lambda p: p
) -> dict[str, Place | None]:
    """The functions of the session's catalog that a query calls; a temporary one is refused."""
    called = called_functions(query)
    if not called:
        return {}
    temporary, permanent = user_functions(world.engine.caller)
    for function, place in called.items():
        if function in temporary:
            raise SqlNotAllowed(
                f"`{function}` is a temporary function of the Spark session.",
                where=in_original(place),
                remedy="It ends with the session, and the view does not: create it as a function "
                "of the catalog (CREATE FUNCTION), or use built-in functions.",
            )
    return {f: in_original(place) for f, place in called.items() if f in permanent}


def _of_itself(name: str, where: Place | None) -> UnknownName:
    return UnknownName(
        f"There is no table or view `{name}` to read (a view cannot read itself).",
        where=where,
        remedy="Create it with wh.create_table, or attach it with wh.attach.",
    )
