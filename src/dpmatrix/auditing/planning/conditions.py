"""What an audit was of, in words: relation, sizes, pairs, rounding, and what was not looked at."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from attrs import evolve, frozen

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.targets.forms import Form
from dpmatrix.privacy.adjacency import Adjacency

LIBRARY = "the library's own"
"""The source of data sets that nobody handed over."""
_MOST_SHOWN = 6


@frozen(kw_only=True)
class Sizes:
    """Numbers of samples.

    Attributes
    ----------
    pairs
        How many of the pairs to try, the first ones.
    elsewhere
        How many of them to try again, with the changed record in another row.
    training, confirmation, stages, chunk
        As for `audit` and `AuditPlan`.
    """

    pairs: int
    training: int
    confirmation: int
    stages: int
    chunk: int
    elsewhere: int = 0


@frozen(kw_only=True, eq=False)
class Planned:
    """What an audit settled on before it began, so that it can be resumed.

    Attributes
    ----------
    sizes
        Numbers of samples.
    resolution
        Of the shape of one output; zero where a coordinate is not rounded.
    learned
        Whether events are learned.
    replay
        Whether frozen noise is looked at; else every output is taken from a call of its own.
    """

    sizes: Sizes
    resolution: FloatArray
    learned: bool
    replay: bool

    def to_json(self) -> dict[str, Any]:
        """Return plain numbers; the resolution is null where nothing is rounded."""
        sizes = self.sizes
        return {
            "pairs": sizes.pairs,
            "training": sizes.training,
            "confirmation": sizes.confirmation,
            "stages": sizes.stages,
            "chunk": sizes.chunk,
            "elsewhere": sizes.elsewhere,
            "resolution": self.resolution.tolist() if self.resolution.any() else None,
            "output_shape": list(self.resolution.shape),
            "learned": self.learned,
            "replay": self.replay,
        }

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Planned:
        """Read what `to_json` returned."""
        names = ("pairs", "training", "confirmation", "stages", "chunk", "elsewhere")
        sizes = Sizes(**{name: int(record[name]) for name in names})
        shape, steps = tuple(record["output_shape"]), record["resolution"]
        resolution = np.zeros(shape) if steps is None else np.asarray(steps, dtype=np.float64)
        return cls(sizes=sizes, resolution=resolution, learned=bool(record["learned"]), replay=bool(record["replay"]))


@frozen(kw_only=True, eq=False)
class Conditions:
    """What an audit was of.

    Attributes
    ----------
    adjacency, records, dimension, norm_bound
        Of the data sets; ``records`` of the larger one.
    deleted, zeroed
        Of the pairs that were to be tried, how many under add/remove delete the row of the record, and how many leave
        zeros there.
    offered
        How many pairs there are.
    planned
        Sizes, resolution, and whether events were learned.
    source
        Whose the data sets are: such as "pairs of mine.json" where they were handed over, or `LIBRARY`; None where it
        is not known.
    domain
        What the records are, in words; None where they are numbers of bounded norm.
    form
        What an output is read as; None where outputs are numbers of one shape.
    remarks
        What else is to be known, a sentence each.
    """

    adjacency: Adjacency
    records: int
    dimension: int
    norm_bound: float
    deleted: int
    zeroed: int
    offered: int
    planned: Planned
    source: str | None = None
    domain: str | None = None
    form: Form | None = None
    remarks: tuple[str, ...] = ()

    def with_remark(self, remark: str) -> Conditions:
        """Return these conditions with one sentence more."""
        return evolve(self, remarks=(*self.remarks, remark))

    def sentences(self, tried: int, refuting: NeighbouringPair | None = None) -> tuple[str, ...]:
        """Say what was tried, given how many pairs there was time for, and the pair of a violation, if there is one."""
        of_data = f"n = {self.records}, d = {self.dimension}, norms at most {self.norm_bound:g}"
        of_data = of_data if self.domain is None else f"n = {self.records}, records: {self.domain}"
        own = self.source is not None and self.source != LIBRARY
        whose = self.source if own else "neighbours"
        first = min(tried, self.planned.sizes.pairs)
        lines = [f"tried: {whose} by {self.adjacency.value}, {of_data}; {first} of {self.offered} pairs"]
        if self.planned.sizes.elsewhere:
            lines.append(f"rows: {self._rows(tried - first)}")
        if own:
            lines.append("data sets: these alone; no others were searched")
        elif self.domain is not None:
            lines.append(f"data sets: {LIBRARY}, of records of that domain")
        elif self.source == LIBRARY and refuting is not None:
            signs = "with" if refuting.has_negative_entries() else "without"
            lines.append(
                f"data sets: {LIBRARY}, of records in the ball of that norm, {signs} negative entries in this pair; if "
                "your mechanism does not admit these, say what it admits with --domain, or give yours with --pairs or "
                "--data-from of `dpmatrix audit`"
            )
        if self.adjacency is Adjacency.ADD_REMOVE_ONE:
            both = f"the row of the record deleted in {self.deleted} of the pairs, zero in {self.zeroed} (same n)"
            lines.append(f"add/remove is read as: {both}")
        learning = "events: fixed features, and scores learned with scikit-learn"
        lines.append(learning if self.planned.learned else "events: fixed features; no scores were learned")
        lines.append(f"rounding: {self._rounding()}")
        asked = "`audit_representation`, or --representation of the command, judges them"
        lines.append(f"low bits: not looked at where outputs are rounded; {asked}")
        lines.extend(() if self.form is None else self.form.sentences())
        return (*lines, *self.remarks)

    def _rows(self, again: int) -> str:
        if not again:
            return "the time was over before pairs were tried again with the changed record in another row"
        return f"some of these pairs were tried again with the changed record in other rows, {again} times in all"

    def _rounding(self) -> str:
        steps = self.planned.resolution
        if not steps.any():
            return "outputs are not rounded"
        if steps.ndim == 0 or np.all(steps == steps.flat[0]):
            return f"outputs are rounded to multiples of {_power(float(steps.flat[0]))}"
        places = {index: float(step) for index, step in np.ndenumerate(steps)}
        if len(places) <= _MOST_SHOWN:
            each = [f"{list(at)} to {_power(step)}" if step else f"{list(at)} not" for at, step in places.items()]
            return f"coordinates are rounded to multiples: {', '.join(each)}"
        rounded = steps[steps > 0]
        span = f"{_power(float(rounded.min()))} to {_power(float(rounded.max()))}, each by its own spread"
        return f"{rounded.size} coordinates are rounded to multiples of {span}; {steps.size - rounded.size} are not"


def _power(step: float) -> str:
    mantissa, exponent = math.frexp(step)
    return f"2^{exponent - 1}" if mantissa == 0.5 else f"{step:g}"
