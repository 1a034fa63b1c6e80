"""The window from totals that are held at multiples of g alone: no factor, and of the order of W/g matrices.

R(t) is the noisy total of the first t rows, as in `running_totals`. Which totals are held is public: it depends on the
number of rows, and not on them.
"""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Statement, Step
from dpmatrix.exact import Exact
from dpmatrix.spec.common.conditions import exceeds, whole
from dpmatrix.spec.common.spectra import identity
from dpmatrix.spec.sliding_window.loewner import (
    are_symmetric,
    between,
    flag,
    least,
    precedes_margin,
    row,
    scaled,
    squared_norm,
)
from dpmatrix.spec.sliding_window.private_window import within_bound


@attrs.frozen
class FixedStarts:
    """A stream of T rows, the noise of one difference of totals, and which totals are held.

    Parameters
    ----------
    rows
        T x d.
    noise
        R(T) - R(s) minus the exact sum of the rows after s, s the held time before the window; symmetric.
    window, spacing
        W and g.
    bound
        zeta.
    """

    rows: fmpq_mat
    noise: fmpq_mat
    window: int
    spacing: int
    bound: Exact


def first_row(p: FixedStarts) -> int:
    """How many rows are before the window."""
    return max(0, p.rows.nrows() - p.window)


def held_time(p: FixedStarts) -> int:
    """S, the last multiple of g up to `first_row`."""
    return first_row(p) // p.spacing * p.spacing


def held_times(p: FixedStarts) -> int:
    """Count the multiples of g from `held_time` to T."""
    return p.rows.nrows() // p.spacing - held_time(p) // p.spacing + 1


def output_margin(p: FixedStarts) -> arb:
    """Least slack of ``K_W - zeta <= R(T) - R(s) <= K_W + g - 1 + zeta`` and of at most W/g + 2 held times."""
    total, unit = p.rows.nrows(), identity(p.rows.ncols())
    window, output = between(p.rows, first_row(p) + 1, total), between(p.rows, held_time(p) + 1, total) + p.noise
    lower = precedes_margin(window - scaled(p.bound, unit), output)
    upper = precedes_margin(output, window + scaled(p.spacing - 1, unit) + scaled(p.bound, unit))
    return least([lower, upper, arb(p.window) / p.spacing + 2 - held_times(p)])


def shapes_margin(p: FixedStarts) -> arb:
    """0 when there is a row, and the noise is symmetric, d x d."""
    return flag(p.rows.nrows() >= 1 and are_symmetric((p.noise,), p.rows.ncols()))


def early_margin(p: FixedStarts) -> arb:
    """1 minus the largest squared norm of a row before the window."""
    norms = [squared_norm(row(p.rows, time)) for time in range(1, min(first_row(p), p.rows.nrows()) + 1)]
    return arb(1 - max(norms)) if norms else arb(1)


def noise_margin(p: FixedStarts) -> arb:
    """Non-negative exactly when the noise has norm at most zeta."""
    return within_bound(p.noise, p.bound) if shapes_margin(p) >= 0 else flag(holds=False)


FIXED_STARTS = Step(
    "fixed-starts",
    Statement(
        "where totals are held at multiples of g alone, s is the last of these up to the window's beginning, and the "
        "noise of R(T) - R(s) has norm at most zeta, K_W - zeta <= R(T) - R(s) <= K_W + g - 1 + zeta, K_W the second "
        "moment of the window, and at most W/g + 2 of these times are from s on",
        output_margin,
        given=(
            whole("spacing", 1),
            exceeds("a row, and a symmetric noise", shapes_margin, strict=False),
            exceeds("rows before the window of norm at most 1", early_margin, strict=False),
            exceeds("the noise of R(T) - R(s) has norm at most zeta", noise_margin, strict=False),
        ),
    ),
    defect=None,
    note="Space and accuracy together, without a factor: W/g + 2 totals in place of W, by a public rule. With g about "
    "zeta the error is at most 2 zeta above.",
)
