"""The kinds of reasons for which a view is recomputed in full."""

from __future__ import annotations

from enum import Enum


class RefusalKind(Enum):
    """What a refusal is about; decided where it is raised, never read off its words."""

    CUT_OFF = "rows are cut off by LIMIT or OFFSET"
    CUT_SOURCE = "a view that is read has a LIMIT"
    CHANGING = "a value changes by itself"
    ONE_WINDOW = "a window over all rows"
    NOT_REPEATING = "old rows need not come out the same"
    TOO_LARGE = "a query of the changes is too large"
    TYPE = "a type that cannot be compared or be a key"
    STAR = "a star that is not understood"
    UNREAD = "a construct that is not understood"
    SPARK_ONLY = "a text that only Spark parses"
    FUNCTION = "a function of the session's catalog"
    OUTSIDE = "a table of the session without versions"
    SETTING = "the text is read under another setting"
    MISREAD = "Spark reads it otherwise"
    UNKNOWN = "recorded without a kind"
