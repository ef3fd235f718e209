"""What doctor asks of the machine, as one value."""

from __future__ import annotations

import os
import platform
import re
import shutil
import socket
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from everview.errors import NoJava
from everview.settings import Settings
from everview.spark.java import find_java, in_java_home, on_path

PACKAGES = ("pyspark", "deltalake", "pyarrow", "sqlglot", "pandas", "numpy")
# What a shell may have set for another Spark, and which this one would follow.
VARIABLES = ("SPARK_HOME", "SPARK_CONF_DIR", "PYSPARK_SUBMIT_ARGS", "SPARK_REMOTE")
_CGROUP = Path("/sys/fs/cgroup")
_MEMINFO = Path("/proc/meminfo")


@dataclass(frozen=True, slots=True)
class Package:
    """An installed package, None if it is missing, and the versions that Everview takes."""

    name: str
    version: str | None
    wanted: str


@dataclass(frozen=True, slots=True)
class JavaFound:
    """The Java that Spark would get, or why there is none; and what was passed over."""

    version: int | None
    origin: str = ""
    home: str = ""
    passed_over: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Disk:
    """A folder, the bytes free on its disk, and why it cannot be written, if so."""

    path: str
    free: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Machine:
    """Everything that decides whether Spark starts here."""

    everview: str
    python: str
    system: str
    packages: tuple[Package, ...]
    java: JavaFound
    settings: Settings
    cores: int
    memory_total: int | None
    memory_free: int | None
    temp: Disk
    warehouse: Disk | None = None
    loopback: str = ""  # why 127.0.0.1 cannot be used
    variables: Mapping[str, str] = field(default_factory=dict)


def machine(environ: Mapping[str, str], warehouse: str | None) -> Machine:
    """Ask the machine."""
    total, free = memory()
    is_local = warehouse is not None and "://" not in warehouse
    return Machine(
        everview=metadata.version("everview"),
        python=platform.python_version(),
        system=f"{platform.system()} {platform.machine()}",
        packages=packages(),
        java=java_found(environ),
        settings=Settings.from_environ(environ),
        cores=cores(),
        memory_total=total,
        memory_free=free,
        temp=disk(tempfile.gettempdir()),
        warehouse=disk(warehouse) if warehouse is not None and is_local else None,
        loopback=_loopback(),
        variables={n: environ[n] for n in VARIABLES if environ.get(n)},
    )


def packages() -> tuple[Package, ...]:
    """The packages that Everview stands on."""
    requirements = metadata.requires("everview") or []
    return tuple(Package(name, _version(name), _wanted(name, requirements)) for name in PACKAGES)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _wanted(name: str, requirements: list[str]) -> str:
    """The bounds of the requirement of that name: `<4.4,>=4.0`."""
    for requirement in requirements:
        found = re.fullmatch(rf"{name}\s*([<>=!~][^;\[]*)?", requirement)
        if found:
            return (found.group(1) or "").strip()
    return ""


def java_found(environ: Mapping[str, str]) -> JavaFound:
    """The Java that Spark would get, and the reasons against those before it."""
    try:
        java = find_java(environ)
    except NoJava as error:
        return JavaFound(None, passed_over=tuple(error.what.split("\n  ")))
    looks = {"JAVA_HOME": in_java_home, "PATH": on_path}
    before = list(looks)[: [*looks, "bundled"].index(java.origin)]
    over = (str(looks[origin](environ)) for origin in before)
    return JavaFound(java.version, java.origin, java.home, tuple(over))


def cores() -> int:
    """The cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def memory() -> tuple[int | None, int | None]:
    """Total and available bytes, within the limit of the container if there is one."""
    total, free = _meminfo(_MEMINFO.read_text()) if _MEMINFO.exists() else (_physical(), None)
    limit, used = _number(_CGROUP / "memory.max"), _number(_CGROUP / "memory.current")
    if limit is None or total is None or limit >= total:
        return total, free
    left = limit - (used or 0)
    return limit, left if free is None else min(left, free)


def _meminfo(text: str) -> tuple[int | None, int | None]:
    found = {n: int(kb) * 1024 for n, kb in re.findall(r"^(\w+):\s+(\d+) kB$", text, re.MULTILINE)}
    return found.get("MemTotal"), found.get("MemAvailable")


def _physical() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return None


def _number(file: Path) -> int | None:
    try:
        text = file.read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdecimal() else None


def disk(path: str) -> Disk:
    """The disk of a folder, or of the nearest one above it that exists."""
    folder = Path(path).absolute()
    while not folder.exists():
        folder = folder.parent
    problem = "" if os.access(folder, os.W_OK | os.X_OK) else f"{folder} cannot be written"
    return Disk(path, shutil.disk_usage(folder).free, problem)


def _loopback() -> str:
    try:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
    except OSError as error:
        return error.strerror or str(error)
    return ""
