"""Sections 1 and 1.2: noise on a second moment that has to stay positive semidefinite, and what that costs."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Chosen, Statement, Step
from dpmatrix.exact import Exact, ball, square
from dpmatrix.spec.common.conditions import at_least, at_most, below, positive, whole
from dpmatrix.spec.sliding_window.directional_variance import OneRelease, noise_bound


@attrs.frozen
class NoisySquare:
    """The row (M), so that A_W'A_W = M^2, with Gaussian noise of standard deviation s, and a constant c.

    Parameters
    ----------
    row
        M >= 0.
    deviation
        s.
    constant
        c.
    """

    row: Exact
    deviation: Exact
    constant: Exact


def normal_tail(value: arb) -> arb:
    """Probability that a standard normal variate exceeds a value."""
    return (value / arb(2).sqrt()).erfc() / 2


def negative_probability(p: NoisySquare) -> arb:
    """Probability of M^2 + s g < 0."""
    return normal_tail(square(ball(p.row)) / ball(p.deviation))


def asked_probability(p: NoisySquare) -> arb:
    """``c``."""
    return ball(p.constant)


@attrs.frozen
class ProjectedNoise:
    """The window of zeros in d dimensions, the positive part of its noisy moment, and a bound c on its norm.

    The noise has independent normal entries of standard deviation 1 on and above the diagonal; norms are in this unit.
    """

    dimension: int
    constant: Exact


def short_column(p: ProjectedNoise) -> arb:
    """Bound on the probability that d - 1 of its entries have a square sum of (c + 1)^2 at most: (t e^(1-t))^((d-1)/2).

    T = (c + 1)^2/(d - 1), and the bound is Chernoff's for t < 1; for others it is 1.
    """
    degrees = p.dimension - 1
    share = square(ball(p.constant) + 1) / degrees
    return (share * (1 - share).exp()) ** (arb(degrees) / 2) if share < 1 else arb(1)


def enough_room(p: ProjectedNoise) -> arb:
    """Bound on the probability that the norm is at most c: `short_column`, and Phi(-2/sqrt(3)) for the other terms."""
    return short_column(p) + normal_tail(2 / arb(3).sqrt())


def projected_noise_margin(p: ProjectedNoise) -> arb:
    """`enough_room` minus 1/2."""
    return enough_room(p) - arb(1) / 2


@attrs.frozen
class ShiftedRelease(OneRelease):
    """A single release, and a constant c."""

    constant: Exact


def shifted_noise_margin(p: ShiftedRelease) -> arb:
    """``2 zeta - c d``, zeta the bound on the norm of the noise."""
    return 2 * noise_bound(p) - ball(p.constant) * p.dimension


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
            "Gaussian noise gives a matrix that is not positive semidefinite: there is a constant c with which, for "
            "every row (M), M^2 + s g < 0 with probability at least c",
            negative_probability,
            at_least=asked_probability,
            given=(at_least("row", 0), positive("deviation")),
            exists=(Chosen("constant"),),
        ),
        sound=False,
        note="It need not be one: with probability 1/2 for M = 0. For long rows it is one, but for a probability as "
        "small as one likes.",
    ),
    Step(
        "projected-noise",
        Statement(
            "projection onto the semidefinite cone costs no more in high dimension: there is a constant c with which, "
            "for the window of zeros and every d, the positive part of the noise has norm at most c s with probability "
            "1/2 at least; an upper bound of it stands in the margin, so that only a negative one tells",
            projected_noise_margin,
            given=(whole("dimension", 2),),
            exists=(Chosen("constant"),),
            one_sided=True,
        ),
        sound=False,
        note="As the document says, the error grows with d: like sqrt(d), which is all that the repair pays.",
    ),
    Step(
        "semidefinite-noise",
        Statement(
            "noise that is positive semidefinite costs an error linear in d: there is a constant c with which N + zeta,"
            " N Gaussian noise as for theorem-15's repair and |N| <= zeta but for probability d^-k, has a bound 2 zeta "
            "on its norm of c d at least",
            shifted_noise_margin,
            given=(*GUARANTEE, below("delta", 1), whole("power", 0)),
            exists=(Chosen("constant"),),
        ),
        sound=False,
        note="N + zeta is as private as N, and 2 zeta grows like sqrt(d). Wishart noise is linear in d.",
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
        sound=True,
        note="It is the Gaussian release of footnote 2: its sum need not be semidefinite, but its positive part is, at "
        "twice the error (step on-the-event). No factor 1 +- eta is used.",
    ),
)
