"""Statements about views through wh.sql, and what SHOW CREATE prints."""

from __future__ import annotations

from pathlib import Path

import everview as ev
from everview.errors import NotIncremental, StillUsed, UnknownName
from tests.api.bags import bag, refused
from tests.api.results import rows, text


def test_a_materialized_view_with_every_clause(shop: ev.Warehouse) -> None:
    created = shop.sql(
        """
        CREATE MATERIALIZED VIEW by_city (city, n COMMENT 'sales', `the total`)
        COMMENT 'what each city buys' REFRESH POLICY INCREMENTAL
        AS SELECT city, count(*), sum(amount) FROM sales GROUP BY city
        """
    )
    assert created.columns[:3] == ["view", "strategy", "reason"]
    assert rows(created)[0][:6] == ("by_city", "full", "first build", 3, 0, 0)
    assert bag(shop.sql("FROM by_city")) == bag([("Bern", 2, 30), ("Rome", 1, 30), (None, 1, 40)])
    described = rows(shop.sql("DESCRIBE EXTENDED by_city"))
    assert described[:3] == [
        ("city", "string", None),
        ("n", "bigint", "sales"),
        ("the total", "bigint", None),
    ]
    details = dict(r[:2] for r in described[5:])
    assert (details["Policy"], details["Exact at"]) == ("INCREMENTAL", "sales v1")
    shop.sql("CREATE MATERIALIZED VIEW IF NOT EXISTS by_city AS SELECT 1 AS x")
    shop.sql("INSERT INTO sales VALUES (5, 'Oslo', 50)")
    refreshed = shop.sql("REFRESH MATERIALIZED VIEW by_city")
    assert refreshed.columns[-2:] == ["actions", "seconds"]
    assert rows(refreshed)[0][1] == "incremental: groups"
    assert rows(refreshed)[0][3:6] == (1, 0, 0)
    assert rows(shop.sql("REFRESH MATERIALIZED VIEWS"))[0][1].startswith("skipped")
    assert rows(shop.sql("REFRESH FULL MATERIALIZED VIEW by_city"))[0][1:3] == ("full", "asked for")
    verified = shop.sql("VERIFY MATERIALIZED VIEW by_city")
    assert verified.columns[:5] == ["view", "ok", "rows", "missing", "unexpected"]
    assert rows(verified)[0][:5] == ("by_city", True, 4, 0, 0)
    assert rows(shop.sql("VERIFY MATERIALIZED VIEWS"))[0][1] is True
    history = shop.sql("DESCRIBE HISTORY by_city")
    assert history.columns == ["version", "timestamp", "operation", "reason", "details"]
    assert [r[2] for r in rows(history)] == ["full", "incremental: groups", "full"]


def test_altering_and_replacing_a_materialized_view(shop: ev.Warehouse) -> None:
    shop.sql("CREATE MATERIALIZED VIEW v AS SELECT city FROM sales LIMIT 3")
    with refused(NotIncremental, "LIMIT"):
        shop.sql("ALTER MATERIALIZED VIEW v SET REFRESH POLICY INCREMENTAL")
    shop.run_script(
        """
        CREATE OR REPLACE MATERIALIZED VIEW v AS SELECT id, city FROM sales WHERE amount > 15;
        ALTER MATERIALIZED VIEW v SET REFRESH POLICY INCREMENTAL STRICT;
        ALTER MATERIALIZED VIEW v SET COMMENT 'not small';
        ALTER MATERIALIZED VIEW v RENAME TO large;
        DELETE FROM sales WHERE id = 2
        """
    )
    listed = shop.sql("SHOW MATERIALIZED VIEWS LIKE 'l%'")
    (row,) = [r.asDict() for r in listed.collect()]
    assert (row["view"], row["policy"], row["comment"]) == (
        "large",
        "INCREMENTAL STRICT",
        "not small",
    )
    assert rows(shop.sql("SHOW MATERIALIZED VIEWS LIKE 'v'")) == []
    assert "incremental" in text(shop.sql("EXPLAIN MATERIALIZED VIEW large"))
    assert rows(shop.sql("REFRESH MATERIALIZED VIEW large"))[0][1].startswith("incremental")
    assert bag(shop.sql("FROM large")) == bag([(3, "Rome"), (4, None)])
    with refused(StillUsed, "large"):
        shop.sql("DROP TABLE sales")
    with refused(UnknownName, "no table `large`"):
        shop.sql("DROP TABLE IF EXISTS large")
    shop.run_script("DROP MATERIALIZED VIEW large; DROP MATERIALIZED VIEW IF EXISTS large")
    shop.sql("DROP TABLE sales")
    assert (shop.tables(), shop.views()) == ([], [])


def test_explaining_a_view_before_it_is_created(shop: ev.Warehouse) -> None:
    said = text(shop.sql("EXPLAIN CREATE MATERIALIZED VIEW v AS SELECT id FROM sales"))
    assert "v · policy AUTO · incremental" in said
    assert "reads\n  sales: id" in said
    said = text(
        shop.sql(
            "EXPLAIN CREATE MATERIALIZED VIEW v (x) REFRESH POLICY INCREMENTAL AS\n"
            "  SELECT c FROM\n  (SELECT city AS c FROM sales LIMIT 3)"
        )
    )
    assert "refused" in said
    assert "line 3" in said, "as it stands in the statement"
    assert "SELECT city AS c FROM sales LIMIT 3" in said
    assert shop.views() == []
    assert "Scan" in text(shop.sql("EXPLAIN FORMATTED SELECT id FROM sales WHERE id > 1"))


def test_what_show_create_prints_recreates_the_same(shop: ev.Warehouse, tmp_path: Path) -> None:
    shop.run_script(
        r"""
        CREATE TABLE stores (id INT PRIMARY KEY, `a ``b` STRING COMMENT 'it\'s "x"');
        CREATE TABLE facts (
          id BIGINT NOT NULL, store INT, day DATE, at TIMESTAMP_NTZ, price DECIMAL(38,18),
          x FLOAT, raw BINARY, ok BOOLEAN, s SMALLINT, b TINYINT,
          nested STRUCT<a: ARRAY<INT>, `b c`: MAP<STRING, DOUBLE>>,
          PRIMARY KEY (id, day), FOREIGN KEY (store) REFERENCES stores (id)
        ) PARTITIONED BY (day) COMMENT 'line one
line two \\ ''';
        CREATE VIEW large (sale COMMENT 'its id', amount) COMMENT 'v' AS
          SELECT id, amount FROM sales WHERE amount > 15 -- not small
        ;
        CREATE MATERIALIZED VIEW m (x, y COMMENT 'why') COMMENT 'm' REFRESH POLICY FULL AS
          SELECT sale, amount FROM large;
        CREATE MATERIALIZED VIEW n AS SELECT city FROM sales
        """
    )
    kinds = {"sales": "TABLE", "stores": "TABLE", "facts": "TABLE", "large": "VIEW"}
    kinds |= {"m": "MATERIALIZED VIEW", "n": "MATERIALIZED VIEW"}
    with ev.open(str(tmp_path / "second"), spark=shop.spark) as second:
        for name, kind in kinds.items():
            said = text(shop.sql(f"SHOW CREATE {kind} {name}"))
            second.sql(said)
            if kind != "MATERIALIZED VIEW":
                assert text(second.sql(f"SHOW CREATE {kind} {name}")) == said
            assert rows(second.sql(f"DESCRIBE {name}")) == rows(shop.sql(f"DESCRIBE {name}"))
        second.sql("INSERT INTO sales VALUES (1, 'Bern', 10), (2, 'Bern', 20)")
        second.refresh()
        assert bag(second.sql("FROM m")) == bag([(2, 20)])
        for kind in ("TABLES", "VIEWS"):
            assert rows(second.sql(f"SHOW {kind}")) == rows(shop.sql(f"SHOW {kind}"))
        assert [s.policy for s in second.status()] == ["FULL", "AUTO"]
        assert [s.comment for s in second.status()] == ["m", ""]
