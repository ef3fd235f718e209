"""What several refreshes have in common, told from the facts and the choice of each."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace

from everview.algebra.derive.same_rows import LeafOf
from everview.algebra.relations import Changes, Local, Rel, Scan
from everview.choose.strategies import Choice, Incremental
from everview.facts.files import InlineFile
from everview.facts.refreshes import RefreshFacts, SourceFacts
from everview.facts.tables import TableChanges
from everview.optimize.in_common import PlanOfChanges, in_common
from everview.optimize.passes import PARTS, is_off

# Two leaves give the same rows if they read the same versions of one table: by its own id, not by
# its name; changes between the same two versions. So views that are exact at different versions
# have nothing in common. The types that the views recorded must be the same too, and the settings
# of the session under which each of them reads its text.


def with_common_parts(
    refreshes: Mapping[str, tuple[RefreshFacts, Choice]], title: str
) -> dict[str, Choice]:
    """By view, the choice with the parts of its changes that others of these views have too; of
    views that share nothing it is left out.
    """
    plans = {}
    for view, (facts, choice) in refreshes.items():
        strategy = choice.strategy
        if isinstance(strategy, Incremental) and not is_off(PARTS, strategy.passes_off):
            plans[view] = PlanOfChanges(strategy.changes, leaf_of(facts), strategy.leaf_bytes)
    if len(plans) < 2:
        return {}
    found = {}
    for view, common in in_common(plans, title).items():
        choice = refreshes[view][1]
        assert isinstance(choice.strategy, Incremental)
        found[view] = replace(choice, strategy=replace(choice.strategy, in_common=common))
    return found


def leaf_of(facts: RefreshFacts) -> LeafOf:
    """What the leaves of a plan of these facts read."""
    settings = tuple(sorted(facts.stored.record.settings.items()))

    def of(leaf: Rel) -> Hashable:
        if isinstance(leaf, Local):
            return facts.view, leaf.name  # at hand for this view alone
        if not isinstance(leaf, Scan | Changes):
            return settings
        source = facts.source(leaf.table)
        recorded = facts.schema(leaf.table)
        types = tuple(recorded[c.name].type for c in leaf.columns)
        if isinstance(leaf, Scan):
            return source.id, source.at(leaf.at).version, types, settings
        return source.id, source.old, source.new, types, settings, _told(source)

    return of


def _told(source: SourceFacts) -> Hashable:
    """The columns by which the changes of a source are told: rows that cancel in these may have
    been left out.
    """
    changes = source.changes
    if not isinstance(changes, TableChanges):
        return None
    inline = {f.file.columns for f in changes.files if isinstance(f.file, InlineFile)}
    return changes.schema, source.gross, frozenset(inline)
