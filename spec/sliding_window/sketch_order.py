"""Section 3: the Loewner order of nested second moments, and of the sketches that Algorithm 1 gets."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Statement, Step
from dpmatrix.spec.common.conditions import exceeds, whole
from dpmatrix.spec.sliding_window.loewner import between, gram, precedes_margin
from dpmatrix.spec.sliding_window.sketched_stream import RUN, SketchedStream, meant


@attrs.frozen
class NestedStamps:
    """Rows, T x d, and two stamps, counted from 1."""

    rows: fmpq_mat
    earlier: int
    later: int


def nested_margin(p: NestedStamps) -> arb:
    """K of the later stamp against that of the earlier one, both up to T."""
    total = p.rows.nrows()
    return precedes_margin(between(p.rows, p.later, total), between(p.rows, p.earlier, total))


def stamps_margin(p: NestedStamps) -> arb:
    """The later stamp minus the earlier one."""
    return arb(p.later - p.earlier)


def sketch_order_margin(p: SketchedStream) -> arb:
    """K~ of the newest stamp against that of the oldest, as the loop of line 9 is meant."""
    total = p.rows.nrows()
    return precedes_margin(gram(meant(p, total, total)), gram(meant(p, 1, total)))


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
        sound=True,
    ),
    Step(
        "sketches-in-order",
        Statement(
            "the sketches that Update-Approx gets are in the Loewner order: K~ of the newest stamp is at most that of "
            "the oldest",
            sketch_order_margin,
            given=RUN,
        ),
        sound=False,
        note="An older sketch adds terms g'a of either sign to the newer one, and may cancel it.",
    ),
)
