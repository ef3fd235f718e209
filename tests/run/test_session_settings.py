"""What is asked of Spark and told to it when settings change, and what is remembered instead."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from pyspark.errors import PySparkException

from everview.spark.engine import ALWAYS, SMALL, Engine, whole
from everview.spark.session_settings import OwnSettings, changed_settings

FIRST = {"partitions": "200", "zone": "UTC"}
UNKNOWN = "unknown"


class Session:
    """A Spark session that has nothing but settings and notes every call."""

    version = "4.1.0"

    def __init__(self, values: dict[str, str]) -> None:
        self.values = dict(values)
        self.calls: list[tuple[str, ...]] = []
        self.made: list[Session] = []
        self.conf = SimpleNamespace(get=self._get, set=self._set, unset=self._unset)

    def newSession(self) -> Session:  # noqa: N802
        self.made.append(Session(FIRST))
        return self.made[-1]

    def _get(self, key: str, default: str | None) -> str | None:
        self.calls.append(("get", key))
        return self.values.get(key, default)

    def _set(self, key: str, value: str) -> None:
        self.calls.append(("set", key, value))
        if key == UNKNOWN:
            raise PySparkException("no such setting")
        self.values[key] = value

    def _unset(self, key: str) -> None:
        self.calls.append(("unset", key))
        del self.values[key]


@pytest.fixture
def session() -> Session:
    return Session(FIRST)


@pytest.fixture
def own(session: Session) -> OwnSettings:
    return OwnSettings(cast(Any, session))


@pytest.fixture
def engine() -> Engine:
    return Engine(cast(Any, Session({})))


def test_a_setting_is_asked_once_and_sent_once(session: Session, own: OwnSettings) -> None:
    for _ in range(3):
        with own.changed({"partitions": "2", "zone": "UTC"}):
            assert session.values == {"partitions": "2", "zone": "UTC"}
    assert session.calls == [("get", "partitions"), ("set", "partitions", "2"), ("get", "zone")]


def test_what_nobody_wants_any_more_is_as_it_was(session: Session, own: OwnSettings) -> None:
    with own.changed({"zone": "Asia/Tokyo", "new": "1"}):
        assert session.values == {"partitions": "200", "zone": "Asia/Tokyo", "new": "1"}
    with own.changed({"partitions": "2"}):
        assert session.values == {"partitions": "2", "zone": "UTC"}


def test_the_user_around_has_his_settings_again(session: Session, own: OwnSettings) -> None:
    with own.changed({"partitions": "2"}):
        with own.changed({"partitions": "5", "zone": "Asia/Tokyo"}):
            assert session.values == {"partitions": "5", "zone": "Asia/Tokyo"}
            own.restore()
            assert session.values["partitions"] == "5", "they are in use"
        assert session.values == {"partitions": "2", "zone": "UTC"}
    own.restore()
    assert session.values == FIRST


def test_an_error_inside_leaves_the_next_user_what_he_wants(
    session: Session, own: OwnSettings
) -> None:
    with pytest.raises(ZeroDivisionError), own.changed({"zone": "Asia/Tokyo"}):
        raise ZeroDivisionError
    with own.changed({}):
        assert session.values == FIRST


def test_what_spark_does_not_know_is_tried_once(session: Session, own: OwnSettings) -> None:
    for _ in range(2):
        with own.changed({UNKNOWN: "1", "partitions": "2"}):
            assert session.values == {"partitions": "2", "zone": "UTC"}
    assert session.calls.count(("set", UNKNOWN, "1")) == 1


def test_an_interrupt_while_it_is_sent_leaves_it_unknown(
    session: Session, own: OwnSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(key: str, value: str) -> None:
        session.values[key] = value
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(session.conf, "set", interrupted)
        with pytest.raises(KeyboardInterrupt), own.changed({"partitions": "2"}):
            pass
    with own.changed({"zone": "UTC"}):
        assert session.values == FIRST


def test_a_session_of_others_is_restored_at_once(session: Session) -> None:
    with changed_settings(cast(Any, session), {"partitions": "2", "new": "1"}):
        assert session.values == {"partitions": "2", "zone": "UTC", "new": "1"}
    assert session.values == FIRST


def test_the_second_use_of_an_engine_asks_nothing(engine: Engine) -> None:
    with engine.settings(SMALL) as spark:
        made = cast(Any, spark)
    first = len(made.calls)
    assert first > len(ALWAYS)
    for _ in range(3):
        with engine.settings(SMALL):
            pass
    assert len(made.calls) == first
    with engine.settings(whole(1)):
        assert made.values["spark.sql.adaptive.enabled"] == "true"


def test_outside_the_session_of_an_engine_has_its_first_settings(engine: Engine) -> None:
    with engine.settings({"zone": "Asia/Tokyo"}) as spark:
        assert cast(Any, engine.own).values["zone"] == "Asia/Tokyo"
    assert cast(Any, engine.own) is spark
    assert cast(Any, spark).values == FIRST
