"""Parts of the changes at hand for later queries."""

from __future__ import annotations

from everview.optimize.parts import Part
from everview.run.refresh.work import Work
from everview.sql.write.door import local_names


def keep(work: Work, part: Part) -> None:
    """Compute the rows of a part once; where there are none, Spark leaves out what reads them."""
    frame = work.query(part.rel, local_names(part.rel.columns))
    staged = work.staging.stage(frame, "parts", work.actions, part.name)
    work.frames.local[part.name] = staged
