"""Spark's dialect for sqlglot, used only to parse and print, with function calls kept verbatim."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlglot.dialects.spark import Spark

# Calls whose arguments are not a plain list; every other function is kept by name and arguments.
_SPECIAL_FORMS = ("CAST", "TRY_CAST", "EXTRACT", "POSITION", "TRIM", "SUBSTRING", "OVERLAY")


class EverviewSpark(Spark):
    """Spark SQL as written: sqlglot's own function table would change some calls in silence."""

    class Parser(Spark.Parser):  # type: ignore[misc, valid-type]
        FUNCTIONS: ClassVar[dict[str, Any]] = {}
        FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
            name: parser
            for name, parser in Spark.Parser.FUNCTION_PARSERS.items()
            if name in _SPECIAL_FORMS
        }
