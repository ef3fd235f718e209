"""What is said of who can read the folder of a table."""

from __future__ import annotations

from everview.facts.readers import Readers


def test_it_is_said_who_can_read() -> None:
    assert str(Readers()) == "readable by everything"
    assert str(Readers(("timestampNtz",))) == "readers must know the Delta feature timestampNtz"
    has = Readers(("deletionVectors",), 3)
    assert not has.is_everything
    assert str(has) == (
        "has deletion vectors: readers must know the Delta feature deletionVectors (Spark with "
        "Delta, DuckDB, Polars and deltalake's QueryBuilder do, deltalake's to_pandas does not)"
    )
    had = str(Readers(("deletionVectors",)))
    assert had.startswith("had deletion vectors, which its log still names: readers must know")
