"""A place among the tokens of one statement, which knows what could have stood there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import NoReturn, TypeVar

from everview.errors import SqlSyntax
from everview.sql.statements.lexer import Token, TokenKind, name_value, string_value
from everview.sql.statements.parts import Name, Slice, place_of

_T = TypeVar("_T")

_LONGEST_FOUND = 30
_NAMES = ("a name", "a column")


class Cursor:
    """Reads forward only. Whatever is asked for and not found is remembered until the next token
    is read, so that a failure names everything that was possible.
    """

    def __init__(self, text: str, tokens: tuple[Token, ...]) -> None:
        self.text = text
        self._tokens = tokens
        self._at = 0
        self._wanted: list[str] = []
        self._name_at = -1  # where the last plain name was read

    # Looking

    def peek(self, ahead: int = 0) -> Token:
        return self._tokens[min(self._at + ahead, len(self._tokens) - 1)]

    @property
    def previous(self) -> Token:
        return self._tokens[max(0, self._at - 1)]

    def is_next(self, *words: str) -> bool:
        """Whether these words stand here."""
        return all(self.peek(i).word == word for i, word in enumerate(words))

    def is_symbol(self, symbol: str, ahead: int = 0) -> bool:
        return self.peek(ahead).is_symbol(symbol)

    def is_name(self, ahead: int = 0) -> bool:
        return self.peek(ahead).kind in (TokenKind.WORD, TokenKind.QUOTED)

    # Reading

    def advance(self) -> Token:
        token = self.peek()
        self._at = min(self._at + 1, len(self._tokens) - 1)
        self._wanted.clear()
        return token

    def want(self, what: str) -> None:
        """Remember what could stand here."""
        if what not in self._wanted:
            self._wanted.append(what)

    def accept(self, *words: str) -> bool:
        """Read the words if they stand here; no word is reserved, so the second decides too."""
        if not self.is_next(*words[:2]):
            self.want(" ".join(words))
            return False
        self.expect(*words)
        return True

    def expect(self, *words: str) -> None:
        for i, word in enumerate(words):
            if not self.is_next(word):
                self.want(" ".join(words[i:]))
                self.fail()
            self.advance()

    def accept_before_name(self, *words: str) -> bool:
        """Read the words if a name follows; else they may be the name themselves."""
        if not self.is_next(*words) or not self.is_name(len(words)):
            self.want(" ".join(words))
            return False
        for _ in words:
            self.advance()
        return True

    def accept_symbol(self, symbol: str) -> bool:
        if not self.is_symbol(symbol):
            self.want(f"`{symbol}`")
            return False
        self.advance()
        return True

    def expect_symbol(self, symbol: str) -> None:
        if not self.accept_symbol(symbol):
            self.fail()

    def end(self) -> None:
        if self.peek().kind is not TokenKind.END:
            self.want("the end of the statement")
            self.fail()

    def part(self, what: str = "a name") -> Name:
        """A name without dots."""
        if not self.is_name():
            self.want(what)
            self.fail()
        if self.peek().text == "``":
            self.error(self.peek(), "A name cannot be empty.")
        plain = self.peek().kind is TokenKind.WORD
        token = self.advance()
        self._name_at = self._at - 1 if plain else -1
        return Name((name_value(token),), token.start, token.end)

    def name(self, what: str = "a name") -> Name:
        parts = [self.part(what)]
        while self.is_symbol("."):
            self.advance()
            parts.append(self.part(what))
        return Name(tuple(p.parts[0] for p in parts), parts[0].start, parts[-1].end)

    def string(self, what: str = "a string") -> str:
        if self.peek().kind is not TokenKind.STRING:
            self.want(what)
            self.fail()
        return string_value(self.advance().text)

    def several(self, read: Callable[[], _T]) -> tuple[_T, ...]:
        """One or more, with commas between."""
        found = [read()]
        while self.accept_symbol(","):
            found.append(read())
        return tuple(found)

    def listed(self, read: Callable[[], _T]) -> tuple[_T, ...]:
        """One or more in parentheses, with commas between."""
        self.expect_symbol("(")
        found = self.several(read)
        self.expect_symbol(")")
        return found

    def column(self) -> Name:
        return self.part("a column")

    def slice_from(self, start: Token) -> Slice:
        """The text from a token up to the last one read."""
        return Slice(self.text[start.start : self.previous.end], start.start, self.text)

    # Failing

    def error(self, token: Token, what: str, remedy: str = "") -> NoReturn:
        raise SqlSyntax(what, where=place_of(self.text, token.start, token.end), remedy=remedy)

    def fail(self, remedy: str = "") -> NoReturn:
        """What stands here is none of what could."""
        found, wanted = self.peek(), list(self._wanted)
        if self._at and self._name_at == self._at - 1 and self.previous.word in wanted:
            # CREATE TABLE AS SELECT 1: the name is missing, and AS was taken for it.
            found, wanted, remedy = self.previous, ["a name"], ""
        phrases = [w.split() for w in wanted if w.isupper()]
        if seconds := [p[1] for p in phrases if p[0] == found.word and len(p) > 1]:
            # REFRESH FULL where REFRESH POLICY could stand: the second word is wrong.
            found, wanted = self.peek(1), seconds
        what = f"Expected {_either(wanted)}, found {shown(found)}."
        self.error(found, what, self._remedy(found, wanted) or remedy)

    def _remedy(self, found: Token, wanted: list[str]) -> str:
        phrases = [w for w in wanted if w.isupper()]
        if guess := nearest(found, [*phrases, *(p.split()[0] for p in phrases)]):
            return f"Did you mean {guess}?"
        if found.kind is TokenKind.STRING and any(w.startswith(_NAMES) for w in wanted):
            return "Names are quoted with back-ticks, strings are no names."
        if found.is_symbol("-") and self._name_at == self._at - 1:
            return "A name with other characters than letters, digits and _ stands in back-ticks."
        return ""


class Once:
    """Clauses in any order, each at most once."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._seen: set[tuple[str, ...]] = set()

    def accept(self, *words: str) -> bool:
        cursor = self._cursor
        if words not in self._seen:
            if cursor.accept(*words):
                self._seen.add(words)
                return True
        elif cursor.is_next(*words[:2]):
            cursor.error(cursor.peek(), f"{' '.join(words)} is given twice.")
        return False


def nearest(token: Token, words: Sequence[str]) -> str:
    """The word that may have been meant, "" if none is near."""
    return next(iter(get_close_matches(token.word, words, n=1, cutoff=0.7)), "")


def _either(wanted: list[str]) -> str:
    *most, last = wanted
    return f"{', '.join(most)} or {last}" if most else last


def shown(token: Token) -> str:
    """The token as a message names it."""
    if not token.text:
        return "the end of the text"
    if token.kind is TokenKind.QUOTED:
        return token.text
    text = token.text.split("\n")[0].rstrip("\r")
    cut = text != token.text or len(text) > _LONGEST_FOUND
    return f"`{text[:_LONGEST_FOUND]}...`" if cut else f"`{text}`"
