"""Parts of the changes at hand for later queries."""

from __future__ import annotations

from everview.program.steps import Keep
from everview.run.refresh.work import Work
from everview.sql.write.door import local_names


def kept(work: Work, steps: tuple[Keep, ...]) -> Work:
    """Compute the rows of each part once, for the queries of the work that is given back; where
    there are none, Spark leaves out what reads them. A part that reads few rows is left to these
    queries: an action of its own would cost more than computing it again.
    """
    for step in steps:
        part = step.part
        with work.during(step.name):
            within = None if step.always else work.with_part(part)
            if within is not None:
                work = within
                continue
            staged = work.staged(part.rel, local_names(part.rel.columns), "parts", part.name)
        work = work.holding(part.name, staged)
    return work
