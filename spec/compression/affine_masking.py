"""Affine masking Phi X + Z, which section 1 names and leaves aside: private for all data sets (steps of Corollary 3.7).

The law of Phi X + Z is that of Phi times X with sqrt(c n) I below it. Blocki, Blum, Datta and Sheffet (2012) raise the
spectrum of the data in this way, for (epsilon, delta)-privacy. What is drawn anew here leaves delta = 0.
"""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Condition, Statement, Step
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.common.conditions import at_least, exceeds, positive, whole
from dpmatrix.spec.common.spectra import trace
from dpmatrix.spec.compression.binary_region import capped_loss
from dpmatrix.spec.compression.tails import diagonal_tail
from dpmatrix.spec.compression.transformation import RawPair, one_row_margin
from dpmatrix.spec.compression.truncated_loss import TruncatedPair, renormalisation
from dpmatrix.spec.compression.truncated_mass import ENOUGH_ROWS, TruncationSetting


@attrs.frozen
class MaskedData:
    """A database X, n x p rational; the number m of rows of Phi X + Z; and c, the variance of an entry of Z."""

    data: fmpq_mat
    rows: int
    noise: Exact


@attrs.frozen
class MaskedPair(RawPair):
    """Two databases, m, and c."""

    rows: int = attrs.field(kw_only=True)
    noise: Exact = attrs.field(kw_only=True)


def masked_covariance(data: fmpq_mat, noise: Exact) -> fmpq_mat:
    """``X'X/n + c I``: the covariance of a row of Phi X + Z."""
    size = data.ncols()
    unit = fmpq_mat(size, size, [int(i == j) for i in range(size) for j in range(size)])
    return data.transpose() * data / data.nrows() + rational(noise) * unit


def drawn_anew(p: MaskedPair) -> arb:
    """``p Pr(chi^2_m >= 2m)``, which bounds the probability that some |Y_j|^2 exceeds 2 (1 + c) m."""
    return p.data.ncols() * diagonal_tail(p.rows, arb(1))


def masked_loss(p: MaskedPair) -> arb:
    """Enclose sup |ln f_1'/f_2'| over the outputs Y with |Y_j|^2 <= 2 (1 + c) m for every column.

    Both laws are renormalised by 1 at most, and by 1 - `drawn_anew` at least.
    """
    first, second = (masked_covariance(data, p.noise) for data in (p.data, p.neighbour))
    pair = TruncatedPair(first, second, 0, records=p.data.nrows(), rows=p.rows)
    plain = capped_loss(pair, 2 * (1 + rational(p.noise)))
    shift = -(1 - drawn_anew(p)).log()
    return (plain - shift).union(plain + shift)


def masked_bound(p: MaskedPair) -> arb:
    """``(1 + c + 1/(2n)) m p^2/(n c^2) + ln(1 + 1/(n^2 - 1))``."""
    n, size, c = p.data.nrows(), p.data.ncols(), rational(p.noise)
    return (1 + c + fmpq(1, 2 * n)) * arb(fmpq(p.rows * size**2, n)) / square(ball(c)) + renormalisation(n)


def masked_margin(p: MaskedPair) -> arb:
    """The bound minus the loss."""
    return masked_bound(p) - masked_loss(p)


def mean_square(p: MaskedData) -> fmpq:
    """``E ||Y'Y/m - c I - X'X/n||_F^2 = (||S||_F^2 + (tr S)^2)/m`` for Y with m Gaussian rows of covariance S."""
    covariance = masked_covariance(p.data, p.noise)
    return (sum((entry * entry for entry in covariance.entries()), fmpq(0)) + trace(covariance) ** 2) / p.rows


def masked_components_margin(p: MaskedData) -> arb:
    """``2 (1 + c)^2 p^2/m`` minus the mean square."""
    bound = 2 * (1 + rational(p.noise)) ** 2 * p.data.ncols() ** 2 / p.rows
    return arb(bound - mean_square(p))


def shape_margin(p: MaskedPair) -> arb:
    """Zero exactly when both databases have one shape."""
    return -arb(abs(p.data.nrows() - p.neighbour.nrows()) + abs(p.data.ncols() - p.neighbour.ncols()))


def largest_entry_margin(data: fmpq_mat) -> arb:
    """1 minus the largest absolute entry."""
    return arb(1 - max(abs(entry) for entry in data.entries()))


def both_entries_margin(p: MaskedPair) -> arb:
    """1 minus the largest absolute entry of either database."""
    return largest_entry_margin(p.data).min(largest_entry_margin(p.neighbour))


def entries_margin(p: MaskedData) -> arb:
    """1 minus the largest absolute entry."""
    return largest_entry_margin(p.data)


def records_margin(p: MaskedPair) -> arb:
    """``n - 2``."""
    return arb(p.data.nrows() - 2)


def rows_margin(p: MaskedPair) -> arb:
    """``m - 2 (C_1 + C_2) ln 2np``."""
    return ENOUGH_ROWS.margin(TruncationSetting(p.data.nrows(), p.data.ncols(), p.rows))


AFFINE_MASKING = (
    Step(
        "affine-masking",
        Statement(
            "publish Y = Phi X + Z, entries of X in [-1, 1] and of Z from N(0, c), drawn anew until |Y_j|^2 <= 2 (1 + "
            "c) m for every column: any two data sets that differ in one row have a loss of at most (1 + c + 1/(2n)) "
            "m p^2/(n c^2) + ln(1 + 1/(n^2 - 1))",
            masked_margin,
            given=(
                Condition("both databases are n x p", shape_margin),
                exceeds("at most one row differs", one_row_margin, strict=False),
                Condition("the entries of both are in [-1, 1]", both_entries_margin),
                Condition("n >= 2", records_margin),
                whole("rows", 1),
                Condition(ENOUGH_ROWS.says, rows_margin),
                positive("noise"),
            ),
        ),
        defect=None,
        note=(
            "So alpha-differential privacy as Definition 2.1 has it: no floor, no reference, no normalisation. A draw "
            "is repeated with probability at most 1/n^2. At m <= K p^2 ln 2np and p <= s (n/log n)^(1/4), p <= n, "
            "alpha is at most (1 + c + 1/(2n)) 3 K s^4/c^2 and the logarithm: o(1). It is another mechanism, which the "
            "document leaves for future work."
        ),
    ),
    Step(
        "masked-components",
        Statement(
            "of the same Y, before a draw is repeated, E ||Y'Y/m - c I - X'X/n||_F^2 <= 2 (1 + c)^2 p^2/m",
            masked_components_margin,
            given=(
                Condition("the entries of X are in [-1, 1]", entries_margin),
                whole("rows", 1),
                at_least("noise", 0),
            ),
        ),
        defect=None,
        note=(
            "X'X/n and X'X/n + c I have the same eigenvectors and gaps. So at m = K p^2 ln 2np Y serves PCA as Phi X "
            "does in Theorem 5.1, with an error of o(1) in probability, up to the factor (1 + c)^2."
        ),
    ),
)
