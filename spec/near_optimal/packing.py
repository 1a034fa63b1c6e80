"""Lemmas 11, 17 and 18: packings of the sphere (section 4.3 and appendix A)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Condition, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.common.conditions import at_least, below, equality, exceeds, positive, whole
from dpmatrix.spec.near_optimal.larger_families import LARGER_STEPS
from dpmatrix.spec.near_optimal.packing_number import Lines, share_of_each, simple_count
from dpmatrix.spec.near_optimal.spheres import Cap, cap_measure


def cap_bound(p: Lines) -> arb:
    """``psi = (1 - phi^2)^((d-1)/2)``."""
    return (1 - square(ball(p.phi))) ** fmpq(p.dimension - 1, 2)


def cap_chance(p: Lines) -> arb:
    """``P(<U, u> >= phi)``."""
    return cap_measure(Cap(p.dimension, p.phi))


def lemma_11_margin(p: Lines) -> arb:
    """``1 - K/M`` with K of (12) and the size M of the largest family."""
    return 1 - simple_count(p) * share_of_each(p)


@attrs.frozen
class Draws(Lines):
    """N random unit vectors, of which the share t may be lost.

    Parameters
    ----------
    draws
        The number N.
    loss
        The share t.
    """

    draws: int
    loss: Exact


def whole_part(number: fmpq) -> arb:
    """``floor(x)`` of a rational number."""
    return arb(number.floor())


def kept(p: Draws) -> arb:
    """``floor((1-t) N)``."""
    return whole_part((1 - rational(p.loss)) * p.draws)


def condition_28(p: Draws) -> arb:
    """``N t log 2 - N (N-1) psi``, positive where (28) holds."""
    return p.draws * ball(p.loss) * arb(2).log() - p.draws * (p.draws - 1) * cap_bound(p)


def lemma_18_margin(p: Draws) -> arb:
    """``1 - floor((1-t) N)/M`` with the size M of the largest family."""
    return 1 - kept(p) * share_of_each(p)


@attrs.frozen
class Collision(Lines):
    """The i-th of the random vectors."""

    place: int


def conditional_margin(p: Collision) -> arb:
    """``2 (i-1) psi`` minus the union bound ``(i-1) P(|<U, u>| >= phi)``."""
    return 2 * (p.place - 1) * cap_bound(p) - (p.place - 1) * 2 * cap_measure(Cap(p.dimension, p.phi))


def collisions(p: Draws) -> arb:
    """``a_1 + ... + a_N``, in units of psi."""
    return arb(sum(2 * earlier for earlier in range(p.draws)))


def sum_margin(p: Draws) -> arb:
    """``a_1 + ... + a_N = N (N-1) psi``, in units of psi."""
    return equality(collisions(p), arb(p.draws * (p.draws - 1)))


def positive_probability_margin(p: Draws) -> arb:
    """``1 - exp(-N t log 2 + N (N-1) psi)``."""
    return 1 - (-p.draws * ball(p.loss) * arb(2).log() + p.draws * (p.draws - 1) * cap_bound(p)).exp()


@attrs.frozen
class Survivors:
    """N draws of which some lie close to an earlier one, at most the share t."""

    draws: int
    loss: Exact
    close: int


def survivors_margin(p: Survivors) -> arb:
    """The others minus ``floor((1-t) N)``."""
    return p.draws - p.close - whole_part((1 - rational(p.loss)) * p.draws)


def share_margin(p: Survivors) -> arb:
    """``t N`` minus the number of close draws."""
    return ball(p.loss) * p.draws - p.close


@attrs.frozen
class HalfLost(Lines):
    """The setting of the proof of Lemma 11, with the share t."""

    loss: Exact


def printed_draws(p: HalfLost) -> arb:
    """``N = 1 + t log 2/psi``."""
    return 1 + ball(p.loss) * arb(2).log() / cap_bound(p)


def lower_bound_for_draws_margin(p: HalfLost) -> arb:
    """``N - t/(2 psi)``."""
    return printed_draws(p) - ball(p.loss) / (2 * cap_bound(p))


def half_lost_margin(p: Lines) -> arb:
    """``t (1-t)/(2 psi)`` at t = 1/2 is K of (12)."""
    half = fmpq(1, 2)
    return equality(half * (1 - half) / (2 * cap_bound(p)), simple_count(p))


def proved_count(p: HalfLost) -> arb:
    """``floor((1-t) N)`` for the largest integer N below 1 + t log 2/psi, that is, with (28)."""
    number = (printed_draws(p).ceil() - 1).unique_fmpz()
    return arb.nan() if number is None else whole_part((1 - rational(p.loss)) * number)


def count_margin(p: HalfLost) -> arb:
    """The number that Lemma 18 gives minus ``floor(t (1-t)/(2 psi))``."""
    return proved_count(p) - (ball(p.loss) * (1 - ball(p.loss)) / (2 * cap_bound(p))).floor()


HALF_SPHERE = (whole("dimension", 1), at_least("phi", 0), below("phi", 1))
SPHERE = (whole("dimension", 1), positive("phi"), below("phi", 1))
"""The printed range of phi begins at (2 pi d)^(-1/2); it is not needed."""
DRAWS = (*SPHERE, whole("draws", 1), exceeds("-N t log 2 + N (N-1) psi < 0", condition_28))

LEMMA_17 = Claim(
    id="near-optimal.lemma-17",
    kind=Kind.LEMMA,
    source=Locator("near-optimal", "Lemma 17", "P(<U, u> >= phi) <= (1 - phi^2)^((d-1)/2)"),
    statement=Statement.of_law(
        "P(<U, u> >= phi) <= (1 - phi^2)^((d-1)/2) for U uniform on the sphere and 0 <= phi < 1",
        cap_chance,
        at_most=cap_bound,
        given=HALF_SPHERE,
    ),
    verdict=Verdict.HOLDS,
    reading="For 0 <= phi < 1: more than is printed, where phi is at least (2 pi d)^(-1/2).",
    because=(
        "Half of the right side is enough, and no lower bound on phi is needed: with x = 1 - phi^2 and a = (d-1)/2, "
        "2 P/x^a is the integral of v^(a-1) (1 - x v)^(-1/2)/B(a, 1/2) over v in [0, 1], which increases with x up to "
        "1 at x = 1. For d = 1 the probability is 1/2 and the right side is 1."
    ),
)

LEMMA_18 = Claim(
    id="near-optimal.lemma-18",
    kind=Kind.LEMMA,
    source=Locator(
        "near-optimal",
        "Lemma 18",
        "-N t log 2 + N (N-1) (1-phi^2)^((d-1)/2) < 0: floor((1-t) N) unit vectors with |<mu, nu>| < phi exist",
    ),
    statement=Statement(
        "where (28) holds there are floor((1-t) N) unit vectors with |<mu, nu>| < phi for distinct mu and nu",
        lemma_18_margin,
        given=DRAWS,
    ),
    verdict=Verdict.HOLDS,
    reading=(
        "N >= 1 is an integer; psi is (1-phi^2)^((d-1)/2); 0 < phi < 1, where (2 pi d)^(-1/2) <= phi is printed. The "
        "size of the largest family is not known: it is enclosed between the bounds from covering and from packing "
        "with caps."
    ),
    because=(
        "No randomness is needed: a family that cannot grow has at least 1/(2 psi) members by Lemma 17, and (28) "
        "gives 1/(2 psi) > (N-1)/(2 t log 2) >= N (1-t) for N >= 2, as 2 t (1-t) log 2 <= (log 2)/2 < 1/2 <= (N-1)/N. "
        "For N = 1 and 0 < t < 1 floor((1-t) N) is 0. The printed proof, N draws less those that are close to an "
        "earlier one, is sound as well; it gives |<mu, nu>| <= phi, and < phi with probability 1."
    ),
    steps=(
        Step(
            "conditional",
            Statement(
                "E[f_i | Z_1, ..., Z_(i-1)] <= 2 (i-1) psi, f_i = 1 where |<Z_i, Z_j>| > phi for some j < i",
                conditional_margin,
                given=(*SPHERE, whole("place", 1)),
            ),
            defect=None,
            note="'For some j < i' is not printed.",
        ),
        Step("sum", Statement("sum 2 (i-1) psi = N (N-1) psi", sum_margin, given=(whole("draws", 1),)), defect=None),
        Step(
            "positive-probability",
            Statement(
                "(28) leaves a positive probability for f_1 + ... + f_N <= t N",
                positive_probability_margin,
                given=DRAWS,
                strict=True,
            ),
            defect=None,
        ),
        Step(
            "survivors",
            Statement(
                "then floor((1-t) N) of the vectors have f_i = 0",
                survivors_margin,
                given=(whole("draws", 1), whole("close", 0), Condition("f_1 + ... + f_N <= t N", share_margin)),
            ),
            defect=None,
        ),
    ),
    uses=("near-optimal.lemma-16", "near-optimal.lemma-17"),
)

LEMMA_11 = Claim(
    id="near-optimal.lemma-11",
    kind=Kind.LEMMA,
    source=Locator(
        "near-optimal",
        "Lemma 11",
        "there are K = exp((d-1) log(1/sqrt(1-phi^2)))/8 vectors with |<mu, nu>| <= phi",
    ),
    statement=Statement(
        "there are at least exp((d-1) log(1/sqrt(1-phi^2)))/8 unit vectors with |<mu, nu>| <= phi for distinct mu, nu",
        lemma_11_margin,
        given=SPHERE,
    ),
    verdict=Verdict.HOLDS,
    reading=(
        "K of (12) is not an integer, and the printed proof gives floor(K) vectors; there are even at least K members, "
        "and 'any pair' means distinct members. 0 < phi < 1, where (2 pi d)^(-1/2) <= phi is printed. The size of the "
        "largest family is enclosed, as for Lemma 18."
    ),
    because=(
        "A family that cannot grow has at least 1/(2 psi) = 4 K members, psi = (1-phi^2)^((d-1)/2), by Lemma 17, and "
        "1/psi = 8 K by its sharper form. The printed proof takes an N close to the solution of (28) as an equation; "
        "with the largest whole N that is allowed Lemma 18 gives floor(K)."
    ),
    steps=(
        Step(
            "lower-bound-for-draws",
            Statement(
                "1 + t log 2/psi > t/(2 psi)",
                lower_bound_for_draws_margin,
                given=(*SPHERE, at_least("loss", 0)),
                strict=True,
            ),
            defect=None,
        ),
        Step(
            "count-by-lemma-18",
            Statement(
                "with the largest N that (28) allows Lemma 18 gives floor(t (1-t)/(2 psi)) vectors",
                count_margin,
                given=(*SPHERE, positive("loss"), below("loss", 1)),
            ),
            defect=None,
            note="The text takes an N close to the solution of the equation, and a set has a whole number of vectors.",
        ),
        Step(
            "half-of-the-draws-lost",
            Statement("t (1-t)/(2 psi) at t = 1/2 is K of (12)", half_lost_margin, given=SPHERE),
            defect=None,
        ),
        *LARGER_STEPS,
    ),
    uses=("near-optimal.lemma-17",),
)
