"""How little noise windows of a stream can have, if they are read off noisy combinations of its parts."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import attrs
from flint import acb, acb_poly, arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact
from dpmatrix.spec.beyond.pairs import squared_norm
from dpmatrix.spec.beyond.windows import polynomial
from dpmatrix.spec.common.conditions import exceeds, whole
from dpmatrix.spec.common.spectra import eigenvalues


@attrs.frozen
class Weights:
    """Weights c_0, ..., c_(w-1), and the number W of parts in a window."""

    weights: tuple[Exact, ...]
    leaves: int


def lebesgue(leaves: int) -> arb:
    """Mean of |a| over the unit circle: a(e^it) is, but for a phase, the real kernel sin(W t/2)/sin(t/2).

    The kernel is 1 + 2 cos t + 2 cos 2t + ..., or 2 cos(t/2) + 2 cos(3t/2) + ..., and changes its sign at 2 pi j/W.
    """
    odd = leaves % 2
    doubled = range(2 if odd else 1, leaves, 2)

    def integral(end: arb) -> arb:
        return sum((4 * (end * f / 2).sin() / f for f in doubled), odd * end)

    values = [integral(2 * arb.pi() * j / leaves) for j in range(leaves + 1)]
    arches = [(-1) ** j * (after - before) for j, (before, after) in enumerate(pairwise(values))]
    return sum(arches, arb(0)) / (2 * arb.pi())


def mean_quotient(p: Weights) -> arb:
    """Mean of ``|a/c|^2`` over the unit circle, the sum of all squares of terms of a/c where c has no zero inside."""
    above, below = acb_poly(polynomial([1] * p.leaves)), acb_poly(polynomial(p.weights))

    def integrand(t: acb, _analytic: bool) -> acb:
        z = (acb(0, 1) * t).exp()
        return above(z) * above(1 / z) / (below(z) * below(1 / z))

    return acb.integral(integrand, 0, 2 * acb.pi()).real / (2 * arb.pi())


def window_noise_margin(p: Weights) -> arb:
    """``|c|^2`` times the sum of the squares of a/c, minus the square of the mean of |a|."""
    return squared_norm(p.weights) * mean_quotient(p) - lebesgue(p.leaves) ** 2


def no_zero_margin(p: Weights) -> arb:
    """The least modulus of a zero of c, minus 1; 1 where c is a constant that is not zero."""
    found = polynomial(p.weights)
    if not found[0]:
        return arb(-1)
    roots: list[Any] = list(found.complex_roots())
    margin = arb(1)
    for root, _ in roots:
        margin = margin.min(abs(root) - 1)
    return margin


@attrs.frozen
class Strategy:
    """A lower triangular invertible C, rational, of order T, and W: windows are B Y for B = A C^-1."""

    matrix: fmpq_mat
    leaves: int


def window_matrix(size: int, leaves: int) -> fmpq_mat:
    """A: row t sums the parts t - W + 1, ..., t."""
    return fmpq_mat(size, size, [int(s <= t < s + leaves) for t in range(size) for s in range(size)])


def greatest_row(matrix: fmpq_mat) -> arb:
    """The greatest squared norm of a row."""
    rows = matrix.tolist()
    return arb(max(sum((entry * entry for entry in row), fmpq(0)) for row in rows))


def nuclear_norm(matrix: fmpq_mat) -> arb:
    """Sum of the singular values of an invertible matrix."""
    return sum((value.sqrt() for value in eigenvalues(matrix.transpose() * matrix)), arb(0))


def strategy_margin(p: Strategy) -> arb:
    """Greatest squared row of B times greatest squared column of C, minus the square of |A|_* / T."""
    size = p.matrix.nrows()
    needed = window_matrix(size, p.leaves)
    answers = needed * p.matrix.inv()
    return greatest_row(answers) * greatest_row(p.matrix.transpose()) - (nuclear_norm(needed) / size) ** 2


def invertible_margin(p: Strategy) -> arb:
    """``|det C|``, or minus one where C is not square."""
    if p.matrix.nrows() != p.matrix.ncols() or p.matrix.nrows() == 0:
        return arb(-1)
    return abs(arb(p.matrix.det()))


@attrs.frozen
class LongStream:
    """A number T of parts, and a window of W of them."""

    length: int
    leaves: int


def full_windows(p: LongStream) -> fmpq:
    """``T - (W - 1)/2``: windows that are not full count for what they hold."""
    return fmpq(2 * p.length - p.leaves + 1, 2)


def long_stream_margin(p: LongStream) -> arb:
    """``|A|_* - (T - (W - 1)/2) L``, L the mean of |a|."""
    return nuclear_norm(window_matrix(p.length, p.leaves)) - arb(full_windows(p)) * lebesgue(p.leaves)


def length_margin(p: LongStream) -> arb:
    """``T - W``."""
    return arb(p.length - p.leaves)


@attrs.frozen
class OddWindow:
    """A window of 2 n + 1 parts."""

    n: int


def fejer_margin(p: OddWindow) -> arb:
    """Minus the distance of the mean of |a| from ``1/W + (2/pi) sum_(k <= n) tan(pi k/W)/k``, W = 2 n + 1."""
    size = 2 * p.n + 1
    tangents = sum(((arb.pi() * k / size).tan() / k for k in range(1, p.n + 1)), arb(0))
    return -abs(lebesgue(size) - (arb(1) / size + 2 * tangents / arb.pi()))


WINDOW_NOISE = Claim(
    id="beyond.window-noise",
    kind=Kind.LOWER_BOUND,
    source=Locator(
        "beyond",
        "Windows, least noise",
        "|c|^2 sum_k (a/c)_k^2 >= L_W^2, L_W the mean of |a(x)| over the unit circle, a(x) = 1 + x + ... + x^(W-1)",
    ),
    statement=Statement(
        "for weights c without a zero in the closed unit disc, |c|^2 times the sum of the squares of all terms of a/c "
        "is at least the square of the mean of |a| over the unit circle",
        window_noise_margin,
        given=(whole("leaves", 1), exceeds("c has no zero in the closed unit disc", no_zero_margin)),
    ),
    verdict=Verdict.HOLDS,
    headline="No fixed weights read windows of a long stream with less noise than a Lebesgue constant says.",
    because=(
        "The sums of squares of the terms of c and of a/c are means of |c|^2 and of |a/c|^2 over the circle, by "
        "Parseval, and the mean of |a| is at most the root of their product, by Cauchy and Schwarz. Equality holds "
        "where |c|^2 is proportional to |a|, as for the series c = a^(1/2), whose first terms the mechanism takes. For "
        "filters of streams this optimum is that of Le Ny and Pappas (2014, zero-forcing equalization), here of the "
        "window, with a constant of Lebesgue; for sums it is the square-root factorisation of Fichtenberger, Henzinger "
        "and Upadhyay (2023), and as the norm of a Schur multiplier the mean of |a| is due to Bennett (1977).\n\n"
        "Weights that change with time do not help much: of T parts every factorisation has at least |A|_*/T (step "
        "`every-factorisation`), which is at least (1 - (W-1)/(2 T)) L_W (step `long-stream`)."
    ),
    steps=(
        Step(
            "every-factorisation",
            Statement(
                "if A = B C, A the windows of T parts, the greatest norms of a row of B and of a column of C have a "
                "product of at least |A|_*/T",
                strategy_margin,
                given=(whole("leaves", 1), exceeds("C is square and invertible", invertible_margin)),
            ),
            defect=None,
        ),
        Step(
            "long-stream",
            Statement(
                "the windows of W of T parts have a nuclear norm |A|_* of at least (T - (W-1)/2) L_W",
                long_stream_margin,
                given=(whole("leaves", 1), exceeds("T >= W", length_margin, strict=False)),
            ),
            defect=None,
        ),
        Step(
            "lebesgue",
            Statement(
                "for W = 2 n + 1 the mean of |a| is 1/W + (2/pi) sum_(k <= n) tan(pi k/W)/k",
                fejer_margin,
                given=(whole("n", 0),),
            ),
            defect=None,
            note="known, by Fejer",
        ),
    ),
    reading=(
        "The variance of a window is that of the noise, times the sum of squares of a/c; the noise that hides a row "
        "has |c|^2 times the variance that hides it in one sum. So the product says how many times as much variance a "
        "window has as one sum of equal privacy, on a long stream; while it is short, windows have less."
    ),
    uses=("beyond.window-privacy", "beyond.window-estimates"),
)
