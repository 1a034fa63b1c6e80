"""Theorem 5: MOD-SULQ with beta of (5) is (epsilon, delta)-differentially private (sections 3 and 5.1)."""

from __future__ import annotations

from flint import arb

from dpmatrix.claims import Claim, Kind, Locator, Statement, Verdict
from dpmatrix.exact import ball
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.profiles import GaussianProfile
from dpmatrix.privacy.sensitivity import frobenius_sensitivity
from dpmatrix.spec.near_optimal.mod_sulq_change import CHANGE_STEPS
from dpmatrix.spec.near_optimal.mod_sulq_noise import NOISE_STEPS
from dpmatrix.spec.near_optimal.noise import INPUTS, REAL_NOISE, ModSulq, printed_deviation


def exact_delta(p: ModSulq) -> arb:
    """Divergence of the worst pair: noise of standard deviation beta on the upper triangle of XX'/n."""
    sensitivity = frobenius_sensitivity(p.dimension, Adjacency.REPLACE_ONE) / p.records
    return GaussianProfile(sensitivity, printed_deviation(p)).delta(p.epsilon)


def promised_delta(p: ModSulq) -> arb:
    """``delta``."""
    return ball(p.delta)


THEOREM_5 = Claim(
    id="near-optimal.theorem-5",
    kind=Kind.PRIVACY,
    source=Locator(
        "near-optimal",
        "Theorem 5",
        "beta = (d+1)/(n eps) sqrt(2 log((d^2+d)/(delta 2 sqrt(2 pi)))) + 1/(n sqrt(eps)) makes MOD-SULQ (eps, "
        "delta)-DP",
    ),
    statement=Statement.of_law(
        "noise whose standard deviation is the beta of (5) is (epsilon, delta)-differentially private",
        exact_delta,
        at_most=promised_delta,
        given=(*INPUTS, REAL_NOISE),
        probability=False,
    ),
    verdict=Verdict.HOLDS,
    reading=(
        "Records of norm at most 1, as section 2 assumes; replace-one adjacency with n public. 'Symmetric with i.i.d. "
        "entries' is read as i.i.d. on and above the diagonal; the eigenvectors are post-processing. 'The beta "
        "in (5)' is a real number: delta <= (d^2+d)/(2 sqrt(2 pi)), which every delta < 1 meets from d = 2 on and "
        "delta <= 0.3989 at d = 1. No range is printed for delta: 0 < delta < 1. The divergence is that of the worst "
        "pair of neighbours, two normal laws at the l2 sensitivity sqrt(2)/n, or 1/n for d = 1; n cancels."
    ),
    because=(
        "Where (5) has a value, which it has not at d = 1 and delta = 1/2, the theorem is true for every epsilon, n "
        "and d. Let s = sqrt(2 log(...)), so that delta = (d^2+d)/2 exp(-s^2/2)/sqrt(2 pi). For d >= 2 the l2 "
        "sensitivity times n is sqrt(2), and the exact delta is at most P(Z > x), where x = n beta eps/sqrt(2) - "
        "1/(sqrt(2) n beta) >= (d+1) s/sqrt(2) >= 3 s/sqrt(2) because n beta >= 1/sqrt(eps); that is at most exp(-9 "
        "s^2/4)/2, below delta.\n\n"
        "For d = 1 it is 1, x >= 2 s + sqrt(eps)/2, and the exact delta is at most exp(-2 "
        "s^2)/sqrt(2 pi), again below delta: it is at most P(Z > x), which suffices for eps >= 1, and at most the "
        "shift 1/(n beta) <= sqrt(eps) times the density at x, which suffices for eps <= 1.\n\n"
        "The noise is d + 1 times what is needed, up to a constant: the printed proof pays for the entries one by "
        "one. In that proof (20) "
        "speaks of all entries, where some entry must be meant."
    ),
    steps=(*CHANGE_STEPS, *NOISE_STEPS),
    uses=("near-optimal.definition-4",),
)
