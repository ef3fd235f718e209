"""Rows of files of which only some count, told by the bits of an array per file."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from everview.facts.checks import FILE_UNKNOWN
from everview.facts.files import Positions

FILE = "__ev_file"
ROW = "__ev_row"
_BITS = "__ev_bits"
_IN_WORD = 64


def selection_table(
    keys: pa.Array, positions: list[Positions], others: Mapping[str, pa.Array]
) -> pa.Table:
    """One row per file: its key, the positions of rows as bits, and other columns.

    Bit n % 64 of number n / 64 is set if row n is among the positions; rows behind the last
    position have no number.
    """
    bits = pa.array([_words(rows) for rows in positions], pa.list_(pa.int64()))
    return pa.table({FILE: keys, _BITS: bits, **others})


def selected_rows(rows: DataFrame, known: DataFrame, kind: str) -> DataFrame:
    """Rows read from files, with the key of their file, whose bit is set ("only") or not
    ("without"); the index of each row and the columns of the one row per file come along.
    """
    placed = rows.withColumn(ROW, row_index())
    return placed.join(F.broadcast(known), FILE, "left").where(_is_kept(kind))


def row_index() -> Column:
    """The index of a row in the file that it is read from, counted from zero."""
    return F.col("_metadata.row_index")


def _is_kept(kind: str) -> Column:
    """Whether the bit of a row says that it counts. A file that is not among those asked for must
    not pass for one without deleted rows.
    """
    word = F.get(F.col(_BITS), F.shiftright(ROW, 6).cast("int"))
    bit = F.coalesce(F.getbit(word, F.col(ROW).bitwiseAND(63).cast("int")), F.lit(0))
    unknown = F.raise_error(F.lit(FILE_UNKNOWN.raised)).cast("int")
    return F.when(F.col(_BITS).isNull(), unknown).otherwise(bit) == (1 if kind == "only" else 0)


def _words(rows: Positions) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    if not rows:
        return np.zeros(0, np.int64)
    flags = np.zeros((rows.max() // _IN_WORD + 1) * _IN_WORD, np.uint8)
    flags[np.asarray(rows.to_array(), np.int64)] = 1
    return np.packbits(flags, bitorder="little").view("<i8")
