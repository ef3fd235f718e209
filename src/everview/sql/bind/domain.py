"""The values of the rows around a subquery: the relation that it is computed for."""

from __future__ import annotations

from sqlglot import exp

from everview.algebra.relations import Distinct, Project, Rel
from everview.algebra.scalars import Ref
from everview.sql.bind.context import Context
from everview.sql.bind.rows import Rows
from everview.sql.decorrelate.carry import CannotCarry, Carrier
from everview.sql.decorrelate.of_nothing import UnknownOfNothing
from everview.sql.decorrelate.parameters import Carried, parameters
from everview.sql.read.refuse import Refuse


def carry(context: Context, rows: Rows, found: Rel, node: exp.Expr) -> Carried:
    """The subquery with the values of the rows around that it reads as columns."""
    ids = tuple(sorted(parameters(found) & rows.ids))
    names = {c.id: c.name for c in rows.rel.columns}

    def domain() -> Rel:
        made = [(context.fresh.column(names[id_]), Ref(id_)) for id_ in ids]
        return Distinct(Project(rows.shared(), tuple(made)))

    try:
        return Carrier(ids, domain, context.fresh).carry(found)
    except CannotCarry as error:
        raise Refuse("a subquery reads the row around it inside VALUES", node) from error
    except UnknownOfNothing as unknown:
        raise unknown_of_nothing(unknown, node) from unknown


def unknown_of_nothing(unknown: UnknownOfNothing, node: exp.Expr) -> Refuse:
    return Refuse(f"what {unknown.function} gives for no rows is not known", node)
