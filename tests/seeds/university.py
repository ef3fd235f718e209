"""The university of seed 003 with changes of every kind, and views that join its tables."""

from __future__ import annotations

from tests.seeds.worked import Table

# The university of the seed, the join attribute first, with more rows for every kind of change:
# what is deleted leaves a friend behind, or none, or had no partner; what is inserted is the first
# partner of some row, or a further one, or meets none; in Chem one comes for one that goes.
UNIVERSITY = {
    "S": Table(
        "j x",
        (
            ("DB", "Bob"),
            ("AI", "Tom"),
            ("History", "Jack"),
            ("Psych", "Jill"),
            ("Psych", "Sue"),
            ("Music", "Ida"),
            ("Chem", "Lou"),
        ),
        deleted=(
            ("DB", "Bob"),
            ("History", "Jack"),
            ("Psych", "Jill"),
            ("Music", "Ida"),
            ("Chem", "Lou"),
        ),
        inserted=(("Art", "Eve"), ("DB", "Ann"), ("Law", "Lea"), ("Latin", "Leo")),
    ),
    "T": Table(
        "j y",
        (
            ("DB", "Joe"),
            ("DB", "Mary"),
            ("Psych", "Sam"),
            ("Art", "Kim"),
            ("Law", "Ned"),
            ("Music", "Una"),
            ("Chem", "Al"),
        ),
        deleted=(("DB", "Joe"), ("Psych", "Sam"), ("Art", "Kim"), ("Chem", "Al")),
        inserted=(("AI", "Jill"), ("DB", "Ben"), ("Physics", "Pat"), ("Chem", "Bo")),
    ),
}

JOINS = {
    "join": "SELECT * FROM S JOIN T ON S.j = T.j",
    "semi": "SELECT * FROM S LEFT SEMI JOIN T ON S.j = T.j",
    "anti": "SELECT * FROM S LEFT ANTI JOIN T ON S.j = T.j",
    "left": "SELECT * FROM S LEFT JOIN T ON S.j = T.j",
    "right": "SELECT * FROM S RIGHT JOIN T ON S.j = T.j",
    "full": "SELECT * FROM S FULL JOIN T ON S.j = T.j",
}
