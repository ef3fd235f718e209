"""Every refresh script of the folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.scripts.run import Run
from tests.scripts.script import Script, expected, read_scripts

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FILES = sorted((Path(__file__).parent / "cases").glob("*.script"))
# Known to fail: whoever mends it is told to take the word away.
OPEN = pytest.mark.xfail(reason="not mended yet")
SCRIPTS = [
    pytest.param(s, id=f"{f.stem}: {s.title}", marks=[OPEN] if s.title.startswith("open: ") else [])
    for f in FILES
    for s in read_scripts(f)
]


@pytest.mark.parametrize("script", SCRIPTS)
def test_script(script: Script, spark: SparkSession, tmp_path: Path) -> None:
    Run(spark, tmp_path).run(script)


def test_a_script_is_read_as_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "some.script"
    path.write_text(
        "# about\n=== one\nTABLE t (a INT, b INT)\n  (1, 2)\n  (3, 4)  # four\n"
        "REFRESH v incremental: groups +1 -2\n  (nothing)\n\n=== two\nCOMPACT t\n"
    )
    one, two = read_scripts(path)
    assert (one.title, two.title) == ("one", "two")
    assert [s.verb for s in one.steps] == ["TABLE", "REFRESH"]
    assert one.steps[0].lines == ("(1, 2)", "(3, 4)")
    said = expected(one.steps[1])
    assert (said.strategy, said.counts, said.rows) == (
        "incremental: groups",
        {"+": 1, "-": 2},
        (),
    )


def test_a_script_that_changes_nothing_fails(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "idle.script"
    path.write_text(
        "=== idle\nTABLE t (a INT)\n  (1)\nVIEW v\n  SELECT a FROM t WHERE a % 2 = 0\n"
        "APPEND t\n  (3)\nREFRESH v incremental\n"
    )
    (script,) = read_scripts(path)
    with pytest.raises(AssertionError, match="no refresh of 'idle' changed a view"):
        Run(spark, tmp_path).run(script)
