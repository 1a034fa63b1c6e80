"""What the repair of Theorem 3 can hold in place of all sums: noisy running totals, one for each checkpoint.

R(t) is the noisy total of the first t rows, made of released sums: of blocks of 2^h >= W rows and of parts of the last
block. A checkpoint is a time s with R(s); it stands for the rows after s, and S = R(T) - R(s) for their second moment.
After a row the first checkpoint goes when the second one is at or before the window's beginning; then, of three
checkpoints in a row, the middle one goes if (1 - eta) S_i <= S_(i+2) + z, z = 2 (2 - eta) zeta, unless a block begins
there; then the new time is added. Where R(t) - R(s) is off by zeta at most, for all times from the block on in which
the window begins, the first S is near the second moment of the window, and the checkpoints are few.
"""

from __future__ import annotations

from itertools import combinations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Statement, Step
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.common.conditions import below, exceeds, positive, whole
from dpmatrix.spec.common.spectra import identity
from dpmatrix.spec.sliding_window.dyadic_release import DyadicRelease, WindowCover, deviation, signed_cover
from dpmatrix.spec.sliding_window.loewner import (
    are_symmetric,
    between,
    flag,
    least,
    precedes,
    precedes_margin,
    row,
    scaled,
    squared_norm,
)
from dpmatrix.spec.sliding_window.private_window import within_bound
from dpmatrix.spec.sliding_window.window_noise import norm_failure


@attrs.frozen
class RunningTotals:
    """A stream of T rows and the noise of its running totals.

    Parameters
    ----------
    rows
        T x d.
    noise
        R(t) minus the exact total, for t = 0 to T; symmetric.
    window, height
        W and h.
    eta, bound
        eta and zeta.
    """

    rows: fmpq_mat
    noise: tuple[fmpq_mat, ...]
    window: int
    height: int
    eta: Exact
    bound: Exact


def tolerance(p: RunningTotals) -> Exact:
    """``z = 2 (2 - eta) zeta``."""
    return 2 * (2 - rational(p.eta)) * rational(p.bound)


def exact_sum(p: RunningTotals, start: int, end: int) -> fmpq_mat:
    """Second moment of the rows after ``start``, up to ``end``."""
    return between(p.rows, start + 1, end)


def noisy_sum(p: RunningTotals, start: int, end: int) -> fmpq_mat:
    """``R(end) - R(start)``."""
    return exact_sum(p, start, end) + p.noise[end] - p.noise[start]


def window_start(p: RunningTotals, time: int) -> int:
    """How many rows are before the window at a time."""
    return max(0, time - p.window)


def thinned(p: RunningTotals, held: list[int], time: int) -> list[int]:
    """Go through the checkpoints from the first one on, and drop the middle of three where the outer ones are close."""
    kept, place = list(held), 0
    slack = scaled(tolerance(p), identity(p.rows.ncols()))
    while place + 2 < len(kept):
        older, newer = (noisy_sum(p, kept[index], time) for index in (place, place + 2))
        spared = kept[place + 1] % (1 << p.height) == 0
        if not spared and precedes(scaled(1 - rational(p.eta), older), newer + slack):
            del kept[place + 1]
        else:
            place += 1
    return kept


def checkpoints(p: RunningTotals) -> list[int]:
    """Times that are held after the last row; the newest one is the last row itself, and stands for no row."""
    held = [0]
    for time in range(1, p.rows.nrows() + 1):
        while len(held) > 1 and held[1] <= window_start(p, time):
            held = held[1:]
        held = [*thinned(p, held, time), time]
    return held


def floor(p: RunningTotals) -> Exact:
    """``f = (2 - eta) zeta / eta``."""
    return (2 - rational(p.eta)) * rational(p.bound) / rational(p.eta)


def determinant_bound(p: RunningTotals, held: list[int]) -> arb:
    """``4 + 2 log(det(K_1 + f)/det(K_m + f)) / -log(1 - eta)``, m the last checkpoint that stands for a row."""
    total, ridge = p.rows.nrows(), scaled(floor(p), identity(p.rows.ncols()))
    first, last = ((exact_sum(p, start, total) + ridge).det() for start in (held[0], held[-2]))
    return 4 + 2 * arb(first / last).log() / -(1 - ball(p.eta)).log()


def rank_bound(p: RunningTotals, held: list[int]) -> arb:
    """``4 + (2r/eta) log(1 + 2^(h+1)/(r f))``, r the rank of the rows from the first checkpoint on, at least 1."""
    rank = max(1, exact_sum(p, held[0], p.rows.nrows()).rank())
    return 4 + 2 * rank / ball(p.eta) * (1 + ball((2 << p.height) / (rank * floor(p)))).log()


def count_margin(p: RunningTotals) -> arb:
    """Least of `determinant_bound` minus the number of checkpoints, and `rank_bound` minus `determinant_bound`."""
    held = checkpoints(p)
    middle = determinant_bound(p, held)
    return (middle - len(held)).min(rank_bound(p, held) - middle)


def output_margin(p: RunningTotals) -> arb:
    """Least slack of ``K_W - zeta <= S_1 <= (K_W + 3 (2 - eta) zeta)/(1 - eta) + zeta``."""
    total, unit = p.rows.nrows(), identity(p.rows.ncols())
    window, output = exact_sum(p, window_start(p, total), total), noisy_sum(p, checkpoints(p)[0], total)
    eta, zeta = rational(p.eta), rational(p.bound)
    upper = scaled(1 / (1 - eta), window + scaled(3 * (2 - eta) * zeta, unit)) + scaled(zeta, unit)
    return precedes_margin(window - scaled(zeta, unit), output).min(precedes_margin(output, upper))


def shapes_margin(p: RunningTotals) -> arb:
    """0 when there is a row, and a symmetric d x d noise for each total."""
    total = p.rows.nrows()
    return flag(total >= 1 and len(p.noise) == total + 1 and are_symmetric(p.noise, p.rows.ncols()))


def norms_margin(p: RunningTotals) -> arb:
    """1 minus the largest squared norm of a row."""
    return 1 - arb(max((squared_norm(row(p.rows, time)) for time in range(1, p.rows.nrows() + 1)), default=fmpq(0)))


def block_margin(p: RunningTotals) -> arb:
    """``2^h - W``."""
    return arb(2) ** p.height - p.window


def first_time(window: int, height: int, total: int) -> int:
    """When the block began in which the window begins."""
    return max(0, total - window) >> height << height


def noise_margin(p: RunningTotals) -> arb:
    """Non-negative exactly when R(t) - R(s) is off by zeta at most, for all s < t from `first_time` on."""
    if shapes_margin(p) < 0 or p.window < 1 or p.height < 0:
        return flag(holds=False)
    total = p.rows.nrows()
    times = range(first_time(p.window, p.height, total), total + 1)
    return least([within_bound(p.noise[end] - p.noise[start], p.bound) for start, end in combinations(times, 2)])


TOTALS = (
    whole("window", 1),
    whole("height", 0),
    positive("eta"),
    below("eta", 1),
    exceeds("a symmetric noise for each total", shapes_margin, strict=False),
    exceeds("R(t) - R(s) is off by zeta at most", noise_margin, strict=False),
)
SHORT_ROWS = (
    *TOTALS,
    exceeds("2^h >= W", block_margin, strict=False),
    positive("bound"),
    exceeds("rows of norm at most 1", norms_margin, strict=False),
)


@attrs.frozen
class TotalsNoise:
    """The noise of all R(t) - R(s), s < t, from the block on in which the window at time T begins.

    Parameters
    ----------
    total, window, height
        T, W and h.
    epsilon, delta
        The guarantee for the whole sequence.
    dimension
        d.
    beta
        Allowed probability of failure.
    bound
        zeta.
    """

    total: int
    window: int
    height: int
    epsilon: Exact
    delta: Exact
    dimension: int
    beta: Exact
    bound: Exact


def noise_of_one(p: TotalsNoise) -> arb:
    """Standard deviation of the noise of one sum, s."""
    return deviation(DyadicRelease(0, p.height, p.epsilon, p.delta))


def failure_bound(p: TotalsNoise) -> arb:
    """Sum, over all s < t, of ``2 3^d exp(-49 zeta^2 / (256 q s^2))``, q the number of sums that make R(t) - R(s)."""
    times = range(first_time(p.window, p.height, p.total), p.total + 1)
    sizes = [len(signed_cover(WindowCover(start, end, p.height))) for start, end in combinations(times, 2)]
    variance = square(noise_of_one(p))
    return sum((norm_failure(p.dimension, p.bound, size * variance) for size in sizes), arb(0))


def failure_margin(p: TotalsNoise) -> arb:
    """``beta`` minus `failure_bound`."""
    return ball(p.beta) - failure_bound(p)


def needed_margin(p: TotalsNoise) -> arb:
    """``zeta - (16/7) s sqrt((2h + 1) (d log 3 + (2h + 2) log 2 + log(1/beta)))``."""
    if p.height < 0:
        return flag(holds=False)
    exponent = p.dimension * arb(3).log() + (2 * p.height + 2) * arb(2).log() - ball(p.beta).log()
    return ball(p.bound) - 16 * noise_of_one(p) * ((2 * p.height + 1) * exponent).sqrt() / 7


NOISE = (
    whole("total", 1),
    whole("window", 1),
    whole("height", 0),
    exceeds("2^h >= W", block_margin, strict=False),
    positive("epsilon"),
    positive("delta"),
    below("delta", 1),
    whole("dimension", 1),
    positive("beta"),
    below("beta", 1),
    exceeds("zeta >= (16/7) s sqrt((2h+1) (d log 3 + (2h+2) log 2 + log(1/beta)))", needed_margin, strict=False),
)

RUNNING_TOTALS = (
    Step(
        "space-of-running-totals",
        Statement(
            "where the noise of R(t) - R(s) has norm at most zeta, the number l of checkpoints is at most 4 + 2 "
            "log(det(K_1 + f)/det(K_m + f)) / -log(1 - eta), K_1 and K_m the second moments of the rows of the first "
            "and of the last one that stands for a row, f = (2 - eta) zeta/eta, and that is at most 4 + (2r/eta) log(1 "
            "+ 2^(h+1)/(r f)), r the rank of the rows from the first one on",
            count_margin,
            given=SHORT_ROWS,
        ),
        defect=None,
        note="In place of item 3, for the mechanism of the repair: R(T), two totals for each size of a part and one "
        "for each checkpoint are held, (l + 2h + 3) d(d+1)/2 numbers; an update compares fewer pairs than there are.",
    ),
    Step(
        "accuracy-of-running-totals",
        Statement(
            "where the noise of R(t) - R(s) has norm at most zeta, K_W - zeta <= S_1 <= (K_W + 3 (2 - eta) zeta)/(1 - "
            "eta) + zeta, K_W the second moment of the window",
            output_margin,
            given=TOTALS,
        ),
        defect=None,
        note="In place of item 2. For eta <= 1/2 the right side is at most (1 + 2 eta) K_W + 10 zeta.",
    ),
    Step(
        "noise-of-running-totals",
        Statement(
            "the bound used for the probability that some R(t) - R(s), s < t, from the block on in which the window at "
            "T begins, is off by more than zeta is at most beta",
            failure_margin,
            given=NOISE,
        ),
        defect=None,
        note="Arithmetic: there are fewer than 2^(2h+1) pairs, each the signed sum of at most 2h + 1 released sums. "
        "Nothing depends on T, as it is the probability for one time.",
    ),
)
