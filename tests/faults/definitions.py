"""The views of the fault tests, one of each kind."""

GROUPS = """
    SELECT city, count(*) AS n, sum(amount) AS total, max(amount) AS highest
    FROM sales GROUP BY city
"""
ROWS = "SELECT city, amount FROM sales WHERE amount >= 20"
RANKED = "SELECT city, amount, rank() OVER (ORDER BY amount) AS place FROM sales"
NUMBERED = """
    SELECT city, amount, row_number() OVER (PARTITION BY city ORDER BY amount) AS place FROM sales
"""
DEEP = """
    SELECT DISTINCT s.city, t.n
    FROM sales s
    LEFT JOIN (SELECT city, count(*) AS n FROM sales GROUP BY city) t ON s.city = t.city
"""
VIEWS = {"groups": GROUPS, "rows": ROWS, "ranked": RANKED, "numbered": NUMBERED}
