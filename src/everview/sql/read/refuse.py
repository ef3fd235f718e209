"""How the binder says that it does not understand something exactly."""

from __future__ import annotations

from sqlglot import exp

from everview.facts.refusals import RefusalKind


class Refuse(Exception):
    """Raised at a node that has no exact meaning in the algebra yet; never leaves this folder."""

    def __init__(self, reason: str, node: exp.Expr, kind: RefusalKind = RefusalKind.UNREAD) -> None:
        super().__init__(reason)
        self.reason = reason
        self.node = node
        self.kind = kind
