"""A small shop: three views over three tables, a night of changes, and a refresh of what changed.

    python examples/demo.py [folder]

The warehouse stays in the folder (./everview-demo), for the next things to try.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from pyspark.sql import DataFrame

import everview as ev

SALES, STORES, ITEMS = 200_000, 500, 2_000

VIEWS = {
    "city_sales": """
        SELECT city, count(*) AS n, sum(price * quantity) AS revenue, max(price) AS dearest
        FROM sales JOIN stores USING (store_id) JOIN items USING (item_id)
        GROUP BY city""",
    "category_sales": """
        SELECT category, country, count(*) AS n, avg(quantity) AS mean_quantity
        FROM sales JOIN stores USING (store_id) JOIN items USING (item_id)
        GROUP BY category, country""",
    "big_baskets": """
        SELECT sale_id, city, category, quantity
        FROM sales JOIN stores USING (store_id) JOIN items USING (item_id)
        WHERE quantity >= 9""",
}


def main(folder: Path) -> None:
    start_anew(folder)
    with quiet(), timed("starting Spark"):
        wh = ev.open(str(folder))
        wh.spark.range(1).count()
    say(f"everview {ev.__version__} · Spark {wh.spark.version}\n")
    with wh:
        with timed(f"building a shop: {SALES:,} sales, {STORES} stores, {ITEMS:,} items"):
            build_shop(wh)
        for name, sql in VIEWS.items():
            with timed(f"create {name}"):
                wh.create_materialized_view(name, sql, policy="INCREMENTAL")
        overnight(wh)
        say("\nwhat a refresh of city_sales would do, and why:\n")
        say(indented(first_part(str(wh.view("city_sales").explain()))))
        say("\nrefresh (INCREMENTAL, as asked; AUTO may find a small shop cheaper to recompute)\n")
        for receipt in wh.refresh():
            say(indented(str(receipt)))
        say("\nverify: is each view what its query gives, recomputed at the same versions?\n")
        for name in wh.views():
            say(indented(str(wh.view(name).verify())))
        say("\nrefresh again\n")
        for receipt in wh.refresh():
            say(indented(str(receipt).splitlines()[0]))
        say("\nthe five best cities\n")
        best = "SELECT city, n, revenue FROM city_sales ORDER BY revenue DESC LIMIT 5"
        for row in wh.sql(best).collect():
            say(f"  {row.city:<10}{row.n:>8,} sales {row.revenue:>16,}")
    say(NEXT.format(folder=folder))


def start_anew(folder: Path) -> None:
    """Remove the warehouse of an earlier run; a folder with anything else is refused later."""
    if (folder / "_everview").exists():
        shutil.rmtree(folder)


def build_shop(wh: ev.Warehouse) -> None:
    """Sales of items in stores, made from numbers so that every run gives the same."""
    spark = wh.spark
    wh.create_table(
        "stores",
        spark.range(STORES).selectExpr(
            "id AS store_id",
            "concat('city', id % 200) AS city",
            "concat('country', id % 5) AS country",
        ),
        primary_key="store_id",
    )
    wh.create_table(
        "items",
        spark.range(ITEMS).selectExpr(
            "id AS item_id",
            "concat('category', id % 20) AS category",
            "CAST(id % 97 + 0.99 AS DECIMAL(8,2)) AS price",
        ),
        primary_key="item_id",
    )
    wh.create_table("sales", sales(wh, range(SALES), STORES), primary_key="sale_id")


def sales(wh: ev.Warehouse, ids: range, stores: int) -> DataFrame:
    """Sales of these ids, in that many stores."""
    return wh.spark.range(ids.start, ids.stop).selectExpr(
        "id AS sale_id",
        f"id % {stores} AS store_id",
        f"(id * 31 + id DIV 500) % {ITEMS} AS item_id",
        "CAST(1 + id * 7 % 10 AS INT) AS quantity",
    )


def overnight(wh: ev.Warehouse) -> None:
    """New sales, corrections and returns; stores that moved; items that got dearer or went."""
    what = "+2,000 sales, 40 corrected, 10 returned, 3 stores moved, 1 item dearer, 1 gone"
    with timed(f"\novernight: {what}"):
        table = wh.table("sales")
        table.update({"quantity": "quantity + 1"}, "sale_id % 5000 = 1")
        table.delete("sale_id % 20000 = 2")
        table.append(sales(wh, range(SALES, SALES + 2_000), 60))
        wh.table("stores").update({"city": "'city0'"}, "store_id IN (1, 2, 3)")
        wh.table("items").update({"price": "price * 2"}, "item_id = 5")
        wh.table("items").delete("item_id = 6")


# Speaking to a person


def say(text: str) -> None:
    print(text, flush=True)


def indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.splitlines())


def first_part(text: str) -> str:
    """The explanation without its queries, which follow the first empty line but one."""
    return "\n\n".join(text.split("\n\n")[:2])


@contextlib.contextmanager
def timed(what: str) -> Iterator[None]:
    """One line that says what is done, and how long it took."""
    print(what, end=" ", flush=True)
    begun = time.perf_counter()
    yield
    shown = what.removeprefix("\n")
    print(f"{'.' * max(3, 84 - len(shown))} {time.perf_counter() - begun:4.1f} s", flush=True)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """What Spark's process writes to standard error goes to a file, also after it has started.

    The file has no name and goes with the process; it is shown if Spark does not start.
    """
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as log:
        os.dup2(log.fileno(), 2)
        try:
            yield
        except BaseException:
            log.seek(0)
            os.write(kept, log.read())
            raise
        finally:
            os.dup2(kept, 2)
            os.close(kept)


NEXT = """
the warehouse stays in {folder}; try, in Python

  import everview as ev
  wh = ev.open("{folder}")
  print(wh.view("big_baskets").explain())      why it is incremental, and how
  wh.table("sales").delete("store_id = 7")     then wh.refresh()
  print(wh.view("city_sales").status())        how fresh it is
"""


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "everview-demo"))
