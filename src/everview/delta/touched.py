"""Rows of a relation at one snapshot that belong to touched keys."""

from __future__ import annotations

from everview.algebra.fresh import Fresh
from everview.algebra.relations import Distinct, Join, Project, Rel, Shared, Touched, UnionAll
from everview.algebra.scalars import Columns, Compare, Ref, Scalar, all_of


def touched_keys(some: tuple[tuple[Rel, Columns], ...], fresh: Fresh) -> Shared:
    """The keys that occur in any of these changes, under columns of their own, computed once."""
    touched = tuple(Touched(changes, columns) for changes, columns in some)
    columns = fresh.columns(c.name for c in some[0][1])
    keys: Rel = touched[0]
    if len(touched) > 1:
        keys = Distinct(UnionAll(touched, fresh.columns(c.name for c in columns)))
    pairs = zip(columns, keys.columns, strict=True)
    renamed = Project(keys, tuple((c, Ref(own.id)) for c, own in pairs))
    return Shared("touched", renamed)


def same_key(left: Columns, right: Columns) -> Scalar:
    """Null-safe equality of keys, column by column (in print SQL's equality loses NULL keys)."""
    pairs = zip(left, right, strict=True)
    return all_of(tuple(Compare("<=>", Ref(x.id), Ref(y.id)) for x, y in pairs))


def of_keys(rel: Rel, columns: Columns, keys: Shared, fresh: Fresh) -> Rel:
    """A ⋉ K: the rows whose key is among the touched ones; NULLs are equal."""
    own = fresh.columns(c.name for c in keys.columns)
    renamed = Project(
        keys, tuple((c, Ref(key.id)) for c, key in zip(own, keys.columns, strict=True))
    )
    return Join("semi", rel, renamed, same_key(columns, own))
