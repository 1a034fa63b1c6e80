"""The norm of the symmetric Laplace noise of Algorithm 1 (section 4)."""

from __future__ import annotations

import attrs
from flint import arb, fmpz

from dpmatrix.claims import Chosen, Claim, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Real, ball
from dpmatrix.spec.common.points import INPUT_HYPOTHESES, InputPerturbation
from dpmatrix.spec.wishart.laplace_perturbation import printed_laplace_scale


def gaussian_trace_moment(size: int, order: int) -> fmpz:
    """E tr H^(2p) for a complex Hermitian Gaussian matrix with E|H_ij|^2 = 1, by the recursion of Harer and Zagier.

    ``(p + 2) C(p + 1) = (4 p + 2) N C(p) + p (4 p^2 - 1) C(p - 1)``, C(0) = N, C(1) = N^2.
    """
    before, moment = fmpz(size), fmpz(size) ** 2
    for p in range(1, order):
        before, moment = moment, ((4 * p + 2) * size * moment + p * (4 * p * p - 1) * before) // (p + 2)
    return moment if order else before


def walk_length(dimension: int) -> int:
    """``p = max(1, ceil(log d))``: the half length of the closed walks that are counted."""
    return max(1, int(ball(dimension).log().ceil().unique_fmpz() or 0))


def laplace_trace_moment(dimension: int) -> arb:
    """Bound of E tr L^(2p) at p = `walk_length`, b = 1: ``2^(2p) p^(p+1) E tr H^(2p)``, H of size ceil(d/p) + p."""
    p = walk_length(dimension)
    size = -(-dimension // p) + p
    return arb(4**p * p ** (p + 1) * gaussian_trace_moment(size, p))


@attrs.frozen
class LaplaceNorm(InputPerturbation):
    """The noise of Algorithm 1, and the constant that O hides."""

    constant: Real


def printed_laplace_norm(p: InputPerturbation) -> arb:
    """``2 d sqrt(d) / (n epsilon)``."""
    return 2 * p.dimension * arb(p.dimension).sqrt() / (p.records * ball(p.epsilon))


def laplace_norm_margin(p: LaplaceNorm) -> arb:
    """``3 / (2 d)`` minus the bound E tr L^(2p) / t^(2p) of Pr[||L||_2 >= t], t = K 2 d sqrt(d) / (n epsilon)."""
    exponent = 2 * walk_length(p.dimension)
    threshold = ball(p.constant) * printed_laplace_norm(p)
    chance = laplace_trace_moment(p.dimension) * (printed_laplace_scale(p) / threshold) ** exponent
    return arb(3) / (2 * p.dimension) - chance


def laplace_requires_margin(p: InputPerturbation) -> arb:
    """The lower bound ``sqrt(d) b`` of E ||L||_2 minus ``2 d sqrt(d) / (n epsilon)``."""
    return arb(p.dimension).sqrt() * printed_laplace_scale(p) - printed_laplace_norm(p)


LAPLACE_NOISE_NORM = Claim(
    id="wishart.laplace-noise-norm",
    kind=Kind.UTILITY,
    source=Locator("wishart", "Section 4, utility", "||L||_2 = O(2 d sqrt(d) / (n epsilon)) with high probability"),
    statement=Statement(
        "for some K and every d the trace bound of Pr[||L||_2 >= K 2 d sqrt(d) / (n epsilon)] is at most 3 / (2 d), L "
        "the noise of Algorithm 1",
        laplace_norm_margin,
        given=INPUT_HYPOTHESES,
        exists=(Chosen("constant", exhibited=20),),
    ),
    verdict=Verdict.HOLDS,
    because=(
        "E L_ij^(2k) is k! times the moment of N(0, 2 b^2), so closed walks of length 2p compare E tr L^(2p) with a "
        "Gaussian matrix of size d/p + p at the price of p^(p+1); p = log d and Markov's inequality finish. The order "
        "is right, as E ||L||_2 >= sqrt(d) b; the factor 2 inside O(.) has no meaning of its own. The document cites a "
        "book and names no theorem of it; nothing here rests on it. The probability itself is not computed."
    ),
    reading=(
        "High probability means 1 - 3 / (2 d). The probability enters through its bound by the trace moment of order "
        "2p, so that a margin >= 0 implies the inequality."
    ),
    steps=(
        Step(
            "lower-bound",
            Statement(
                "the Laplace mechanism requires O(d sqrt(d) / (n epsilon)): E ||L||_2 >= 2 d sqrt(d) / (n epsilon)",
                laplace_requires_margin,
                given=INPUT_HYPOTHESES,
            ),
            defect=None,
            note="Printed with O; a requirement is a lower bound.",
        ),
    ),
)
