"""Spark's classes as an archive that Java maps at its start, instead of reading them from jars."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from everview.settings import Settings
from everview.spark.cache import cache_folders
from everview.spark.java import Java

MAKES = "-XX:ArchiveClassesAtExit="
# What puts more on the class path or gives Java other options: an archive made without it would
# not fit, and one made with it may not be possible.
_OTHERWISE = (
    "HADOOP_CONF_DIR", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "PYSPARK_SUBMIT_ARGS",
    "SPARK_DIST_CLASSPATH", "SPARK_SUBMIT_OPTS", "YARN_CONF_DIR", "_JAVA_OPTIONS",
)  # fmt: skip
# A larger heap has wider references, for which Java lays out classes in another way.
_MOST_GIGABYTES = 30
# These stand in an option as they are; a colon or a blank would end the path there.
_PLAIN_PATH = re.compile(r"[\w./@+-]+")
_DUMP_SECONDS = 60
# So long one program has to make the archive before another tries.
_CLAIM_SECONDS = 3600
# An archive that was not used for so long belongs to a Spark or Java that is gone.
_UNUSED_SECONDS = 30 * 24 * 3600


@dataclass(frozen=True, slots=True)
class ClassArchive:
    """The place of the archive for one Java and one Spark; `key` differs where they do."""

    folder: Path
    key: str
    java: Java
    class_path: tuple[Path, ...]

    @property
    def part(self) -> Path:
        """What Java writes at its end: complete when it begins with the mark of its kind."""
        return self.folder / f"spark-{self.key}.part"

    @property
    def claim(self) -> Path:
        """Here since a program has begun to make the archive."""
        return self.folder / f"spark-{self.key}.claim"

    @property
    def path(self) -> Path | None:
        """The archive itself, once it is made."""
        return _whole_file(self.folder, f"spark-{self.key}")

    @property
    def base(self) -> Path | None:
        """Java's own classes, on which the archive stands; of a Java that comes without them."""
        return _whole_file(self.folder, f"java-{self.key}")

    def options(self, *, make: bool) -> tuple[str, ...]:
        """The options by which Java uses the archive, else those by which it makes one if `make`;
        none where it cannot. Whatever the files are, Java starts.
        """
        try:
            self._adopt()
            base, path = self.base, self.path
            if path is not None and (base is not None or self._has_default()):
                files = (path,) if base is None else (base, path)
                _touch(files)
                return (*self._classes(), *_using(*files))
            if make and self._is_claimed_now():
                remove_unused(self.folder)
                bases = () if self._has_default() else (base or self._dumped_base(),)
                return (*self._classes(), *_using(*bases), f"{MAKES}{self.part}")
        except (OSError, subprocess.SubprocessError):
            pass  # without an archive Spark starts as well, only later
        return ()

    def _classes(self) -> tuple[str, ...]:
        return ("-cp", ":".join(map(str, self.class_path)))

    def _has_default(self) -> bool:
        return Path(self.java.runtime, "lib", "server", "classes.jsa").exists()

    def _adopt(self) -> None:
        """Take what an earlier Java wrote; its head is written last, until then it is zeros."""
        with contextlib.suppress(FileNotFoundError):
            with self.part.open("rb") as file:
                is_complete = any(file.read(4))
            if is_complete:
                _keep_whole(self.part, f"spark-{self.key}")
                self.claim.unlink(missing_ok=True)

    def _is_claimed_now(self) -> bool:
        """Whether this program is the one that makes it."""
        try:
            os.close(os.open(self.claim, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            if _age(self.claim) < _CLAIM_SECONDS:
                return False
            os.utime(self.claim)
        return True

    def _dumped_base(self) -> Path:
        made = self.folder / f"java-{self.key}.{os.getpid()}"
        java = Path(self.java.runtime, "bin", "java")
        subprocess.run(
            [java, "-Xshare:dump", f"-XX:SharedArchiveFile={made}"],
            check=True,
            capture_output=True,
            timeout=_DUMP_SECONDS,
        )
        return _keep_whole(made, f"java-{self.key}")


def _using(*archives: Path) -> tuple[str, ...]:
    """Java compares the archives with the sums in them: a damaged one would end it later."""
    files = ":".join(map(str, archives))
    named = ("-XX:+VerifySharedSpaces", f"-XX:SharedArchiveFile={files}") if archives else ()
    return ("-Xshare:auto", "-Xlog:cds*=off", *named)


def _keep_whole(file: Path, stem: str) -> Path:
    """Give a complete file its name, in which its size stands."""
    kept = file.with_name(f"{stem}-{file.stat().st_size}.jsa")
    os.replace(file, kept)
    return kept


def _whole_file(folder: Path, stem: str) -> Path | None:
    """The file of that name that has its size; one that was cut off, at which Java would end, is
    removed.
    """
    for file in folder.glob(f"{stem}-*.jsa"):
        if file.stem == f"{stem}-{file.stat().st_size}":
            return file
        file.unlink(missing_ok=True)
    return None


def is_plain_spark(spark_home: str, environ: Mapping[str, str]) -> bool:
    """Whether nobody has set options of Java or put more on the class path of Spark."""
    if any(environ.get(name) for name in _OTHERWISE):
        return False
    folder = _conf_folder(spark_home, environ)
    return not (folder.is_dir() and any(folder.iterdir()))


def find_archive(
    java: Java, spark_home: str, settings: Settings, environ: Mapping[str, str]
) -> ClassArchive | None:
    """The place of the archive for a plain Spark, None where there can be none or it is off."""
    if settings.class_archive == "off" or _gigabytes(settings.memory) > _MOST_GIGABYTES:
        return None
    for folder in cache_folders(environ):
        with contextlib.suppress(OSError):
            folder.make()
            class_path = _class_path(spark_home, environ)
            key = _key(java, spark_home, class_path)
            archive = ClassArchive(folder.path, key, java, class_path)
            if _is_of_use(archive):
                return archive
    return None


def remove_unused(folder: Path) -> None:
    """Remove the archives in a folder that have not been used for a month."""
    for pattern in ("spark-*.*", "java-*.*"):
        for file in folder.glob(pattern):
            if _age(file) > _UNUSED_SECONDS:
                file.unlink(missing_ok=True)


def _is_of_use(archive: ClassArchive) -> bool:
    if not all(_PLAIN_PATH.fullmatch(str(path)) for path in (archive.folder, *archive.class_path)):
        return False
    return archive.path is not None or os.access(archive.folder, os.W_OK | os.X_OK)


def _class_path(spark_home: str, environ: Mapping[str, str]) -> tuple[Path, ...]:
    """The class path that Spark's launcher gives, with each jar once.

    The launcher names the jar of slf4j first and then all jars, that one again. Java 21 keeps a
    repeated jar once in an archive and then finds that the class path it runs with is another.
    Of two class paths Java takes the later, and ours comes after the launcher's.
    """
    jars = sorted(Path(spark_home, "jars").glob("*.jar"), key=_order_of_jar)
    return (_conf_folder(spark_home, environ), *jars)


def _order_of_jar(jar: Path) -> tuple[bool, str]:
    return not jar.name.startswith("slf4j-api-"), jar.name


def _conf_folder(spark_home: str, environ: Mapping[str, str]) -> Path:
    """Spark's folder of settings, which is on the class path and may hold options of Java."""
    return Path(environ.get("SPARK_CONF_DIR") or Path(spark_home, "conf"))


def _key(java: Java, spark_home: str, class_path: tuple[Path, ...]) -> str:
    """Differs with Java, with Spark, and after Spark was installed anew in the same place."""
    installed = Path(spark_home, "jars").stat().st_mtime_ns
    parts = (java.runtime, java.build, str(installed), *map(str, class_path))
    return sha256("\0".join(parts).encode()).hexdigest()[:12]


def _gigabytes(memory: str) -> float:
    number = int(memory[:-1])
    return number if memory[-1] in "gG" else number / 1024


def _touch(files: tuple[Path, ...]) -> None:
    """Note that they are used, where they may be changed."""
    with contextlib.suppress(PermissionError):
        for file in files:
            os.utime(file)


def _age(file: Path) -> float:
    return time.time() - file.stat().st_mtime
