"""Where the archive of Spark's classes is, who makes it, and when there is none."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from everview.settings import Settings
from everview.spark.class_archive import ClassArchive, find_archive, is_plain_spark, remove_unused
from everview.spark.java import Java
from everview.spark.java_options import added_to, makes_archive

HEAD = b"\xa8\xba\x0b\xf0"
MONTHS = 90 * 24 * 3600


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A Spark with jars."""
    (tmp_path / "spark" / "jars").mkdir(parents=True)
    return tmp_path / "spark"


def a_java(tmp_path: Path, build: str = "17.0.1", *, default: bool = True) -> Java:
    server = tmp_path / "runtime" / "lib" / "server"
    server.mkdir(parents=True, exist_ok=True)
    if default:
        (server / "classes.jsa").touch()
    return Java("home", 17, "PATH", str(tmp_path / "runtime"), build)


def found(tmp_path: Path, home: Path, build: str = "17.0.1") -> ClassArchive:
    environ = {"HOME": str(tmp_path)}
    archive = find_archive(a_java(tmp_path, build), str(home), Settings(), environ)
    assert archive is not None
    return archive


def test_the_first_run_makes_it_and_the_next_uses_it(tmp_path: Path, home: Path) -> None:
    archive = found(tmp_path, home)
    assert archive.folder == tmp_path / ".cache" / "everview"
    assert archive.options(make=True)[-1] == f"-XX:ArchiveClassesAtExit={archive.part}"
    archive.part.write_bytes(HEAD)
    assert archive.options(make=True)[-1] == f"-XX:SharedArchiveFile={archive.path}"
    assert list(archive.folder.iterdir()) == [archive.path]


def test_a_notebook_uses_it_and_does_not_make_it(tmp_path: Path, home: Path) -> None:
    archive = found(tmp_path, home)
    assert archive.options(make=False) == ()
    archive.part.write_bytes(HEAD)
    assert archive.options(make=False)[-1] == f"-XX:SharedArchiveFile={archive.path}"


def test_what_java_is_still_writing_is_left_alone(tmp_path: Path, home: Path) -> None:
    archive = found(tmp_path, home)
    archive.options(make=True)
    archive.part.write_bytes(bytes(100))
    assert archive.options(make=True) == ()
    assert archive.part.exists()


def test_an_archive_that_was_cut_off_is_made_anew(tmp_path: Path, home: Path) -> None:
    archive = found(tmp_path, home)
    archive.part.write_bytes(HEAD + bytes(100))
    assert archive.options(make=False)
    cut_off = archive.path
    assert cut_off is not None
    cut_off.write_bytes(HEAD)
    assert archive.options(make=True)[-1] == f"-XX:ArchiveClassesAtExit={archive.part}"
    assert not cut_off.exists()


def test_of_several_programs_one_makes_it(tmp_path: Path, home: Path) -> None:
    archive = found(tmp_path, home)
    with ThreadPoolExecutor(8) as pool:
        options = list(pool.map(lambda _: archive.options(make=True), range(8)))
    assert sum(map(bool, options)) == 1


def test_after_an_hour_another_program_tries(tmp_path: Path, home: Path) -> None:
    archive = found(tmp_path, home)
    assert archive.options(make=True)
    assert not archive.options(make=True)
    hours_ago = time.time() - 2 * 3600
    os.utime(archive.claim, (hours_ago, hours_ago))
    assert archive.options(make=True)
    assert not archive.options(make=True)


def test_each_java_and_each_installed_spark_has_its_own(tmp_path: Path, home: Path) -> None:
    first = found(tmp_path, home)
    assert found(tmp_path, home) == first
    assert found(tmp_path, home, build="17.0.2").key != first.key
    os.utime(home / "jars", (1, 1))
    assert found(tmp_path, home).key != first.key


def test_a_java_without_an_archive_of_its_own_classes_gets_one(tmp_path: Path, home: Path) -> None:
    java = a_java(tmp_path, default=False)
    command = tmp_path / "runtime" / "bin" / "java"
    command.parent.mkdir()
    command.write_text('#!/bin/sh\n: > "${2#-XX:SharedArchiveFile=}"\n')
    command.chmod(0o755)
    archive = find_archive(java, str(home), Settings(), {"HOME": str(tmp_path)})
    assert archive is not None
    *_, base, made = archive.options(make=True)
    assert base == f"-XX:SharedArchiveFile={archive.base}"
    assert archive.base is not None
    assert made == f"-XX:ArchiveClassesAtExit={archive.part}"
    archive.part.write_bytes(HEAD)
    assert archive.options(make=True)[-1] == f"-XX:SharedArchiveFile={archive.base}:{archive.path}"
    base_file = archive.base
    assert base_file is not None
    base_file.unlink()
    assert archive.options(make=True)[-1] == made, "what stood on it is made anew"


def test_a_java_that_cannot_archive_its_classes_starts_without(tmp_path: Path, home: Path) -> None:
    java = a_java(tmp_path, default=False)  # there is no program at all
    archive = find_archive(java, str(home), Settings(), {"HOME": str(tmp_path)})
    assert archive is not None
    assert archive.options(make=True) == ()


@pytest.mark.parametrize("settings", [Settings(class_archive="off"), Settings(memory="40g")])
def test_none_is_made(tmp_path: Path, home: Path, settings: Settings) -> None:
    environ = {"HOME": str(tmp_path)}
    assert find_archive(a_java(tmp_path), str(home), settings, environ) is None


def test_a_path_that_no_option_can_hold_is_passed_over(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    environ = {"HOME": str(tmp_path / "with blank")}
    archive = find_archive(a_java(tmp_path), str(home), Settings(), environ)
    assert archive is not None
    assert archive.folder == tmp_path / f"everview-{os.getuid()}"


def test_a_folder_that_cannot_be_written_is_passed_over(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "file").touch()
    environ = {"HOME": str(tmp_path / "file")}
    archive = find_archive(a_java(tmp_path), str(home), Settings(), environ)
    assert archive is not None
    assert archive.folder == tmp_path / f"everview-{os.getuid()}"


def test_an_archive_that_others_could_have_written_is_not_read(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    shared = tmp_path / f"everview-{os.getuid()}"
    shared.mkdir()
    shared.chmod(0o777)
    assert find_archive(a_java(tmp_path), str(home), Settings(), {}) is None


def test_archives_that_nobody_uses_go(tmp_path: Path) -> None:
    old, new = tmp_path / "spark-1.jsa", tmp_path / "spark-2.jsa"
    for file in (old, new):
        file.touch()
    os.utime(old, (time.time() - MONTHS, time.time() - MONTHS))
    remove_unused(tmp_path)
    assert [f.name for f in tmp_path.iterdir()] == [new.name]


def test_a_spark_with_options_of_the_users_is_left_as_it_is(home: Path, tmp_path: Path) -> None:
    assert is_plain_spark(str(home), {})
    assert not is_plain_spark(str(home), {"JAVA_TOOL_OPTIONS": "-XX:+UseZGC"})
    conf = tmp_path / "conf"
    conf.mkdir()
    assert is_plain_spark(str(home), {"SPARK_CONF_DIR": str(conf)})
    (conf / "spark-defaults.conf").touch()
    assert not is_plain_spark(str(home), {"SPARK_CONF_DIR": str(conf)})


def test_options_stand_in_the_environment_for_a_while() -> None:
    environ = {"A": "theirs"}
    with added_to(environ, {"A": ("-x", "-y"), "B": ("-z",)}):
        assert environ == {"A": "-x -y theirs", "B": "-z"}
    assert environ == {"A": "theirs"}


def test_options_say_whether_an_archive_is_made(tmp_path: Path, home: Path) -> None:
    archive = found(tmp_path, home)
    assert makes_archive({"SPARK_SUBMIT_OPTS": archive.options(make=True)})
    archive.part.write_bytes(HEAD)
    assert not makes_archive({"SPARK_SUBMIT_OPTS": archive.options(make=True)})
    assert not makes_archive({})
