"""What a receipt says of rows that several views of a run needed."""

from __future__ import annotations

import json
from dataclasses import replace

from everview.facts.receipts import Receipt, SharedRows
from tests.facts.test_receipts import RECEIPT


def test_a_receipt_says_what_it_shared_with_whom() -> None:
    rows = SharedRows("changes of sales", "city_sales", ("by_day", "by_item"))
    joined = replace(rows, what="changes of sales with stores", views=("by_day",))
    first = replace(RECEIPT, shared=(rows, joined))
    said = (
        "changes of sales once for city_sales, by_day, by_item, "
        "changes of sales with stores once for city_sales, by_day"
    )
    assert f" · {said} · exact" in str(first)
    second = replace(first, view="by_day", shared=(replace(rows, views=("city_sales",)),))
    assert " · changes of sales from the refresh of city_sales · exact" in str(second)
    third = replace(second, shared=(rows, replace(rows, by="by_item", views=("by_day",))))
    assert " · changes of sales from the refresh of city_sales, by_item · exact" in str(third)
    assert said in first._repr_html_()
    stored = json.loads(json.dumps(first.to_dict()))
    assert Receipt.from_dict(stored) == first
    del stored["shared"]  # as an older Everview stored it
    assert Receipt.from_dict(stored) == RECEIPT
