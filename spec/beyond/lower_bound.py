"""How much noise every mechanism of a pure guarantee adds to second moments, at least."""

from __future__ import annotations

from itertools import accumulate, pairwise
from math import comb
from typing import Any

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, Real, ball, rational
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.spec.beyond.k_norm import unit_ball
from dpmatrix.spec.common.conditions import at_least, below, exceeds, positive, whole
from dpmatrix.spec.common.spectra import eigenvalues


@attrs.frozen
class Staircase:
    """Noise whose density depends on the norm of what one record can change, and falls in steps.

    Parameters
    ----------
    dimension
        d, 1 or 2.
    heights
        The density is proportional to the j-th where ``j <= |N| < j + 1``, and falls by e^-epsilon a step after the
        last; |N| is the norm of `beyond.k-norm-privacy`.
    epsilon
        The stated epsilon.
    adjacency
        The neighbouring relation.
    stretch
        s of the bound, which holds for each.
    """

    dimension: int
    heights: tuple[Exact, ...]
    epsilon: Real
    adjacency: Adjacency
    stretch: Real


def size(dimension: int) -> int:
    """``D = d (d + 1)/2``."""
    return dimension * (dimension + 1) // 2


def step_integral(p: Staircase, power: int) -> arb:
    """Integral of x^(power - 1) times the height at x, over x >= 0; the steps after the last one are a series.

    ``S_q``, the sum of (j + J)^q b^j over j >= 0, is ``(J^q + b sum_(i<q) C(q, i) S_i)/(1 - b)``, b = e^-epsilon.
    """
    heights = [arb(rational(height)) for height in p.heights]
    total = sum((h * ((j + 1) ** power - j**power) for j, h in enumerate(heights[:-1])), arb(0))
    last, b = len(heights) - 1, (-ball(p.epsilon)).exp()
    sums: list[arb] = []
    for q in range(power + 1):
        lower = sum((comb(q, i) * sums[i] for i in range(q)), arb(0))
        sums.append((arb(last) ** q + b * lower) / (1 - b))
    rises = sum((comb(power, i) * sums[i] for i in range(power)), arb(0))
    return (total + heights[-1] * rises) / power


def staircase_square(p: Staircase) -> arb:
    """``E |N|_F^2``, N/|N| independent of |N|; its square is (D + 2)/D times the mean square over the unit ball."""
    order = size(p.dimension)
    on_sphere = arb(1)
    if p.dimension > 1:
        volume, square = unit_ball(p.adjacency)
        on_sphere = arb(square / volume) * (order + 2) / order
    return on_sphere * step_integral(p, order + 2) / step_integral(p, order)


def line_square(b: Any) -> Any:  # noqa: ANN401 - of a ball or of an exact number
    """``b (1 + b)/(1 - b)^2``."""
    return b * (1 + b) / (1 - b) ** 2


def entry_square(epsilon: Real) -> arb:
    """Mean square of the error of the trace, or of an entry on the diagonal, at least: the above at b = e^-epsilon."""
    square: arb = line_square((-ball(epsilon)).exp())
    return square


def records_at_once(adjacency: Adjacency) -> int:
    """How many records a change by a trace-zero matrix takes besides its norm: 1 replaced, or 2 added or removed."""
    return 1 if adjacency is Adjacency.REPLACE_ONE else 2


def reach(dimension: int, epsilon: Real, adjacency: Adjacency, stretch: Real) -> arb:
    """``rho = ((D - 1) log(1 + s)/eps - g)/s``, g the records at once."""
    s = ball(stretch)
    return ((size(dimension) - 1) * s.log1p() / ball(epsilon) - records_at_once(adjacency)) / s


def few_records_margin(dimension: int, epsilon: Real, adjacency: Adjacency, stretch: Real) -> arb:
    """``eps (s rho + g - g (d - 1)) - log(1 + eps s rho/2)``, and rho, if that is less."""
    rho, g = reach(dimension, epsilon, adjacency, stretch), records_at_once(adjacency)
    risen = ball(epsilon) * ball(stretch) * rho
    return rho.min(risen - ball(epsilon) * (g * (dimension - 2)) - (1 + risen.max(arb(0)) / 2).log())


def least_square(dimension: int, epsilon: Real, adjacency: Adjacency, stretch: Real) -> arb:
    """The larger of ``d B`` and ``(B + (2 rho/g)^2)/d``, B that of one entry; only d B where few records do more."""
    one = entry_square(epsilon)
    if not few_records_margin(dimension, epsilon, adjacency, stretch) > 0:
        return dimension * one
    spread = (2 * reach(dimension, epsilon, adjacency, stretch) / records_at_once(adjacency)) ** 2
    return (dimension * one).max((one + spread) / dimension)


def least_noise_margin(p: Staircase) -> arb:
    """``E |N|_F^2`` of a staircase minus the bound."""
    return staircase_square(p) - least_square(p.dimension, p.epsilon, p.adjacency, p.stretch)


def steps_margin(p: Staircase) -> arb:
    """Least of ``eps - |log h_j - log h_(j+1)|``."""
    logs = [arb(rational(height)).log() for height in p.heights]
    margin = ball(p.epsilon)
    for one, other in pairwise(logs):
        margin = margin.min(ball(p.epsilon) - abs(one - other))
    return margin


def heights_margin(p: Staircase) -> arb:
    """The least height."""
    return arb(min(rational(height) for height in p.heights)) if p.heights else arb(-1)


def order_margin(p: Staircase) -> arb:
    """``2 - d``."""
    return arb(2 - p.dimension)


@attrs.frozen
class Moved:
    """Noise whose part of trace zero has the norm r, under a stretch of that part by s.

    Parameters
    ----------
    dimension
        d.
    norm
        r: the trace of the positive part (replace-one), or the nuclear norm (add/remove-one).
    epsilon
        The stated epsilon.
    adjacency
        The neighbouring relation.
    stretch
        s.
    """

    dimension: int
    norm: Real
    epsilon: Real
    adjacency: Adjacency
    stretch: Real


def tangent_margin(p: Moved) -> arb:
    """``exp(-eps max(s r + g, g (d-1))) (1+s)^(D-1) - 1 - eps s (rho^2 - r^2)/(2 rho)``."""
    s, r, g = ball(p.stretch), ball(p.norm), records_at_once(p.adjacency)
    rho = reach(p.dimension, p.epsilon, p.adjacency, p.stretch)
    records = (s * r + g).max(arb(g * (p.dimension - 1)))
    density = (-ball(p.epsilon) * records + (size(p.dimension) - 1) * s.log1p()).exp()
    return density - 1 - ball(p.epsilon) * s * (rho**2 - r**2) / (2 * rho)


def few_records(p: Moved) -> arb:
    """The margin of the same name at a point."""
    return few_records_margin(p.dimension, p.epsilon, p.adjacency, p.stretch)


@attrs.frozen
class Spectrum:
    """Eigenvalues of a semidefinite matrix, and a number of records.

    Parameters
    ----------
    values
        The positive eigenvalues.
    records
        k.
    """

    values: tuple[Exact, ...]
    records: int


def majorised_margin(p: Spectrum) -> arb:
    """Least of ``p_1 + ... + p_j - j t/k`` over 0 < j < k, for eigenvalues in falling order, then zeros, of sum t.

    If k eigenvalues do not have the sum t, minus what is missing.
    """
    values = sorted((rational(value) for value in p.values), reverse=True)
    values += [rational(0)] * (p.records - len(values))
    sums = list(accumulate(values))
    if missing := sums[-1] - sums[p.records - 1]:
        return arb(-missing)
    leads = [partial - sums[-1] * j / p.records for j, partial in enumerate(sums[: p.records - 1], 1)]
    return arb(min(leads)) if leads else arb(0)


def values_margin(p: Spectrum) -> arb:
    """The least eigenvalue."""
    return arb(min(rational(value) for value in p.values)) if p.values else arb(-1)


def enough_margin(p: Spectrum) -> arb:
    """The smaller of ``k - rank`` and ``k - t``."""
    total = sum((rational(value) for value in p.values), fmpq(0))
    return arb(p.records - len(p.values)).min(arb(p.records - total))


@attrs.frozen
class Symmetric:
    """A symmetric rational matrix of trace zero."""

    matrix: fmpq_mat


def flat_margin(p: Symmetric) -> arb:
    """``d |Z|_F^2 - |Z|_*^2``."""
    values = eigenvalues(p.matrix)
    squares, sizes = sum((v**2 for v in values), arb(0)), sum((abs(v) for v in values), arb(0))
    return p.matrix.nrows() * squares - sizes**2


@attrs.frozen
class Decay:
    """A share b of (0, 1) that is left a step further, and a number of steps."""

    left: Exact
    steps: int


def series_margin(p: Decay) -> arb:
    """Minus the distance of ``b (1+b)/(1-b)^2`` from J terms ``(2j + 1) b^(j + 1)`` and their rest.

    The rest is b^J times the sum of ``(2j + 1 + 2J) b^(j + 1)`` over all j.
    """
    b = rational(p.left)
    partial = sum(((2 * j + 1) * b ** (j + 1) for j in range(p.steps)), fmpq(0))
    rest = b**p.steps * (line_square(b) + 2 * p.steps * b / (1 - b))
    return -abs(arb(line_square(b) - partial - rest))


MOVED = (
    whole("dimension", 2),
    at_least("norm", 0),
    positive("epsilon"),
    positive("stretch"),
    exceeds("few records could not do more", few_records),
)

LEAST_NOISE = Claim(
    id="beyond.least-noise",
    kind=Kind.LOWER_BOUND,
    source=Locator(
        "beyond",
        "Every mechanism",
        "for every (eps, 0)-private M, sup E |M(X) - X'X|_F^2 >= max(d B, (B + (2 rho/g)^2)/d), B = b (1+b)/(1-b)^2",
    ),
    statement=Statement(
        "staircase noise of d <= 2, whose steps differ by e^epsilon at most, has a mean squared Frobenius norm of at "
        "least d B and (B + (2 rho/g)^2)/d, B = b (1+b)/(1-b)^2, b = e^-epsilon, rho = ((D-1) log(1+s)/epsilon - g)/s, "
        "for each s",
        least_noise_margin,
        given=(
            whole("dimension", 1),
            exceeds("d <= 2", order_margin, strict=False),
            positive("epsilon"),
            positive("stretch"),
            exceeds("heights are positive", heights_margin),
            exceeds("steps differ by e^epsilon at most", steps_margin, strict=False),
        ),
    ),
    verdict=Verdict.HOLDS,
    headline="As eps -> 0 and d grows, no pure mechanism has less than half the mean square of the default.",
    because=(
        "For every pure mechanism, of any form, on data sets of every size: let f be the law of its error, averaged "
        "over all counts of records from a large box and a fine net, after a little noise that makes it smooth. In "
        "the limit f(z) <= e^(k eps) f(z - w) for each symmetric w that k records can change. The part of trace zero, "
        "stretched by 1 + s, moves by s times itself, which max(s r + g, g (d-1)) records can change: so "
        "(1+s)^(D-1) E exp(-eps max(s r + g, g (d-1))) <= 1, and a tangent in r^2 gives E r^2 >= rho^2. The trace, "
        "and each entry on the diagonal, moves by one with one record.\n\n"
        "As eps -> 0 the bound is ((d-1)^2 (d+2)^2 + 2)/(d eps^2) for a replaced record, where the symmetrised Wishart "
        "noise has 2 d (d+1)^2/eps^2. The order d^3/eps^2 is known, by the volumes of Hardt and Talwar (2010), and for "
        "second moments from Nikolov (2023) and d'Orsi and Novikov (2025). Geng and Viswanath (2014) show that noise "
        "in steps is the best on a line."
    ),
    steps=(
        Step(
            "records-needed",
            Statement(
                "a semidefinite matrix of rank and trace at most k is a sum of k matrices xx', |x| <= 1: its "
                "eigenvalues majorise k equal numbers",
                majorised_margin,
                given=(
                    whole("records", 1),
                    exceeds("eigenvalues are positive", values_margin),
                    exceeds("rank and trace are at most k", enough_margin, strict=False),
                ),
            ),
            defect=None,
        ),
        Step(
            "tangent",
            Statement(
                "exp(-eps max(s r + g, g (d-1))) (1+s)^(D-1) >= 1 + eps s (rho^2 - r^2)/(2 rho) for every r >= 0",
                tangent_margin,
                given=MOVED,
            ),
            defect=None,
        ),
        Step(
            "flat-spectrum",
            Statement("the nuclear norm is at most the root of d times the Frobenius norm", flat_margin),
            defect=None,
        ),
        Step(
            "one-entry",
            Statement(
                "b (1+b)/(1-b)^2 is the sum of ((j+1)^2 - j^2) b^(j+1) over j < J, and its rest",
                series_margin,
                given=(positive("left"), below("left", 1), whole("steps", 0)),
            ),
            defect=None,
        ),
    ),
    reading=(
        "Records are all vectors of the closed unit ball, and may repeat. The supremum is over data sets of every "
        "size, for replace-one over the sizes of a family of mechanisms: for a fixed size a constant may do better. "
        "For X'X/n divide by n^2."
    ),
    uses=("beyond.k-norm-privacy",),
)
