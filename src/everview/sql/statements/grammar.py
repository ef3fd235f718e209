"""The grammar as a person reads it: the reference page is made from this."""

from __future__ import annotations

from typing import NamedTuple


class GrammarEntry(NamedTuple):
    title: str
    syntax: str
    example: str
    sentence: str


GRAMMAR: tuple[GrammarEntry, ...] = (
    GrammarEntry(
        "Query",
        "SELECT ... | WITH ... | FROM ... | VALUES ... | TABLE name | ( query )\n"
        "name VERSION AS OF n | name TIMESTAMP AS OF 'moment'",
        "SELECT city, total FROM city_sales VERSION AS OF 3 ORDER BY total DESC LIMIT 5",
        "Rows of tables and views, now or at an earlier version, in Spark's own SQL.",
    ),
    GrammarEntry(
        "CREATE MATERIALIZED VIEW",
        "CREATE [OR REPLACE] MATERIALIZED VIEW [IF NOT EXISTS] name\n"
        "  [(column [COMMENT 'text'], ...)]\n"
        "  [CLUSTER BY (column, ...)]\n"
        "  [COMMENT 'text']\n"
        "  [REFRESH POLICY AUTO | INCREMENTAL | INCREMENTAL STRICT | FULL]\n"
        "  [REFRESH ON DEMAND | EVERY interval | CRON 'fields' | TARGET LAG interval\n"
        "     | ON READ [WITHIN interval] | IMMEDIATE]\n"
        "  [TBLPROPERTIES ('merge_on_read' = 'auto' | 'never')]\n"
        "  AS query",
        "CREATE MATERIALIZED VIEW city_sales (city, n, total COMMENT 'in euros')\n"
        "  COMMENT 'what each city buys'\n"
        "  REFRESH POLICY AUTO\n"
        "  REFRESH EVERY 5 MINUTES\n"
        "  AS SELECT city, count(*), sum(amount)\n"
        "     FROM sales JOIN stores USING (store_id) GROUP BY city",
        "Stores the rows of a query, to be kept fresh by what changes in its tables; OR REPLACE "
        "keeps its place and is refused if views above use a column that would go; POLICY says how "
        "it is refreshed, the other words when: EVERY, CRON and TARGET LAG by `everview run`, ON "
        "READ by who reads it, IMMEDIATE by every write of a source, with intervals such as 30 "
        "SECONDS, 5 MINUTES, 1 HOUR or 1 DAY.",
    ),
    GrammarEntry(
        "REFRESH MATERIALIZED VIEW",
        "REFRESH [FULL] MATERIALIZED VIEW name, ... [FULL | STRATEGY 'strategy']\n"
        "REFRESH [FULL] MATERIALIZED VIEWS [FULL | STRATEGY 'strategy']",
        "REFRESH MATERIALIZED VIEW city_sales, category_sales",
        "Brings views, and the views below them, up to date; FULL recomputes them, and a strategy "
        "forces auto, change tables, insert/delete, touched groups or full upon them; a view that "
        "fails stops only those that depend on it, and EV-5005 at the end has all their errors.",
    ),
    GrammarEntry(
        "EXPLAIN MATERIALIZED VIEW",
        "EXPLAIN [EXTENDED] MATERIALIZED VIEW name [STRATEGY 'strategy']",
        "EXPLAIN MATERIALIZED VIEW city_sales",
        "Says what the next refresh will do, step by step, and why; EXTENDED adds the SQL; with "
        "a strategy, what a refresh by it would do.",
    ),
    GrammarEntry(
        "EXPLAIN CREATE MATERIALIZED VIEW",
        "EXPLAIN CREATE [OR REPLACE] MATERIALIZED VIEW ...",
        "EXPLAIN CREATE MATERIALIZED VIEW big AS SELECT * FROM sales WHERE amount > 1000",
        "Says how a view would be maintained, without creating it.",
    ),
    GrammarEntry(
        "VERIFY MATERIALIZED VIEW",
        "VERIFY MATERIALIZED VIEW name, ...\nVERIFY MATERIALIZED VIEWS",
        "VERIFY MATERIALIZED VIEW city_sales",
        "Compares the stored rows with a recomputation at the same versions, both ways; says exact "
        "only where every column was compared; of several views, one that cannot be verified has "
        "a row with its error, and ok is NULL.",
    ),
    GrammarEntry(
        "ALTER MATERIALIZED VIEW",
        "ALTER MATERIALIZED VIEW [IF EXISTS] name\n"
        "  RENAME TO name | SET COMMENT 'text' | UNSET COMMENT\n"
        "  | SET REFRESH POLICY AUTO | INCREMENTAL | INCREMENTAL STRICT | FULL\n"
        "  | SET REFRESH ON DEMAND | EVERY interval | CRON 'fields' | TARGET LAG interval\n"
        "     | ON READ [WITHIN interval] | IMMEDIATE\n"
        "  | SUSPEND | RESUME\n"
        "  | SET TBLPROPERTIES ('merge_on_read' = 'auto' | 'never')",
        "ALTER MATERIALIZED VIEW city_sales SET REFRESH POLICY INCREMENTAL STRICT",
        "Changes the name, the comment, the refresh policy, when it is refreshed or a property of "
        "a view; merge_on_read says whether rows may be deleted by deletion vectors, which not "
        "every reader knows, and a view that is suspended is refreshed only where it is named.",
    ),
    GrammarEntry(
        "DROP MATERIALIZED VIEW",
        "DROP MATERIALIZED VIEW [IF EXISTS] name [CASCADE]",
        "DROP MATERIALIZED VIEW IF EXISTS city_sales",
        "Removes a view and its stored rows, with CASCADE the views that read it too, and lists "
        "what is gone.",
    ),
    GrammarEntry(
        "SHOW MATERIALIZED VIEWS",
        "SHOW MATERIALIZED VIEWS [LIKE 'pattern']",
        "SHOW MATERIALIZED VIEWS LIKE 'city*'",
        "Lists the materialized views, how fresh they are and how they are refreshed; error has "
        "the code where that cannot be told, and behind its words.",
    ),
    GrammarEntry(
        "CREATE TABLE",
        "CREATE TABLE [IF NOT EXISTS] name (\n"
        "    column type [NOT NULL] [PRIMARY KEY [[NOT] ENFORCED]]\n"
        "      [REFERENCES name (column)] [COMMENT 'text']\n"
        "    [, column ...] ...\n"
        "    [, [CONSTRAINT name] PRIMARY KEY (column, ...) [[NOT] ENFORCED]]\n"
        "    [, [CONSTRAINT name] FOREIGN KEY (column, ...) REFERENCES name (column, ...)] ...\n"
        "  )\n"
        "  [USING DELTA] [PARTITIONED BY (column, ...)] [COMMENT 'text']\n"
        "  [TBLPROPERTIES ('merge_on_read' = 'auto' | 'never')] [AS query]",
        "CREATE TABLE sales (\n"
        "    id BIGINT PRIMARY KEY,\n"
        "    store_id INT NOT NULL REFERENCES stores (store_id),\n"
        "    amount DECIMAL(10, 2) COMMENT 'in euros',\n"
        "    day DATE\n"
        "  ) PARTITIONED BY (day) TBLPROPERTIES ('merge_on_read' = 'never')",
        "Creates a Delta table, empty or with the rows of a query; every write is held to its "
        "primary key unless that is NOT ENFORCED.",
    ),
    GrammarEntry(
        "ATTACH TABLE",
        "ATTACH [OR REPLACE] [TABLE] [IF NOT EXISTS] name FROM 'path or URI'",
        "ATTACH TABLE stores FROM 's3://lake/raw/stores'",
        "Makes a Delta table of another writer known by a name; it is only ever read, and OR "
        "REPLACE points a name that is attached already to another place or table.",
    ),
    GrammarEntry(
        "INSERT INTO",
        "INSERT INTO [TABLE] name [(column, ...) | BY NAME] query",
        "INSERT INTO stores (store_id, city) VALUES (1, 'Oslo'), (2, 'Bergen')",
        "Adds the rows of a query, whose values go to columns by position or BY NAME; a column "
        "without one is NULL.",
    ),
    GrammarEntry(
        "INSERT OVERWRITE",
        "INSERT OVERWRITE [TABLE] name [(column, ...) | BY NAME] query",
        "INSERT OVERWRITE stores SELECT * FROM new_stores",
        "Puts the rows of a query in place of all rows of a table.",
    ),
    GrammarEntry(
        "UPDATE",
        "UPDATE name [[AS] alias] SET column = expression, ... [WHERE condition]",
        "UPDATE stores SET city = 'Trondheim' WHERE store_id = 2",
        "Changes the rows that fulfil a condition.",
    ),
    GrammarEntry(
        "DELETE",
        "DELETE FROM name [[AS] alias] [WHERE condition]",
        "DELETE FROM sales WHERE day < DATE '2020-01-01'",
        "Removes the rows that fulfil a condition.",
    ),
    GrammarEntry(
        "MERGE",
        "MERGE INTO name [[AS] alias]\n"
        "  USING name | ( query ) [[AS] alias] ON condition\n"
        "  [WHEN MATCHED [AND condition] THEN\n"
        "     UPDATE SET column = expression, ... | UPDATE SET * | DELETE] ...\n"
        "  [WHEN NOT MATCHED [BY TARGET] [AND condition] THEN\n"
        "     INSERT (column, ...) VALUES (expression, ...) | INSERT *] ...\n"
        "  [WHEN NOT MATCHED BY SOURCE [AND condition] THEN\n"
        "     UPDATE SET column = expression, ... | DELETE] ...",
        "MERGE INTO sales AS t USING corrections AS s ON t.id = s.id\n"
        "  WHEN MATCHED AND s.amount = 0 THEN DELETE\n"
        "  WHEN MATCHED THEN UPDATE SET amount = s.amount\n"
        "  WHEN NOT MATCHED THEN INSERT *",
        "Updates, deletes and inserts rows of a table by comparison with other rows.",
    ),
    GrammarEntry(
        "ALTER TABLE",
        "ALTER TABLE [IF EXISTS] name RENAME TO name | SET COMMENT 'text' | UNSET COMMENT\n"
        "  | ADD COLUMN column type [COMMENT 'text']\n"
        "  | ADD COLUMNS (column type [COMMENT 'text'], ...)\n"
        "  | SET TBLPROPERTIES ('merge_on_read' = 'auto' | 'never')\n"
        "  | SET LOCATION 'path or URI'",
        "ALTER TABLE sales ADD COLUMN note STRING COMMENT 'what the buyer said'",
        "Changes the name, the comment or a property of a table, or adds columns at its end, which "
        "are NULL in the rows that are there; SET LOCATION says where an attached table was moved.",
    ),
    GrammarEntry(
        "DROP TABLE",
        "DROP TABLE [IF EXISTS] name [CASCADE]",
        "DROP TABLE IF EXISTS sales CASCADE",
        "Removes a table, with CASCADE the views that read it too, and lists what is gone; a table "
        "that was attached is only forgotten.",
    ),
    GrammarEntry(
        "VERIFY TABLE",
        "VERIFY TABLE name, ...\nVERIFY TABLES",
        "VERIFY TABLE sales, stores",
        "Checks whether the declared keys hold.",
    ),
    GrammarEntry(
        "OPTIMIZE",
        "OPTIMIZE [TABLE | MATERIALIZED VIEW] name",
        "OPTIMIZE sales",
        "Puts the same rows into fewer files, without those that deletion vectors mark; not a "
        "change for the views that read it.",
    ),
    GrammarEntry(
        "VACUUM",
        "VACUUM [TABLE | MATERIALIZED VIEW] name [RETAIN n HOURS] [FORCE] [DRY RUN]\nVACUUM",
        "VACUUM sales RETAIN 200 HOURS DRY RUN",
        "Removes files that no version within the retention needs, of one or of all tables and "
        "views, and lists them; fewer hours than the setting retention_hours only with FORCE.",
    ),
    GrammarEntry(
        "SHOW TABLES",
        "SHOW TABLES [LIKE 'pattern']",
        "SHOW TABLES",
        "Lists the tables.",
    ),
    GrammarEntry(
        "CREATE VIEW",
        "CREATE [OR REPLACE] VIEW [IF NOT EXISTS] name\n"
        "  [(column [COMMENT 'text'], ...)] [COMMENT 'text'] AS query",
        "CREATE OR REPLACE VIEW northern AS SELECT * FROM stores WHERE latitude > 60",
        "Gives a query a name; nothing is stored; after OR REPLACE the materialized views above "
        "are built anew at their next refresh.",
    ),
    GrammarEntry(
        "ALTER VIEW",
        "ALTER VIEW [IF EXISTS] name RENAME TO name | SET COMMENT 'text' | UNSET COMMENT",
        "ALTER VIEW northern SET COMMENT 'above 60 degrees'",
        "Changes the name or the comment of a view.",
    ),
    GrammarEntry(
        "DROP VIEW",
        "DROP VIEW [IF EXISTS] name [CASCADE]",
        "DROP VIEW northern",
        "Removes a view, with CASCADE the views that read it too, and lists what is gone.",
    ),
    GrammarEntry(
        "SHOW VIEWS",
        "SHOW VIEWS [LIKE 'pattern']",
        "SHOW VIEWS LIKE 'north*'",
        "Lists the views that are not stored.",
    ),
    GrammarEntry(
        "COMMENT ON",
        "COMMENT ON MATERIALIZED VIEW | VIEW | TABLE name IS 'text' | NULL",
        "COMMENT ON TABLE sales IS 'one row per receipt line'",
        "Sets a comment, or takes it away.",
    ),
    GrammarEntry(
        "SHOW CREATE",
        "SHOW CREATE MATERIALIZED VIEW | VIEW | TABLE name",
        "SHOW CREATE MATERIALIZED VIEW city_sales",
        "Gives the statement that would create it again.",
    ),
    GrammarEntry(
        "DESCRIBE",
        "DESCRIBE | DESC [EXTENDED] [MATERIALIZED VIEW | VIEW | TABLE] name",
        "DESCRIBE EXTENDED city_sales",
        "Lists the columns; EXTENDED adds what else is known.",
    ),
    GrammarEntry(
        "DESCRIBE HISTORY",
        "DESCRIBE HISTORY [MATERIALIZED VIEW | TABLE] name",
        "DESCRIBE HISTORY city_sales",
        "Lists what was done to a table, or the receipts of a view's refreshes.",
    ),
    GrammarEntry(
        "EXPLAIN query",
        "EXPLAIN [EXTENDED | FORMATTED | COST | CODEGEN] query",
        "EXPLAIN FORMATTED SELECT * FROM city_sales",
        "Shows Spark's plan of a query.",
    ),
)
