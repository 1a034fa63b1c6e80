"""SULQ as section 3.1 quotes it: i.i.d. Gaussian noise on all entries of the second-moment matrix."""

from __future__ import annotations

from flint import arb

from dpmatrix.claims import Claim, Condition, Defect, Kind, Locator, Repair, Statement, Verdict
from dpmatrix.exact import ball, square
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.profiles import GaussianProfile
from dpmatrix.privacy.sensitivity import frobenius_sensitivity
from dpmatrix.spec.near_optimal.noise import INPUTS, ModSulq
from dpmatrix.spec.near_optimal.noisy_symmetry import SYMMETRY_STEPS


def quoted_logarithm(p: ModSulq) -> arb:
    """``log(d/delta)``."""
    return (p.dimension / ball(p.delta)).log()


def quoted_deviation(p: ModSulq) -> arb:
    """Root of the variance ``8 d^2 log(d/delta)^2/(n^2 eps^2)``."""
    return arb(8).sqrt() * p.dimension * quoted_logarithm(p) / (p.records * ball(p.epsilon))


def exact_delta(p: ModSulq) -> arb:
    """The hockey-stick divergence of the worst pair: the noise on all entries of XX'/n."""
    sensitivity = frobenius_sensitivity(p.dimension, Adjacency.REPLACE_ONE) / p.records
    return GaussianProfile(sensitivity, quoted_deviation(p)).delta(p.epsilon)


def promised_delta(p: ModSulq) -> arb:
    """``delta``."""
    return ball(p.delta)


def range_margin(p: ModSulq) -> arb:
    """``(2 d log(d/delta))^2 - eps``."""
    return square(2 * p.dimension * quoted_logarithm(p)) - ball(p.epsilon)


SULQ = Claim(
    id="near-optimal.sulq",
    kind=Kind.PRIVACY,
    source=Locator(
        "near-optimal",
        "section 3.1",
        "i.i.d. Gaussian noise of variance 8 d^2 log^2(d/delta)/(n^2 eps^2) is (eps, delta)-DP",
    ),
    statement=Statement.of_law(
        "i.i.d. Gaussian noise of the quoted variance on all entries of A is (epsilon, delta)-differentially private",
        exact_delta,
        at_most=promised_delta,
        given=INPUTS,
        probability=False,
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.HYPOTHESIS,
    headline=(
        "Nothing bounds epsilon: at d = 2, delta = 1/2, epsilon = 100 the noisy matrix has an exact delta above "
        "0.99; up to 4 d^2 log(d/delta)^2 the noise suffices."
    ),
    reading=(
        "Records of norm at most 1, replace-one adjacency with n public. Judged is the noisy matrix, through the worst "
        "pair of neighbours, two normal laws at the l2 sensitivity sqrt(2)/n, or 1/n for d = 1; the eigenvectors that "
        "SULQ releases of it are post-processing, so they inherit the repair, but may be private where the matrix is "
        "not: at d = 2, delta = 1/2 and eps = 100 we do not know, at eps = 500 the first eigenvector is not. Whether "
        "the variance is that of the work quoted is not judged."
    ),
    because=(
        "Nothing bounds epsilon, and the standard deviation falls like 1/eps where 1/sqrt(eps) is needed: at d = 2, "
        "delta = 1/2 and eps = 100 the exact delta is above 0.99, and at eps = 500 the first eigenvector alone "
        "shows which of two records was there.\n\n"
        "For eps <= 4 d^2 L^2, L = log(d/delta), it holds; for d >= 2 that admits every eps <= 7.6. There mu = "
        "sqrt(2)/(n beta) = eps/(2 d L), and the exact delta is at most P(Z > x) with x = 2 d L - eps/(4 d L) >= d L, "
        "below exp(-L) <= delta. From twice that on it fails: for every d >= 2, every n and delta <= 1/4 it is false "
        "at every eps >= 8 d^2 L^2. At d = 2 and delta = 1/2 the range ends at 30.7."
    ),
    repair=Repair(
        "epsilon <= 4 d^2 log(d/delta)^2",
        Statement.of_law(
            "for epsilon <= 4 d^2 log(d/delta)^2 the quoted noise is (epsilon, delta)-differentially private",
            exact_delta,
            at_most=promised_delta,
            given=(*INPUTS, Condition("epsilon <= 4 d^2 log(d/delta)^2", range_margin)),
            probability=False,
        ),
    ),
    steps=SYMMETRY_STEPS,
    uses=("near-optimal.definition-4",),
)
