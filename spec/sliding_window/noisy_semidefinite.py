"""Sections 1 and 1.2: noise on a second moment that has to stay positive semidefinite, and what that costs."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Chosen, Statement, Step
from dpmatrix.exact import Exact, ball, square
from dpmatrix.spec.common.conditions import at_most, below, positive, whole
from dpmatrix.spec.sliding_window.directional_variance import OneRelease, noise_bound
from dpmatrix.spec.sliding_window.distinguishing import noise_degrees


@attrs.frozen
class NoisyDirection:
    """The form x'(A_W'A_W + N)x = |A_W x|^2 + s g in a unit direction x, g a standard normal variate.

    Parameters
    ----------
    length
        |A_W x|.
    deviation
        s.
    """

    length: Exact
    deviation: Exact


def normal_tail(value: arb) -> arb:
    """Probability that a standard normal variate exceeds a value."""
    return (value / arb(2).sqrt()).erfc() / 2


def negative_probability(p: NoisyDirection) -> arb:
    """Probability that the form is negative."""
    return normal_tail(square(ball(p.length)) / ball(p.deviation))


def least_probability(p: NoisyDirection) -> arb:
    """``1/2 - |A_W x|^2/(s sqrt(2 pi))``."""
    return arb(1) / 2 - square(ball(p.length)) / (ball(p.deviation) * (2 * arb.pi()).sqrt())


@attrs.frozen
class ProjectedNoise:
    """The window of zeros in d dimensions, the positive part of its noisy moment, and c of a bound on its norm.

    The noise has independent normal entries of standard deviation 1 on and above the diagonal; norms are in this unit.
    """

    dimension: int
    constant: Exact


def short_column(p: ProjectedNoise) -> arb:
    """Bound on the probability that d - 1 of its entries have a square sum of c (d-1) at most: (c e^(1-c))^((d-1)/2).

    The bound is Chernoff's for c < 1; for others it is 1.
    """
    share = ball(p.constant)
    return (share * (1 - share).exp()) ** (arb(p.dimension - 1) / 2) if share < 1 else arb(1)


def enough_room(p: ProjectedNoise) -> arb:
    """Bound on the probability of a smaller norm: `short_column`, and Phi(-2/sqrt(3)) for the other terms."""
    return short_column(p) + normal_tail(2 / arb(3).sqrt())


def projected_noise_margin(p: ProjectedNoise) -> arb:
    """1/2 minus `enough_room`."""
    return arb(1) / 2 - enough_room(p)


@attrs.frozen
class WishartMean:
    """Noise with the law Wis_d(tau, 1), tau = d + 14 log(4/delta)/epsilon^2 as appendix C has it."""

    dimension: int
    epsilon: Exact
    delta: Exact


def wishart_mean_margin(p: WishartMean) -> arb:
    """``tau - d``, tau the norm of the mean of the noise."""
    return noise_degrees(p.dimension, p.epsilon, p.delta) - p.dimension


@attrs.frozen
class StaticRelease:
    """A single release of A'A with Gaussian noise on its triangle, eta, and a constant c."""

    dimension: int
    epsilon: Exact
    delta: Exact
    eta: Exact
    constant: Exact


def static_release_margin(p: StaticRelease) -> arb:
    """``c d log(1/delta)/(epsilon^2 eta) - 2 zeta``, zeta the bound on the norm of the noise but for 1/d."""
    claimed = ball(p.constant) * p.dimension * -ball(p.delta).log() / (square(ball(p.epsilon)) * ball(p.eta))
    return claimed - 2 * noise_bound(OneRelease(p.dimension, p.epsilon, p.delta, 1))


GUARANTEE = (whole("dimension", 1), positive("epsilon"), positive("delta"))

NOISY_SEMIDEFINITE = (
    Step(
        "gaussian-noise",
        Statement.of_law(
            "x'(A_W'A_W + N)x, x a unit vector and N Gaussian noise with x'Nx of standard deviation s, is negative "
            "with probability 1/2 - |A_W x|^2/(s sqrt(2 pi)) at least: 1/2 where A_W x = 0",
            negative_probability,
            at_least=least_probability,
            given=(positive("deviation"),),
        ),
        defect=None,
        note="The matrix need not be semidefinite. Where every |A_W x| is long it is, but for a probability as small "
        "as one likes.",
    ),
    Step(
        "projected-noise",
        Statement(
            "projection onto the semidefinite cone costs an error that grows with the dimension: there is a c > 0 with "
            "which, for the window of zeros and d >= 3, the positive part of the noise has norm s (sqrt(c (d-1)) - 1) "
            "at least with probability 1/2; an upper bound of the other probability stands in the margin",
            projected_noise_margin,
            given=(whole("dimension", 3),),
            exists=(Chosen("constant", exhibited=fmpq(1, 10)),),
        ),
        defect=None,
        note="The repair pays no more than the root of d, but for its logarithms.",
    ),
    Step(
        "semidefinite-noise",
        Statement(
            "noise that is positive semidefinite costs an error linear in d: the mean of Wis_d(tau, 1), tau = d + 14 "
            "log(4/delta)/eps^2, is tau 1, and tau >= d",
            wishart_mean_margin,
            given=(*GUARANTEE, below("delta", 1)),
        ),
        defect=None,
        note="That is the noise of appendix C. For other noise it need not be so: with N Gaussian as for theorem-15's "
        "repair and zeta its bound on |N|, N + zeta is as private as N and semidefinite but for the same failure, and "
        "zeta grows like the root of d.",
    ),
    Step(
        "static-release",
        Statement(
            "for one static matrix there is a constant c with which, for eps <= 1 and delta <= 1/2, the positive part "
            "of A'A + N, d(d+1)/2 numbers with N as for theorem-15's repair, is within c d log(1/delta)/(eps^2 eta) of "
            "A'A but for probability 1/d",
            static_release_margin,
            given=(
                *GUARANTEE,
                at_most("epsilon", 1),
                at_most("delta", fmpq(1, 2)),
                positive("eta"),
                below("eta", 1),
            ),
            exists=(Chosen("constant", exhibited=26),),
        ),
        defect=None,
        note="It is the Gaussian release of footnote 2: its sum need not be semidefinite, but its positive part is, at "
        "twice the error (step on-the-event). No factor 1 +- eta is used.",
    ),
)
