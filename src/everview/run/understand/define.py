"""What Spark says of a definition: names, types, determinism; and the shape that follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pyspark.errors import AnalysisException, ParseException, PySparkException
from pyspark.sql import DataFrame

from everview.algebra.relations import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    Pivot,
    Project,
    Rel,
    Scan,
    Values,
    Window,
)
from everview.algebra.scalars import (
    And,
    Column,
    ColumnId,
    IsNull,
    Opaque,
    Scalar,
    integer,
    walk,
)
from everview.algebra.walk import highest_id, used_columns, walk_plan
from everview.errors import SqlInvalid, UnsupportedType
from everview.facts.refusals import RefusalKind
from everview.facts.schema import Schema
from everview.facts.views import Moment, Tail
from everview.lake.types import check_types
from everview.optimize.passes import PassContext, When, improved
from everview.run.rows.read import collated_columns, empty_frame, schema_of
from everview.run.understand.lower import lower
from everview.run.understand.moments import NOT_DETERMINISTIC, find_moment
from everview.shape.as_read import AsRead
from everview.shape.maintained import unmaintained
from everview.shape.shape import FullOnly, Shape, full_only, with_origin
from everview.shape.tail import shape_with_tail, split_tail
from everview.spark.engine import Engine, sql_over
from everview.spark.errors import spark_message
from everview.sql.bind.query import Lowered, NotLowered
from everview.sql.statements.spark_text import AnyQuery, SparkText, over_placeholders
from everview.sql.write.door import SourceLeaf, write

# Settings that change how a text is read; the binder knows Spark's defaults only.
READING = {
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.parser.quotedRegexColumnNames": "false",
    "spark.sql.groupByOrdinal": "true",
    "spark.sql.groupByAliases": "true",
    "spark.sql.legacy.consecutiveStringLiterals.enabled": "false",
    "spark.sql.ansi.relationPrecedence": "false",
    "spark.sql.legacy.setopsPrecedence.enabled": "false",
    "spark.sql.orderByOrdinal": "true",
    "spark.sql.lateralColumnAlias.enableImplicitResolution": "true",
}


@dataclass(frozen=True, slots=True)
class Defined:
    """A definition as understood: its public columns, and how it can be maintained."""

    columns: Schema
    shape: Shape
    used: Mapping[str, tuple[str, ...]]  # per source, the columns the definition reads
    moment: Moment | None = None  # what makes it depend on when it is computed


def define(
    engine: Engine, query: AnyQuery, sources: Mapping[str, Schema], settings: Mapping[str, str]
) -> Defined:
    """Understand a definition over sources given by lower-case name; Spark judges its validity."""
    with engine.settings(settings):
        columns = user_columns(engine, query, sources)
        shape, used = _Asked(engine, sources, columns).understood(query, settings)
        known = shape.moment if isinstance(shape, FullOnly) else None
        moment = find_moment(engine, query, sources) or known
    if moment is not None:
        shape = _of_the_moment(shape, moment, columns)
    return Defined(columns, shape, used, moment)


def _of_the_moment(shape: Shape, moment: Moment, columns: Schema) -> FullOnly:
    """The shape of a definition that depends on when it is computed; a reason that it has besides
    stays.
    """
    if not isinstance(shape, FullOnly):
        reason = f"{moment.expression} has another value at every refresh"
        shape = full_only(RefusalKind.CHANGING, reason, moment.place, columns)
    return replace(shape, moment=moment)


def _placed(shape: Shape, found: Lowered) -> Shape:
    """A refusal with the place of what it names, where it is not known yet."""
    if not isinstance(shape, FullOnly) or shape.place is not None or not shape.about:
        return shape
    return replace(shape, place=found.place(None, shape.about))


def user_frame(engine: Engine, query: AnyQuery, frames: Mapping[str, DataFrame]) -> DataFrame:
    """The user's own text over these frames; call inside `engine.settings`."""
    names = {name: f"source{i}" for i, name in enumerate(frames)}
    text = over_placeholders(query, names)
    return sql_over(engine.own, text, {names[name]: frame for name, frame in frames.items()})


def user_columns(engine: Engine, query: AnyQuery, sources: Mapping[str, Schema]) -> Schema:
    """The names and types that Spark gives the user's text."""
    frames = {name: empty_frame(engine.own, schema) for name, schema in sources.items()}
    try:
        return schema_of(user_frame(engine, query, frames))
    except (AnalysisException, ParseException) as error:
        raise SqlInvalid(spark_message(error), remedy="Correct the definition.") from None


class _Asked:
    """Asks Spark about a bound plan, by analysis alone."""

    def __init__(self, engine: Engine, sources: Mapping[str, Schema], columns: Schema) -> None:
        self._engine = engine
        self._sources = sources
        self._columns = columns  # that Spark gives the user's text
        self._collated = False  # whether some column that was asked about has a collation

    def understood(
        self, query: AnyQuery, settings: Mapping[str, str]
    ) -> tuple[Shape, Mapping[str, tuple[str, ...]]]:
        """The shape of a definition, and per source the columns that it reads."""
        columns, sources = self._columns, self._sources
        whole = {name: schema.names for name, schema in sources.items()}
        if isinstance(query, SparkText):
            reason = "only Spark parses this text"
            return full_only(RefusalKind.SPARK_ONLY, reason, query.stop, columns), whole
        unread = [k for k, v in READING.items() if settings.get(k, v).lower() != v]
        if unread:
            reason = f"the text is read under {unread[0]}"
            return full_only(RefusalKind.SETTING, reason, None, columns), whole
        sensitive = settings.get("spark.sql.caseSensitive") == "true"
        found = lower(self._engine, query, sources, case_sensitive=sensitive)
        if isinstance(found, NotLowered):
            return full_only(found.kind, found.reason, found.place, columns), whole
        below, tail = split_tail(found.rel, columns.names)
        refused = unmaintained(below)
        if refused is not None:
            place = found.place(refused.operator, refused.function)
            shape = full_only(refused.kind, refused.reason, place, columns)
            return shape, _used(found.rel, sources)
        rel = improved(When.BOUND, below).plan
        return _placed(self._shape(rel, tail), found), _used(rel, sources)

    def _shape(self, rel: Rel, tail: Tail | None) -> Shape:
        columns = self._columns
        public = len(columns.fields)
        hidden = tuple(c.name for c in rel.columns[public:]) if tail is not None else ()
        try:
            whole = self._schema(rel, (*columns.names, *hidden))
            emitted = Schema(whole.fields[:public])
            check_types(Schema(whole.fields[public:]))
        except UnsupportedType as error:
            reason = f"LIMIT by an order that cannot be stored: {error.what}"
            return full_only(RefusalKind.CUT_OFF, reason, None, columns)
        except PySparkException as error:
            reason = f"Spark reads it otherwise than we do: {spark_message(error)}"
            return full_only(RefusalKind.MISREAD, reason, None, columns)
        if not emitted.same_columns(columns):
            ours = ", ".join(f"{f.name} {f.type}" for f in emitted.fields)
            theirs = ", ".join(f"{f.name} {f.type}" for f in columns.fields)
            reason = f"we read its columns as {ours}, Spark as {theirs}"
            return full_only(RefusalKind.MISREAD, reason, None, columns)
        not_plain = self._not_plain(rel)
        if not_plain is not None:
            return not_plain
        types = self._types(rel)
        if self._collated:
            reason = "strings with a collation are stored without it, so keys would not be equal"
            return full_only(RefusalKind.TYPE, reason, None, columns)
        simple, known = self._simplified(rel, types)
        return with_origin(shape_with_tail(simple, tail, known, columns), AsRead(rel, types))

    def _simplified(self, rel: Rel, types: dict[ColumnId, str]) -> tuple[Rel, dict[ColumnId, str]]:
        """The definition simplified by its types, unless Spark gave it other types then."""
        simple = improved(When.TYPED, rel, PassContext(types)).plan
        if simple is rel:
            return rel, types
        known = self._types(simple)
        is_same = all(known[c.id] == types[c.id] for c in rel.columns)
        return (simple, known) if is_same else (rel, types)

    def _types(self, rel: Rel) -> dict[ColumnId, str]:
        """The types of the root's columns, of all that are scanned and, of what is computed over
        groups, of its input's; of an aggregate right below the root also of its own.
        """
        found = self._types_of(rel)
        groups = rel.input if isinstance(rel, Project) else rel
        groups = groups.input if isinstance(groups, Filter) else groups
        if isinstance(groups, Aggregate):
            found |= self._types_of(groups)
        for operator in walk_plan(rel):
            if not isinstance(operator, Aggregate | Window | Pivot | Distinct):
                continue
            if not all(c.id in found for c in operator.input.columns):
                found |= self._types_of(operator.input)
        return self._scanned(rel) | found

    def _scanned(self, rel: Rel) -> dict[ColumnId, str]:
        scans = [r for r in walk_plan(rel) if isinstance(r, Scan)]
        return {c.id: self._sources[s.table][c.name].type for s in scans for c in s.columns}

    def _types_of(self, rel: Rel) -> dict[ColumnId, str]:
        names = tuple(f"c{i}" for i, _ in enumerate(rel.columns))
        schema = self._schema(rel, names)
        return {c.id: f.type for c, f in zip(rel.columns, schema.fields, strict=True)}

    def _schema(self, rel: Rel, names: tuple[str, ...]) -> Schema:
        query = write(rel, {}, names)
        frames = {leaf: self._frame(leaf) for leaf in query.leaves.values()}
        frame = self._engine.sql(query, frames)
        self._collated = self._collated or bool(collated_columns(frame))
        return schema_of(frame)

    def _frame(self, leaf: SourceLeaf) -> DataFrame:
        assert isinstance(leaf, Scan)
        return empty_frame(self._engine.own, self._sources[leaf.table])

    def _not_plain(self, rel: Rel) -> FullOnly | None:
        """That some expression is not a plain deterministic scalar; None if all are.

        Spark refuses anything else inside a join condition: that is how it is asked.
        """
        for operator in walk_plan(rel):
            for input_, scalars in _texts(operator):
                one = Column(highest_id(rel) + 1, "one")
                values = Values(((integer(1),),), (one,))
                test = Join("inner", input_, values, And(tuple(IsNull(s) for s in scalars)))
                try:
                    self._schema(test, tuple(f"c{i}" for i, _ in enumerate(test.columns)))
                except PySparkException as error:
                    return _explained(error, scalars, self._columns)
        return None


def _explained(error: PySparkException, scalars: list[Scalar], columns: Schema) -> FullOnly:
    functions = sorted(
        {f for s in scalars for o in walk(s) if isinstance(o, Opaque) for f in o.functions}
    )
    what, those = error.getCondition() or "", f"(one of: {', '.join(functions)})"
    if NOT_DETERMINISTIC in what:
        reason = f"an expression is not deterministic {those}"
        shape = full_only(RefusalKind.CHANGING, reason, None, columns)
        return replace(shape, moment=Moment(f"an expression that is not deterministic {those}"))
    reason = f"an expression is not a plain scalar {those}: {what}"
    return full_only(RefusalKind.UNREAD, reason, None, columns)


def _texts(operator: Rel) -> list[tuple[Rel, list[Scalar]]]:
    """The operator's scalars that hold Spark's own text, with the relation they read."""
    match operator:
        case Filter(input_, condition):
            found = [condition]
        case Project(input_, outputs):
            found = [s for _, s in outputs]
        case Join(_, left, right, condition) if condition is not None:
            input_, found = Join("cross", left, right), [condition]
        case _:
            return []
    opaque = [s for s in found if any(isinstance(p, Opaque) for p in walk(s))]
    return [(input_, opaque)] if opaque else []


def _used(rel: Rel, sources: Mapping[str, Schema]) -> dict[str, tuple[str, ...]]:
    """Per source the columns that the plan reads anywhere above its scans."""
    ids = used_columns(rel)
    used: dict[str, set[str]] = {name: set() for name in sources}
    for scan in walk_plan(rel):
        if isinstance(scan, Scan):
            used[scan.table] |= {c.name for c in scan.columns if c.id in ids}
    return {name: tuple(n for n in sources[name].names if n in used[name]) for name in sources}
