"""Small plans over sales and their stores."""

from __future__ import annotations

from everview.algebra.calls import SortKey
from everview.algebra.relations import At, Changes, Except, Join, Scan
from everview.algebra.scalars import Column, Compare, Ref, integer

STORE, AMOUNT, ID, CITY = (Column(i, n) for i, n in enumerate(("store", "amount", "id", "city"), 1))
SOLD, SHOPS = Changes("sales", (STORE, AMOUNT)), Scan("stores", At.NEW, (ID, CITY))
OLD = Scan("sales", At.OLD, (STORE, AMOUNT))
ON = Compare("=", Ref(1), Ref(3))
MANY = Compare(">", Ref(2), integer(9))
PAIRS = Join("inner", SOLD, SHOPS, ON)
ALL = (STORE, AMOUNT, ID, CITY)
FOUND, GONE = Column(9, "found"), Column(10, "gone")
NEW = Scan("sales", At.NEW, (Column(11, "store"), Column(12, "amount")))
GONE_SALES = Except(OLD, NEW, (FOUND, GONE), all=True)
UP, DOWN = SortKey(1, descending=False, nulls_first=True), SortKey(2, True, nulls_first=False)
