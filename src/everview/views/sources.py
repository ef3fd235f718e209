"""What a definition reads: its tables and views, and functions of the session's catalog."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from everview.errors import Place, SqlNotAllowed, SqlSyntax, UnknownName
from everview.run.session_functions import user_functions
from everview.sql.parse import forbid_outside_state, parse_query, table_name, table_references
from everview.sql.spark_text import called_functions
from everview.views.resolve import Resolved, resolve, resolve_by_spark
from everview.views.world import World


def sources_of(world: World, name: str, sql: str, settings: Mapping[str, str]) -> Resolved:
    """The tables and views that the text of the view of this name reads."""
    resolved = _resolved(world, name, sql, settings)
    called = called_functions(resolved.query)
    if not called:
        return resolved
    temporary, permanent = user_functions(world.engine.caller)
    for function, place in called.items():
        if function in temporary:
            raise SqlNotAllowed(
                f"`{function}` is a temporary function of the Spark session.",
                where=resolved.in_original(place),
                remedy="It ends with the session, and the view does not: create it as a function "
                "of the catalog (CREATE FUNCTION), or use built-in functions.",
            )
    own = {f: resolved.in_original(place) for f, place in called.items() if f in permanent}
    return replace(resolved, functions=own)


def _resolved(world: World, name: str, sql: str, settings: Mapping[str, str]) -> Resolved:
    try:
        parsed = parse_query(sql)
    except SqlSyntax as stop:
        with world.engine.settings(settings):
            resolved = resolve_by_spark(world, sql, stop)
        if name.lower() in resolved.entries:
            raise _of_itself(name, resolved.place(name.lower())) from None
        return resolved
    forbid_outside_state(parsed)
    for reference in table_references(parsed):
        if table_name(reference).lower() == name.lower():
            raise _of_itself(table_name(reference), parsed.place(reference))
    return resolve(world, parsed)


def _of_itself(name: str, where: Place | None) -> UnknownName:
    return UnknownName(
        f"There is no table or view `{name}` to read (a view cannot read itself).",
        where=where,
        remedy="Create it with wh.create_table, or attach it with wh.attach.",
    )
