"""Settings come from a value or the environment; what does not fit is refused by its name."""

from __future__ import annotations

from dataclasses import fields

import pytest

from everview.errors import InvalidArgument
from everview.settings import PREFIX, Settings


def test_without_variables_the_defaults_hold() -> None:
    assert Settings.from_environ({"HOME": "/x", "EVERVIEW_WAREHOUSE": "shop"}) == Settings()


def test_every_setting_has_a_variable_and_a_sentence() -> None:
    given = {
        "policy": "full",
        "memory": "512m",
        "cores": "3",
        "parallel_refreshes": "2",
        "compare_bytes": "0",
        "retention_hours": "1.5",
        "sample_rows": "9",
        "passes_off": " join_order, small_sides,",
        "class_archive": "off",
        "merge_on_read": "Never",
        "time_zone": "Europe/Berlin",
    }
    found = Settings.from_environ({PREFIX + n.upper(): text for n, text in given.items()})
    assert found == Settings(
        policy="FULL",
        memory="512m",
        cores=3,
        parallel_refreshes=2,
        compare_bytes=0,
        retention_hours=1.5,
        sample_rows=9,
        passes_off=("join_order", "small_sides"),
        class_archive="off",
        merge_on_read="never",
        time_zone="Europe/Berlin",
    )
    assert {f.name for f in fields(Settings)} == set(given)
    assert all(f.metadata["doc"].endswith(".") for f in fields(Settings))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("policy", "SOMETIMES"),
        ("merge_on_read", "always"),
        ("memory", "lots"),
        ("cores", "-1"),
        ("cores", "two"),
        ("retention_hours", "-0.5"),
        ("sample_rows", "1.5"),
        ("class_archive", "maybe"),
        ("time_zone", "Europe/Atlantis"),
        ("time_zone", "../zone"),
    ],
)
def test_what_does_not_fit_is_named(name: str, text: str) -> None:
    with pytest.raises(InvalidArgument, match=f"{name}|{name.upper()}"):
        Settings.from_environ({PREFIX + name.upper(): text})


def test_the_text_form_has_a_line_per_setting() -> None:
    assert str(Settings()).splitlines()[1].split() == ["memory", "2g"]
    assert ["passes_off", "-"] in [line.split() for line in str(Settings()).splitlines()]


def test_names_are_given_as_a_tuple() -> None:
    with pytest.raises(InvalidArgument, match="passes_off"):
        Settings(passes_off="join_order")  # type: ignore[arg-type]
