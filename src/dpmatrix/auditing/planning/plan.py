"""How an audit goes about its work, beside what it must be told."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from pathlib import Path

from attrs import field, frozen

from dpmatrix.auditing.checks import checked_epsilon, positive_finite
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact, positive_integer

Progress = Callable[[str], None]


def _points(values: Iterable[Exact]) -> tuple[Exact, ...]:
    return tuple(values)


@frozen(kw_only=True, eq=False)
class AuditPlan:
    """Options of `audit`; none of them touches the guarantee.

    Attributes
    ----------
    stages
        In how many stages the confirmation grows, each doubling what there is. The failure probability is split over
        them in advance; the last has half of it, or that at which the time is likely to end has the largest share.
    tightness
        The confirmation stops early once a violation is certain and the bound on epsilon is at least this share of
        its estimate, or 5 above the claim; 0 stops at the first certain violation, 1 never.
    seconds
        Time after which no further sample of the confirmation is asked for; its first stage is always finished. After
        three tenths of it no further pair is explored.
    limit
        Wall time in seconds after which the audit is given up, also while an executor does not answer.
    learned
        Whether scores learned by scikit-learn, and by counting repeated values, take part in the choice of the event.
    curve
        Values of epsilon, beside the claimed one, at which delta is bounded from below too.
    replay
        Whether the noise is frozen first, to find noise that repeats or that does not depend on the data.
    norm_bound
        Bound on the norm of the records that the target takes; the pairs are scaled to it.
    elsewhere
        How many pairs to try beyond those that are given: the most telling of them with the changed record in another
        row; see `dpmatrix.auditing.search.rows`.
    executor
        Anything with the interface of ``concurrent.futures``; the samples are drawn in this process without one. The
        result does not depend on it. With processes, the target must be picklable.
    workers
        How many jobs to keep under way in the executor.
    chunk
        Outputs in a job, for which one generator is made.
    clock
        By which ``seconds`` are measured; ``time.process_time`` leaves other work on the machine out.
    checkpoint
        File that holds what was learned; a run that finds one of the same audit goes on from there.
    checkpoint_seconds
        Time between two writings of it during the confirmation.
    label
        Identifies the target in the checkpoint, for instance by its name and the hash of its source.
    progress
        Called with a sentence now and then.
    """

    stages: int = 1
    tightness: float = 0.9
    seconds: float | None = None
    limit: float | None = None
    learned: bool = False
    curve: tuple[Exact, ...] = field(default=(), converter=_points)
    replay: bool = True
    norm_bound: float = 1.0
    elsewhere: int = 0
    executor: Executor | None = None
    workers: int = 2
    chunk: int = 4096
    clock: Callable[[], float] = time.monotonic
    checkpoint: Path | None = None
    checkpoint_seconds: float = 1.0
    label: str = ""
    progress: Progress | None = None

    def __attrs_post_init__(self) -> None:
        positive_integer(self.stages, "stages")
        positive_integer(self.workers, "workers")
        positive_integer(self.chunk, "chunk")
        if self.elsewhere:
            positive_integer(self.elsewhere, "elsewhere")
        if self.seconds is not None:
            positive_finite(self.seconds, "seconds", "pass say 60")
        if self.limit is not None:
            positive_finite(self.limit, "limit", "pass say 80")
        positive_finite(self.norm_bound, "norm_bound", "pass say 1.0")
        if not 0 <= self.tightness <= 1:
            raise InvalidParameterError("tightness", f"{self.tightness!r} is outside [0, 1]", "pass say 0.8")
        for epsilon in self.curve:
            checked_epsilon(epsilon)

    def tell(self, sentence: str) -> None:
        """Report progress."""
        if self.progress is not None:
            self.progress(sentence)
