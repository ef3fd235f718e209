"""Choices that hypothesis makes and shrinks: to False, to the first option, to fewer parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from hypothesis import strategies as st

_T = TypeVar("_T")
_PERCENT = st.integers(0, 99)


class Choices:
    """Draws, remembers which constructs were met, and gives names that are used once."""

    def __init__(self, draw: st.DrawFn, *, plain: bool) -> None:
        self._draw = draw
        self.room = 0  # how many relations may still be named
        self.plain = plain  # only scalars that `algebra.scalar_meaning` understands
        self.kinds: set[str] = set()
        self._names = 0

    def met(self, kind: str) -> None:
        self.kinds.add(kind)

    def chance(self, percent: int) -> bool:
        return self._draw(_PERCENT) >= 100 - percent

    def pick(self, options: Sequence[_T]) -> _T:
        return self._draw(st.sampled_from(options))

    def weighted(self, options: Iterable[tuple[int, _T]]) -> _T:
        """One of the options, each as often as its weight says; the simplest comes first."""
        some = [(weight, option) for weight, option in options if weight > 0]
        at = self._draw(st.integers(0, sum(weight for weight, _ in some) - 1))
        for weight, option in some:
            at -= weight
            if at < 0:
                return option
        raise AssertionError(at)

    def some(self, make: Callable[[], _T], low: int, high: int, more: int = 50) -> list[_T]:
        """From low to high parts; after each one `more` percent decide on another."""
        made: list[_T] = []
        while len(made) < low or (len(made) < high and self.chance(more)):
            made.append(self.part(make))
        return made

    def part(self, make: Callable[[], _T]) -> _T:
        """What `make` makes, as one part that can be left out or moved when an example shrinks."""
        return self._draw(st.none().map(lambda _: make()))

    def shuffled(self, options: Sequence[_T]) -> list[_T]:
        return self._draw(st.permutations(list(options)))

    def name(self, prefix: str) -> str:
        self._names += 1
        return f"{prefix}{self._names}"
