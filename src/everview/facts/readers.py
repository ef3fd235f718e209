"""Who can read the folder of a table: what its readers must know."""

from __future__ import annotations

from dataclasses import dataclass

READS_VECTORS = "deletionVectors"
_KNOWN_TO = (
    "Spark with Delta, DuckDB, Polars and deltalake's QueryBuilder do, deltalake's to_pandas does "
    "not"
)


@dataclass(frozen=True, slots=True)
class Readers:
    """What readers of a Delta table must know: features by name, and how many rows its deletion
    vectors mark now.
    """

    features: tuple[str, ...] = ()
    marked_rows: int = 0

    @property
    def is_everything(self) -> bool:
        """Whether every reader of Delta tables can read it."""
        return not self.features

    def __str__(self) -> str:
        if READS_VECTORS in self.features:
            return self._with_vectors()
        must = f"readers must know the Delta feature {', '.join(self.features)}"
        return must if self.features else "readable by everything"

    def _with_vectors(self) -> str:
        must = f"readers must know the Delta feature {', '.join(self.features)} ({_KNOWN_TO})"
        if self.marked_rows:
            return f"has deletion vectors: {must}"
        return f"had deletion vectors, which its log still names: {must}"


EVERYTHING = Readers()
