"""What random cases met, and whether it is what they are for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

ENOUGH = 50  # cases from which on the shares are asked for


@dataclass
class Counts:
    """Counts over all cases of a run."""

    of: Counter[str] = field(default_factory=Counter)
    full: Counter[str] = field(default_factory=Counter)  # by reason
    kinds: Counter[str] = field(default_factory=Counter)  # constructs of the views that were played
    strategies: Counter[str] = field(default_factory=Counter)

    def refused(self, reason: str) -> None:
        self.full[re.sub(r"\d+", "N", reason)] += 1

    def share(self, part: str, whole: str) -> float:
        return self.of[part] / max(1, self.of[whole])

    def missed(self) -> Iterator[str]:
        """What there was too little of, over the cases of a long run."""
        for part, whole, least, most in BIASES:
            found = self.share(part, whole)
            if not least <= found <= most:
                yield f"{part}: {found:.0%} of {whole}, should be {least:.0%} to {most:.0%}"
        for oracle in ORACLES:
            if not self.of[oracle]:
                yield f"never asked: {oracle}"

    def lines(self) -> Iterator[str]:
        """The counts as a person reads them."""
        yield ", ".join(f"{n} {what}" for what, n in sorted(self.of.items()))
        yield "refreshes: " + ", ".join(f"{n} {s}" for s, n in self.strategies.most_common())
        yield f"views not incremental: {sum(self.full.values())}"
        yield from (f"{n:>5} {reason}" for reason, n in self.full.most_common())
        yield "in incremental views: " + ", ".join(f"{k} {n}" for k, n in self.kinds.most_common())


BIASES = (
    ("refreshes of two or more changed tables", "refreshes", 0.3, 1.0),
    ("refreshes that changed the view", "refreshes", 0.5, 1.0),
    ("tables with duplicates", "tables", 0.35, 0.75),
    ("nullable keys", "keys", 0.2, 0.5),
    ("empty tables", "tables", 0.02, 0.5),
    ("views played", "cases", 0.5, 1.0),
)
ORACLES = (
    "two refreshes are one",
    "the reverse restores",
    "nothing commits nothing",
    "three parts are the whole",
    "everything deleted",
)
