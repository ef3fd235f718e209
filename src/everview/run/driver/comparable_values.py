"""Values in a form in which Arrow finds equal ones as Spark does for stored rows."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa


def is_plain(type_: pa.DataType) -> bool:
    """Whether values are compared as they are."""
    return not (pa.types.is_floating(type_) or pa.types.is_nested(type_))


def comparable_values(values: pa.ChunkedArray) -> pa.Array:
    """The values so that equal means equal as stored: floats by their bits (0.0 and -0.0 differ,
    every NaN is one), nested values by a text of all their parts.
    """
    array = values.combine_chunks()
    if isinstance(array, pa.ChunkedArray):  # of several chunks that do not fit into one
        array = pa.concat_arrays(array.chunks)
    if pa.types.is_floating(array.type):
        return _bits(array)
    if pa.types.is_nested(array.type):
        texts = [None if v is None else _text(v) for v in array.to_pylist()]
        return pa.array(texts, pa.string())
    return array


def _bits(array: pa.Array) -> pa.Array:
    is_null = array.is_null().to_numpy(zero_copy_only=False)
    wide = array.cast(pa.float64()).fill_null(0.0).to_numpy(zero_copy_only=False)
    one_nan = np.where(np.isnan(wide), np.nan, wide)
    return pa.array(one_nan.view(np.int64), mask=is_null)


def _text(value: Any) -> str:
    return json.dumps(value, default=_part, sort_keys=True)


def _part(value: Any) -> Any:
    """Values that JSON does not know, told apart by their type."""
    return [type(value).__name__, repr(value)]
