"""Parts of the changes at hand for later queries."""

from __future__ import annotations

from dataclasses import replace

from everview.optimize.in_common import CommonPart, changes_text
from everview.optimize.parts import Part
from everview.program.steps import Keep
from everview.run.refresh.work import Work
from everview.run.rows.staging import Staged
from everview.sql.write.door import local_names


def kept(work: Work, steps: tuple[Keep, ...]) -> Work:
    """Compute the rows of each part once, for the queries of the work that is given back; where
    there are none, Spark leaves out what reads them. A part that reads few rows is left to these
    queries: an action of its own would cost more than computing it again.
    """
    for step in steps:
        part = step.part
        with work.during(step.name):
            if step.common is not None:
                work = _with_common(work, step.common)
                continue
            within = None if step.always else work.with_part(part)
            if within is not None:
                work = within
                continue
            staged = _staged(work, part)
        work = work.holding(part.name, staged)
    return work


def _with_common(work: Work, common: CommonPart) -> Work:
    """The work with a part at hand that other views of the run have too. What it reads is fetched
    once for all of them where that is few rows; else its rows are computed once and staged until
    the end of the run, where that pays; else it is left to the queries of each, over the changes
    that were fetched for all.
    """
    part, run, what = common.part, work.run, common.what
    with run.turn(part.name) as turn:
        within = None
        if part.name not in run.staged:
            within = work.with_part(part, run.fetched)
        if within is None and common.pays:
            within = work.holding(part.name, _staged_for_all(work, part))
        if within is None:
            within = work.computing(part.name, part.rel)
            what = changes_text(work.changes_at_hand(part.rel))
        if what:
            turn.by = turn.by or work.facts.view
            within.note_shared(replace(common, what=what), turn.by)
        return within


def _staged_for_all(work: Work, part: Part) -> Staged:
    """The rows of a part that were staged for all views of the run, now or before."""
    run = work.run
    if part.name not in run.staged:
        run.staging = run.staging or work.staging.of(run.token)
        for_all = replace(work, staging=run.staging)
        run.staged[part.name] = _staged(for_all, part)
    return replace(run.staged[part.name], engine=work.engine)


def _staged(work: Work, part: Part) -> Staged:
    return work.staged(part.rel, local_names(part.rel.columns), "parts", part.name)
