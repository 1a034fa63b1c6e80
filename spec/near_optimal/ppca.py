"""Theorem 6: PPCA, the exponential mechanism for a k-dimensional subspace, is epsilon-DP (sections 3 and 4.1)."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Claim, Condition, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, Real, ball, rational
from dpmatrix.spec.conditions import at_most, equality, positive, whole
from dpmatrix.spec.wishart.sensitivity import UNIT_BALL, RecordPair, nuclear_norm


@attrs.frozen
class PpcaPair(RecordPair):
    """A record v of norm at most 1 and the record w that replaces it, under PPCA with density exp(n (eps/2) tr V'AV).

    Parameters
    ----------
    dimension, rank
        Dimension d and the number k <= d of columns of V.
    epsilon
        Privacy parameter.
    """

    dimension: int
    rank: int
    epsilon: Real


def score_range(p: PpcaPair) -> arb:
    """Largest minus smallest ``tr V'(vv' - ww')V``: the two non-zero eigenvalues have opposite signs; 0 for k = d."""
    return nuclear_norm(p) if p.rank < p.dimension else arb(0)


def theorem_6_margin(p: PpcaPair) -> arb:
    """``eps`` minus ``eps/2`` times the range, which bounds the loss as both densities have integral 1."""
    return ball(p.epsilon) * (1 - score_range(p) / 2)


def one_column_margin(p: PpcaPair) -> arb:
    """``k = 1``: the printed proof maximises over v in the unit sphere."""
    return equality(arb(p.rank), arb(1))


def rank_margin(p: PpcaPair) -> arb:
    """``d - k``."""
    return arb(p.dimension - p.rank)


SETTING = (
    whole("dimension", 1),
    whole("rank", 1),
    Condition("k <= d", rank_margin),
    positive("epsilon"),
    *UNIT_BALL,
)


@attrs.frozen
class ScoreChange:
    """Output v, the other records' part R of the score n v'Av, and the records x_n and x'_n, through inner products.

    Parameters
    ----------
    rest
        Sum of <v, x_i>^2 over i < n.
    old, new
        The inner products <v, x_n> and <v, x'_n>, of modulus at most 1.
    """

    rest: Exact
    old: Exact
    new: Exact


def score_difference_margin(p: ScoreChange) -> arb:
    """``n v'A'v - n v'Av = <v, x'_n>^2 - <v, x_n>^2``."""
    old, new, rest = rational(p.old), rational(p.new), rational(p.rest)
    return equality(arb((rest + new * new) - (rest + old * old) - (new * new - old * old)), arb(0))


def score_bound_margin(p: ScoreChange) -> arb:
    """``1 - |<v, x'_n>^2 - <v, x_n>^2|``."""
    return 1 - abs(arb(rational(p.new) * rational(p.new) - rational(p.old) * rational(p.old)))


def old_margin(p: ScoreChange) -> arb:
    """``1 - <v, x_n>^2``."""
    return 1 - arb(rational(p.old) * rational(p.old))


def new_margin(p: ScoreChange) -> arb:
    """``1 - <v, x'_n>^2``."""
    return 1 - arb(rational(p.new) * rational(p.new))


@attrs.frozen
class ScoreMechanism:
    """The exponential mechanism with density exp(eps q/2), for a score q that changes by at most ``sensitivity``."""

    epsilon: Real
    sensitivity: Real


def exponential_mechanism_margin(p: ScoreMechanism) -> arb:
    """``eps`` minus ``eps/2`` times twice the sensitivity: once for the density, once for its normaliser."""
    return ball(p.epsilon) * (1 - 2 * ball(p.sensitivity) / 2)


WITHIN_ONE = (Condition("|<v, x_n>| <= 1", old_margin), Condition("|<v, x'_n>| <= 1", new_margin))

THEOREM_6 = Claim(
    id="near-optimal.theorem-6",
    kind=Kind.PRIVACY,
    source=Locator("near-optimal", "Theorem 6", "PPCA, V ~ BMF_k(n (eps/2) A), is eps-DP"),
    statement=Statement(
        "sampling V with density proportional to exp(n (epsilon/2) tr V'AV) is epsilon-differentially private",
        theorem_6_margin,
        given=SETTING,
    ),
    verdict=Verdict.HOLDS_PROOF_REPAIRED,
    reading=(
        "Records of norm at most 1, as section 2 assumes and Algorithm 2 does not repeat; replace-one adjacency with n "
        "public. The density is with respect to the uniform probability on d x k matrices with orthonormal columns. "
        "Exact samples: a Markov chain within total variation delta of this law gives (eps, (1 + e^eps) delta), not "
        "the (eps, delta) of section 7."
    ),
    because=(
        "The printed proof is for k = 1 only. For every k, |V'x|^2 lies in [0, |x|^2], so the score n tr V'AV changes"
        " by at most 1; over V its change takes values in an interval whose length is the nuclear norm of vv' - ww' "
        "(0 for k = d), at most 2. The log-ratio of the densities moves within eps/2 times that interval, and 0 lies "
        "in it since both have integral 1: the loss is at most eps. No pair of data sets attains it: e_1 replaced by "
        "e_2 costs eps/2 at n = 1, and where the other records are e_1 the loss tends to eps as n grows. The range of"
        " the loss, not only its modulus, is at most eps, so that the profile is better than that of an arbitrary "
        "eps-DP mechanism; when a record appears or disappears the range is at most eps/2."
    ),
    steps=(
        Step(
            "one-column",
            Statement("the output of PPCA is a unit vector", one_column_margin, given=SETTING),
            sound=False,
            note="Only for k = 1. For k columns, |V'x|^2 in [0, |x|^2] takes the place of <v, x>^2.",
        ),
        Step(
            "score-difference",
            Statement(
                "n v'A'v - n v'Av = v'(x'x'' - xx')v = <v, x'>^2 - <v, x>^2 when only the last record differs",
                score_difference_margin,
            ),
            sound=True,
            note="Printed as two inequalities, with a maximum over v on the left only; they are equations for each v.",
        ),
        Step(
            "score-bound",
            Statement("|<v, x'>^2 - <v, x>^2| <= 1", score_bound_margin, given=WITHIN_ONE),
            sound=True,
        ),
        Step(
            "exponential-mechanism",
            Statement(
                "the exponential mechanism exp(eps q/2) for a score that changes by at most 1 is eps-DP",
                exponential_mechanism_margin,
                given=(positive("epsilon"), at_most("sensitivity", 1)),
            ),
            sound=True,
        ),
    ),
    uses=("near-optimal.definition-3", "wishart.definition-5+repair"),
)
