"""Windows of a stream read off noisy combinations of its parts: their privacy, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
from flint import arb, fmpq, fmpq_mat, fmpq_poly

from dpmatrix.claims import Claim, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.profiles import GaussianProfile
from dpmatrix.spec.analyze_gauss.gaussian_mechanism import (
    PRINTED,
    GaussianPromise,
    half_of_delta,
    repaired_deviation,
    second_moment_sensitivity,
)
from dpmatrix.spec.beyond.pairs import outer, squared_norm
from dpmatrix.spec.common.conditions import exceeds, whole


@attrs.frozen
class StreamPair(GaussianPromise):
    """Two streams that differ in the row of one time, and combinations of the last parts of each.

    Parameters
    ----------
    weights
        c_0, ..., c_(w-1).
    v, w
        The row at that time in either stream; one is zero where a row is added or removed.
    time, length
        At which part the row comes, counted from 1, and how many parts there are.
    """

    weights: tuple[Exact, ...]
    v: tuple[Exact, ...]
    w: tuple[Exact, ...]
    time: int
    length: int


def upper_triangle(matrix: fmpq_mat) -> list[fmpq]:
    """Entries on and above the diagonal."""
    size = matrix.nrows()
    return [matrix[i, j] for i in range(size) for j in range(i, size)]


def combined(weights: Sequence[fmpq], parts: Sequence[fmpq]) -> list[fmpq]:
    """``c_0 G_t + c_1 G_(t-1) + ...`` for every t."""
    return [
        sum((weight * parts[t - k] for k, weight in enumerate(weights) if k <= t), fmpq(0)) for t in range(len(parts))
    ]


def changed_square(p: StreamPair) -> arb:
    """Sum over all times of the squares by which the row changes the upper triangles of the combinations."""
    weights = [rational(weight) for weight in p.weights]
    total = fmpq(0)
    for entry in upper_triangle(outer(p.v) - outer(p.w)):
        parts = [entry if t == p.time else fmpq(0) for t in range(1, p.length + 1)]
        total += sum((value * value for value in combined(weights, parts)), fmpq(0))
    return arb(total)


def stream_deviation(p: StreamPair) -> arb:
    """``|c| s Delta'``, s and Delta' those of one matrix."""
    return squared_norm(p.weights).sqrt() * second_moment_sensitivity(p) * repaired_deviation(p.epsilon, p.delta)


def stream_divergence(p: StreamPair) -> arb:
    """Exact delta at epsilon of all noisy combinations together."""
    return GaussianProfile(changed_square(p).sqrt(), stream_deviation(p)).delta(p.epsilon)


def weights_margin(p: StreamPair) -> arb:
    """``|c|^2``."""
    return squared_norm(p.weights)


def in_time_margin(p: StreamPair) -> arb:
    """``T - t``."""
    return arb(p.length - p.time)


def v_margin(p: StreamPair) -> arb:
    """``R^2 - |v|^2``."""
    return square(ball(p.norm_bound)) - squared_norm(p.v)


def w_margin(p: StreamPair) -> arb:
    """``R^2 - |w|^2``."""
    return square(ball(p.norm_bound)) - squared_norm(p.w)


def one_row_margin(p: StreamPair) -> arb:
    """Under add/remove-one v or w is zero."""
    if p.adjacency is Adjacency.REPLACE_ONE:
        return arb(0)
    return -squared_norm(p.v).min(squared_norm(p.w))


WINDOW_PRIVACY = Claim(
    id="beyond.window-privacy",
    kind=Kind.PRIVACY,
    source=Locator(
        "beyond",
        "Windows, privacy",
        "Y_t = c_0 G_t + ... + c_(w-1) G_(t-w+1) + Z_t, entries of Z_t of deviation |c| s Delta': all Y_t together are "
        "(eps, delta/2)-private",
    ),
    statement=Statement.of_law(
        "all noisy combinations of the parts of a stream are together (epsilon, delta/2)-private, if each entry has "
        "the standard deviation |c| s Delta'",
        stream_divergence,
        at_most=half_of_delta,
        probability=False,
        given=(
            *PRINTED,
            exceeds("some weight is not zero", weights_margin),
            whole("time", 1),
            exceeds("t <= T", in_time_margin, strict=False),
            exceeds("|v| <= R", v_margin, strict=False),
            exceeds("|w| <= R", w_margin, strict=False),
            exceeds("under add/remove-one, v or w is zero", one_row_margin, strict=False),
        ),
    ),
    verdict=Verdict.HOLDS,
    headline="One guarantee covers every window that is ever published of a stream without end.",
    because=(
        "A row at time t changes its part of the stream by D = vv' - ww', and Y_(t+k) by c_k D, as long as the stream "
        "lasts: so all combinations together change by a vector of squared norm at most |c|^2 |D|^2, however long the "
        "stream is. Noise of that many times the deviation for one matrix hides it, by the repaired Algorithm 1. "
        "Windows are computed from the Y_t."
    ),
    reading=(
        "G_t is the sum of xx' over the rows of part t; |D| is the norm of the upper triangle, at most s. Streams are "
        "fixed in advance."
    ),
    uses=("analyze-gauss.algorithm-1+repair",),
)


@attrs.frozen
class NoisyParts:
    """Parts of a stream, noise, and the window that is read off their combinations.

    Parameters
    ----------
    weights
        c_0, ..., c_(w-1), the first of them not zero.
    leaves
        W.
    parts, noise
        G_1, ..., G_T and Z_1, ..., Z_T.
    """

    weights: tuple[Exact, ...]
    leaves: int
    parts: tuple[Exact, ...]
    noise: tuple[Exact, ...]


def estimates(weights: Sequence[fmpq], noisy: Sequence[fmpq]) -> list[fmpq]:
    """``X_t = (Y_t - c_1 X_(t-1) - c_2 X_(t-2) - ...) / c_0``: the quotient of two series."""
    found: list[fmpq] = []
    for value in noisy:
        known = sum((weight * before for weight, before in zip(weights[1:], reversed(found), strict=False)), fmpq(0))
        found.append((value - known) / weights[0])
    return found


def last_sums(values: Sequence[fmpq], leaves: int) -> list[fmpq]:
    """Sums of the last W values, for every t: the product with a(x) = 1 + x + ... + x^(W-1)."""
    return combined([fmpq(1)] * leaves, values)


def window_gains(weights: Sequence[fmpq], leaves: int, terms: int) -> list[fmpq]:
    """The first terms of the series a(x)/c(x)."""
    return last_sums(estimates(weights, [fmpq(1)] + [fmpq(0)] * (terms - 1)), leaves)


def window_margin(p: NoisyParts) -> arb:
    """Minus the distances of all windows from the sum of their parts and the noise that a(x)/c(x) makes of Z."""
    weights, parts, noise = ([rational(value) for value in values] for values in (p.weights, p.parts, p.noise))
    noisy = [value + error for value, error in zip(combined(weights, parts), noise, strict=True)]
    published = last_sums(estimates(weights, noisy), p.leaves)
    gains = window_gains(weights, p.leaves, len(parts))
    stated = [true + error for true, error in zip(last_sums(parts, p.leaves), combined(gains, noise), strict=True)]
    return -arb(sum((abs(one - other) for one, other in zip(published, stated, strict=True)), fmpq(0)))


def first_weight_margin(p: NoisyParts) -> arb:
    """``|c_0|``."""
    return abs(arb(rational(p.weights[0]))) if p.weights else arb(-1)


def lengths_margin(p: NoisyParts) -> arb:
    """Zero exactly when parts and noise are equally many."""
    return -arb(abs(len(p.parts) - len(p.noise)))


@attrs.frozen
class Quotient:
    """A polynomial q that is nearly 1/c, and how many terms of a/c are looked at.

    Parameters
    ----------
    weights
        c_0, ..., c_(w-1).
    leaves
        W.
    quotient
        Coefficients of q.
    terms
        K.
    """

    weights: tuple[Exact, ...]
    leaves: int
    quotient: tuple[Exact, ...]
    terms: int


def polynomial(coefficients: Sequence[Exact]) -> fmpq_poly:
    """Coefficients, that of x^0 first."""
    return fmpq_poly([rational(value) for value in coefficients])


def remainder_norm(p: Quotient) -> arb:
    """The l1 norm of c q - 1."""
    rest = polynomial(p.weights) * polynomial(p.quotient) - 1
    return arb(sum((abs(value) for value in rest.coeffs()), fmpq(0)))


def certified_gain(p: Quotient) -> arb:
    """``(|a q|_2 / (1 - r))^2``, r the l1 norm of c q - 1."""
    product = polynomial([1] * p.leaves) * polynomial(p.quotient)
    return squared_norm(tuple(product.coeffs())) / (1 - remainder_norm(p)) ** 2


def bounded_margin(p: Quotient) -> arb:
    """The bound minus the sum of the squares of the first K terms of a/c."""
    gains = window_gains([rational(weight) for weight in p.weights], p.leaves, p.terms)
    return certified_gain(p) - squared_norm(tuple(gains))


def near_margin(p: Quotient) -> arb:
    """``1 - r``."""
    return 1 - remainder_norm(p)


WINDOW_ESTIMATES = Claim(
    id="beyond.window-estimates",
    kind=Kind.LEMMA,
    source=Locator(
        "beyond",
        "Windows, estimates",
        "X_t = (Y_t - c_1 X_(t-1) - ...)/c_0; the last W of them sum to those of G and the noise of a(x)/c(x)",
    ),
    statement=Statement(
        "the sum of the last W estimates is that of the last W parts, and the noise to which the series a(x)/c(x) "
        "filters Z, at every time",
        window_margin,
        given=(
            exceeds("c_0 is not zero", first_weight_margin),
            whole("leaves", 1),
            exceeds("as many parts as noises", lengths_margin, strict=False),
        ),
    ),
    verdict=Verdict.HOLDS,
    because=(
        "As series in x, Y = c G + Z and X = Y/c, so a X = a G + (a/c) Z, a(x) = 1 + x + ... + x^(W-1). Nothing but "
        "the noise is wrong with a window, and its mean is zero. The variance of an entry after t parts is that of Z "
        "times the sum of the squares of the first t terms of a/c."
    ),
    steps=(
        Step(
            "bounded",
            Statement(
                "if the l1 norm r of c q - 1 is below 1, the squares of any number of terms of a/c sum to at most "
                "(|a q|_2/(1 - r))^2",
                bounded_margin,
                given=(whole("leaves", 1), whole("terms", 1), exceeds("r < 1", near_margin)),
            ),
            defect=None,
        ),
    ),
)
