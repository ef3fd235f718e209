"""The tables that the binder's and writer's tests read."""

from __future__ import annotations

import json

from everview.facts.schema import Field, Schema

POINT = json.dumps(
    {"type": "struct", "fields": [{"name": "x", "type": "long", "nullable": True, "metadata": {}}]}
)

SOURCES = {
    "t": Schema((Field("a", "long"), Field("b", "string"))),
    "u": Schema((Field("a", "long"), Field("c", "double"), Field("p", POINT))),
    "odd": Schema((Field("a b", "long"), Field("x`y", "long"), Field("{z}", "string"))),
}
