"""Statements that take care of files: OPTIMIZE and VACUUM."""

from __future__ import annotations

from everview.sql.statements.cursor import Cursor, Once
from everview.sql.statements.lexer import TokenKind
from everview.sql.statements.questions import accept_stored
from everview.sql.statements.values import Optimize, Vacuum


def optimize(cursor: Cursor) -> Optimize:
    """What follows OPTIMIZE."""
    return Optimize(accept_stored(cursor), cursor.name())


def vacuum(cursor: Cursor) -> Vacuum:
    """What follows VACUUM; alone it is about everything."""
    if cursor.peek().kind is TokenKind.END:
        return Vacuum(None, None, None, force=False, dry_run=False)
    kind, name = accept_stored(cursor), cursor.name()
    once = Once(cursor)
    hours: float | None = None
    force, dry_run = False, False
    while True:
        if once.accept("RETAIN"):
            hours = _number(cursor)
            cursor.expect("HOURS")
        elif once.accept("FORCE"):
            force = True
        elif once.accept("DRY", "RUN"):
            dry_run = True
        else:
            return Vacuum(kind, name, hours, force, dry_run)


def _number(cursor: Cursor) -> float:
    token = cursor.peek()
    if token.kind is not TokenKind.NUMBER or not token.text.replace(".", "", 1).isdecimal():
        cursor.want("a number")
        cursor.fail()
    return float(cursor.advance().text)
