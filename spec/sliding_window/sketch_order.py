"""Section 3: the Loewner order of nested second moments, and of the sketches that Algorithm 1 gets."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Defect, Statement, Step
from dpmatrix.exact import Exact
from dpmatrix.spec.common.conditions import below, exceeds, positive, whole
from dpmatrix.spec.sliding_window.loewner import between, gram, precedes_margin
from dpmatrix.spec.sliding_window.sketch_size import sketch_size
from dpmatrix.spec.sliding_window.sketched_stream import RUN, SketchedStream, meant


@attrs.frozen
class NestedStamps:
    """Rows, T x d, and two stamps, counted from 1."""

    rows: fmpq_mat
    earlier: int
    later: int


@attrs.frozen
class RankedStream(SketchedStream):
    """A run of Algorithm 2 with the r and eta that its sketches are made for."""

    rank: int = attrs.field(kw_only=True)
    eta: Exact = attrs.field(kw_only=True)


def nested_margin(p: NestedStamps) -> arb:
    """K of the later stamp against that of the earlier one, both up to T."""
    total = p.rows.nrows()
    return precedes_margin(between(p.rows, p.later, total), between(p.rows, p.earlier, total))


def stamps_margin(p: NestedStamps) -> arb:
    """The later stamp minus the earlier one."""
    return arb(p.later - p.earlier)


def sketch_rows_margin(p: RankedStream) -> arb:
    """Zero exactly when Phi has 4r/eta rows."""
    return -arb(abs(p.base.nrows() - sketch_size(p)))


def sketch_order_margin(p: SketchedStream) -> arb:
    """K~ of the newest stamp against that of the oldest, as the loop of line 9 is meant."""
    total = p.rows.nrows()
    return precedes_margin(gram(meant(p, total, total)), gram(meant(p, 1, total)))


RANKED_RUN = (
    *RUN,
    whole("rank", 1),
    positive("eta"),
    below("eta", 1),
    exceeds("Phi has 4r/eta rows", sketch_rows_margin, strict=False),
)
SKETCH_ORDER = (
    Step(
        "nested-moments",
        Statement(
            "the second moments of nested sets of rows are in the Loewner order: K(j) <= K(i) for t_i <= t_j",
            nested_margin,
            given=(
                whole("earlier", 1),
                whole("later", 1),
                exceeds("t_i <= t_j", stamps_margin, strict=False),
            ),
        ),
        defect=None,
    ),
    Step(
        "sketches-in-order",
        Statement(
            "the sketches that Update-Approx gets are in the Loewner order: K~ of the newest stamp is at most that of "
            "the oldest",
            sketch_order_margin,
            given=RANKED_RUN,
        ),
        defect=Defect.REMARK,
        note="For d >= 2 adjacent sketches are almost surely not comparable; the exact K(j) are in order "
        "(nested-moments), as the proof says.",
    ),
)
