"""What is shown of Spark's words."""

from __future__ import annotations

from everview.spark.words import without_hidden

SAID = "`x` cannot be resolved. Did you mean one of the following? [{}]. SQLSTATE: 42703"


def test_hidden_columns_are_not_proposed() -> None:
    proposal = "`id`, `__ev_path`, `t`.`a, b`, `t`.`__ev`.`n`"
    assert without_hidden(SAID.format(proposal), proposal) == SAID.format("`id`, `t`.`a, b`")


def test_where_nothing_else_is_proposed_nothing_is() -> None:
    said = without_hidden(SAID.format("`__ev_path`"), "`__ev_path`")
    assert said == "`x` cannot be resolved. SQLSTATE: 42703"


def test_other_words_stay() -> None:
    assert without_hidden("Some `__ev_path`.", "") == "Some `__ev_path`."
    assert without_hidden(SAID.format("`a`, `__evening`x"), "`a`") == SAID.format(
        "`a`, `__evening`x"
    )
