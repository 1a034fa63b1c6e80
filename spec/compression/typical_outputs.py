"""How typical outputs tell two nearly equal columns from two less equal ones: a step of Theorem 3.5."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Statement, Step
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.privacy.profiles.incomplete_gamma import lower_tail, upper_tail
from dpmatrix.spec.common.conditions import positive, whole


@attrs.frozen
class NearlyEqualColumns:
    """The number m of rows, eta and t: correlations 1 - eta and 1 - eta - t of two columns."""

    rows: int
    eta: Exact
    change: Exact


def relative_change(p: NearlyEqualColumns) -> arb:
    """``r = t/eta``: |Y_1 - Y_2|^2/(2 eta) is chi^2_m for X_1, and 1 + r times that for X_2."""
    return ball(rational(p.change) / rational(p.eta))


def larger_error(p: NearlyEqualColumns) -> arb:
    """The larger error of the test |Y_1 - Y_2|^2 > 2 m (eta + t/2), exact."""
    half, ratio = arb(p.rows) / 2, relative_change(p)
    place = half * (1 + ratio / 2)
    return upper_tail(place, half).max(lower_tail(place / (1 + ratio), half))


def chebyshev_bound(p: NearlyEqualColumns) -> arb:
    """``8 (1 + r)^2/(m r^2)``."""
    ratio = relative_change(p)
    return 8 * square((1 + ratio) / ratio) / p.rows


TYPICAL_OUTPUTS = Step(
    "typical-outputs",
    Statement.of_law(
        "of columns with correlation 1 - eta, or 1 - eta - t, the test |Y_1 - Y_2|^2 > 2 m (eta + t/2) on Y = Phi X "
        "errs in either case with probability at most 8 (1 + r)^2/(m r^2), r = t/eta",
        larger_error,
        at_most=chebyshev_bound,
        given=(whole("rows", 1), positive("eta"), positive("change")),
    ),
    defect=None,
    note=(
        "So the neighbours of the refutation differ in what happens, and not in tails: at the largest m no truncation "
        "and no delta below 1 helps. Of kept outputs either error is at most n^2/(n^2 - 1) times as large."
    ),
)
