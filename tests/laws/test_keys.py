"""The law of keys over random trees, what those trees met, and wrong rules that it notices."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from random import SystemRandom

import pytest

from everview.algebra.derive.keys import Keys
from everview.rewrite.aggregate_distinct_of_key import aggregate_distinct_of_key
from everview.rewrite.distinct_of_key import distinct_of_key
from everview.rewrite.rules import Rule
from tests.laws.key_law import NotSo, check_keys, check_simplified
from tests.laws.law import Seen
from tests.laws.met import JOINS
from tests.laws.mutants import SOURCES, Mutant
from tests.laws.mutate import Replaced

ASKED = os.environ.get("EVERVIEW_FUZZ_CASES")
CASES = int(ASKED or 2000)
FIRST = SystemRandom().randrange(2**48) if ASKED else 0  # other cases every time, if asked for more
SEEN = Seen()

# What a share of the cases must have met, else they tested less than they say: keys of several
# rows with fewer columns than all, ...
SMALL = {
    "Scan": 0.2, "Shared": 0.03, "Filter": 0.03, "Project": 0.1, "Unpivot": 0.01, "Values": 0.02,
    "Aggregate": 0.3, "Distinct": 0.03, "Pivot": 0.03,
    "Window": 0.005, "Window ordered": 0.02, "Window without partition": 0.005,
    **{f"Join {kind}": 0.005 for kind in JOINS},
    "UnionAll": 0.001, "Except all": 0.002, "Except distinct": 0.002, "Intersect all": 0.0004,
    "Intersect distinct": 0.001,
}  # fmt: skip
# ... keys at all, and the empty key.
SHARES = {
    **{f"{kind}: small key": share for kind, share in SMALL.items()},
    "TableFunction: key": 0.01,
    "Aggregate without keys: one row at most": 0.02,
    "Pivot without keys: one row at most": 0.005,
    "Filter: one row at most": 0.005,
    "Join inner: one row at most": 0.002,
    "Join left: one row at most": 0.002,
    "Join inner: several keys": 0.005,
    "Filter: several keys": 0.002,
    **{f"{kind}: constant": 0.002 for kind in ("Filter", "Project", "UnionAll", "Values")},
    **{f"Join {kind}: constant": 0.0005 for kind in JOINS if kind != "full"},
    **{f"{kind}: never NULL": 0.005 for kind in ("Filter", "Project", "Values", "Aggregate")},
    **{f"Join {kind}: never NULL": 0.005 for kind in JOINS if kind != "full"},
}


@pytest.mark.fuzz
def test_no_two_rows_agree_on_a_key() -> None:
    """All cases run, so that each operator with a wrong rule is named, with one case of it."""
    broken: dict[str, str] = {}
    for seed in range(FIRST, FIRST + CASES):
        try:
            check_keys(seed, SEEN)
        except NotSo as problem:
            broken.setdefault(problem.kind, f"seed {seed}: {problem}")
        SEEN.met("cases")
    assert not broken, "\n\n".join(broken.values())


@pytest.mark.fuzz
def test_the_trees_met_keys_of_every_operator() -> None:
    """Runs after the one above: pytest keeps the order of a file."""
    if not SEEN.counts:
        pytest.fail("run the whole file: this test counts what the other met")
    rare = {k: SEEN.counts[k] for k, share in SHARES.items() if SEEN.counts[k] < share * CASES}
    assert not rare, f"of {CASES} cases too few met {rare}"


@pytest.mark.fuzz
def test_what_keys_make_needless_is_left_out() -> None:
    seen = Seen()
    cases = CASES // 4
    for seed in range(FIRST, FIRST + cases):
        check_simplified(seed, seen)
    least = {"Distinct left out": 0.05, "count distinct left out": 0.005}
    least |= {f"{what}, and rows change": share / 2 for what, share in least.items()}
    rare = {k: seen.counts[k] for k, share in least.items() if seen.counts[k] < share * cases}
    assert not rare, f"of {cases} cases too few met {rare}"


# That the law itself can be trusted: (file, what it says, what it might say)

WRONG = {
    "a padded side gives its keys": (
        "algebra/derive/join_keys.py",
        'case "left":\n            return _with_partners(left, right, lefts, what)',
        'case "left":\n            return _with_partners(right, left, rights, what)',
    ),
    "every partner is the only one": (
        "algebra/derive/join_keys.py",
        "return [key | (other - known) for",
        "return [key for",
    ),
    "NULL keys of both padded sides look alike": (
        "algebra/derive/join_keys.py",
        "return [key if key.intersection(filled) else key | {filled[0]} for key in both if filled]",
        "return both",
    ),
    "what holds of pairs holds of padded rows": (
        "algebra/derive/constants.py",
        'case Join(kind="inner" | "cross" | "semi"):',
        "case Join():",
    ),
    "a union has what one input has": (
        "algebra/derive/constants.py",
        "each[0] is not None and len(set(each)) == 1",
        "each[0] is not None",
    ),
    "what a condition needs is not NULL in padded rows either": (
        "algebra/derive/never_null.py",
        'case Filter(_, condition) | Join("inner", _, _, condition):',
        "case Filter(_, condition) | Join(_, _, _, condition):",
    ),
    "any comparison is an equality": (
        "algebra/derive/conditions.py",
        'case Compare("=" | "<=>", Ref(x), Ref(y)) if',
        "case Compare(_, Ref(x), Ref(y)) if",
    ),
    "a projection keeps what it shows of a key": (
        "algebra/derive/keys.py",
        "kept = [key for key in self.of(input_) if key <= shown.keys()]",
        "kept = [key & shown.keys() for key in self.of(input_)]",
    ),
    "one column of a group tells groups apart": (
        "algebra/derive/keys.py",
        "[_ids(rel.groups)]",
        "[_ids(rel.groups[:1])]",
    ),
    "a union needs no number": (
        "algebra/derive/keys.py",
        "return [frozenset({column.id}).union(*some)",
        "return [frozenset[int]().union(*some)",
    ),
    "equal literals tell inputs apart": (
        "algebra/derive/literal_keys.py",
        "len(known) == len(some) == len(set(known))",
        "len(known) == len(some)",
    ),
    "a difference has the keys of both sides": (
        "algebra/derive/keys.py",
        "(rel.left,) if isinstance(rel, Except) else (rel.left, rel.right)",
        "(rel.left, rel.right)",
    ),
    "an unpivot needs no label": (
        "algebra/derive/keys.py",
        "apart.union(shown[c][0] for c in key)",
        "frozenset(shown[c][0] for c in key)",
    ),
}
RELOADED = (
    "everview.algebra.derive",
    "tests.laws.key_law",
)
MOST = 3000


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_rule_is_noticed(name: str, law: Callable[[Mutant], Callable[..., None]]) -> None:
    file, right, wrong = WRONG[name]
    text = (SOURCES / file).read_text()
    assert text.count(right) == 1
    check = law(Mutant(file, "", 0, name, text.replace(right, wrong)))
    with pytest.raises(AssertionError, match="in\n"):
        _check_many(check)


@pytest.mark.parametrize("rule", [distinct_of_key, aggregate_distinct_of_key])
def test_a_rewrite_that_needs_no_key_is_noticed(
    rule: Rule, monkeypatch: pytest.MonkeyPatch
) -> None:
    def always(*_: object) -> Keys:
        return frozenset({frozenset()})

    monkeypatch.setattr(sys.modules[rule.__module__], "keys", always)
    with pytest.raises(NotSo, match="other rows"):
        _check_many(check_simplified)


def _check_many(check: Callable[..., None]) -> None:
    for seed in range(MOST):
        check(seed, Seen())


@pytest.fixture
def law() -> Iterator[Callable[[Mutant], Callable[..., None]]]:
    """The law by rules of which one file has another text."""
    kept = {n: m for n, m in sys.modules.items() if n.startswith(RELOADED)}
    finders: list[Replaced] = []

    def with_mutant(mutant: Mutant) -> Callable[..., None]:
        finders.append(Replaced(mutant))
        sys.meta_path.insert(0, finders[0])
        for name in kept:
            del sys.modules[name]
        check: Callable[..., None] = importlib.import_module("tests.laws.key_law").check_keys
        return check

    yield with_mutant
    for finder in finders:
        sys.meta_path.remove(finder)
    for name in [n for n in sys.modules if n.startswith(RELOADED)]:
        del sys.modules[name]
    sys.modules.update(kept)
