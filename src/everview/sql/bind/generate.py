"""Generators in FROM: LATERAL VIEW, and LATERAL of a function."""

from __future__ import annotations

from sqlglot import exp

from everview.algebra.relations import Generate
from everview.sql.bind.aliases import Bound, column_aliases
from everview.sql.bind.context import Context
from everview.sql.bind.level import Level
from everview.sql.bind.rows import Rows
from everview.sql.bind.scalar import bind_call
from everview.sql.bind.scope import Visible
from everview.sql.write.door import generator_question


def generated(bound: Bound, lateral: exp.Lateral, context: Context, *, outer: bool) -> Bound:
    """Each row with the rows that the generator makes of it; Spark names their columns where the
    text does not.
    """
    level = Level(context, Rows(bound[0], context.fresh), bound[1])
    generator = bind_call(lateral.this, level.hole)
    names = column_aliases(lateral)
    if not names:
        names = list(context.asking.ask(generator_question(level.rows.rel, generator)).names)
    made = context.fresh.columns(names)
    rel = context.placed(Generate(level.rows.rel, generator, made, outer), lateral)
    qualifier = lateral.alias or (lateral.this.name if not lateral.args.get("view") else "")
    seen = tuple(Visible(qualifier, c.name, c) for c in made)
    return rel, bound[1].joined(context.scope(seen))
