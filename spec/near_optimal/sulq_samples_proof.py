"""The printed proof of Theorem 9, each line judged on its own, and what "some data set" leaves open (section 5.2)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Chosen, Condition, Defect, Statement, Step
from dpmatrix.exact import Exact, Real, ball, square
from dpmatrix.spec.common.conditions import at_least, equality, whole
from dpmatrix.spec.near_optimal.noise import ModSulq, printed_deviation
from dpmatrix.spec.near_optimal.sulq_bound import (
    PHI,
    SETTING,
    SulqBound,
    basis_end,
    bracket,
    divergence_bound,
    threshold,
)
from dpmatrix.spec.near_optimal.sulq_worst import random_correlation


def chosen_phi(p: ModSulq) -> arb:
    """``phi`` with ``log K = 2 (1/beta^2 + log 2)``."""
    return (1 - (-2 * (2 * threshold(p) + arb(8).log()) / (p.dimension - 1)).exp()).sqrt()


def at_chosen(p: ModSulq) -> arb:
    """``sqrt(1-phi) bracket`` at the chosen phi."""
    phi = chosen_phi(p)
    return (1 - phi).sqrt() * bracket(SulqBound(p.dimension, p.records, p.epsilon, p.delta, phi))


def minimum_margin(p: SulqBound) -> arb:
    """``sqrt(1-phi) bracket`` minus its value at the chosen phi."""
    return (1 - ball(p.phi)).sqrt() * bracket(p) - at_chosen(p)


def admissible_margin(p: ModSulq) -> arb:
    """The chosen phi minus ``sqrt(1 - exp(-2 log(8d)/(d-1)))``."""
    return chosen_phi(p) - basis_end(p.dimension)


def many_records_margin(p: ModSulq) -> arb:
    """``2/beta^2 - log(d/4)``."""
    return 2 * divergence_bound(p) - (arb(p.dimension) / 4).log()


def bracket_margin(p: ModSulq) -> arb:
    """``2 sqrt(1-phi) bracket = sqrt(1-phi)`` as chosen."""
    return equality(2 * at_chosen(p), (1 - chosen_phi(p)).sqrt())


def ratio(p: ModSulq) -> arb:
    """``1/(beta^2 d)``."""
    return divergence_bound(p) / p.dimension


@attrs.frozen
class ThetaRate(ModSulq):
    """With the two constants of a rate."""

    low: Exact
    high: Exact


def rate_margin(p: ThetaRate) -> arb:
    """The smaller of ``log(1/sqrt(1-phi^2)) - low/(beta^2 d)`` and ``high/(beta^2 d) - log(1/sqrt(1-phi^2))``."""
    log = (1 / (1 - square(chosen_phi(p))).sqrt()).log()
    return (log - ball(p.low) * ratio(p)).min(ball(p.high) * ratio(p) - log)


def large_data_margin(p: ModSulq) -> arb:
    """``1/beta^2 - 1``."""
    return divergence_bound(p) - 1


@attrs.frozen
class PhiRate(ModSulq):
    """With a constant k."""

    constant: Exact


def phi_rate_margin(p: PhiRate) -> arb:
    """``phi - k sqrt(1/(beta^2 d))``."""
    return chosen_phi(p) - ball(p.constant) * ratio(p).sqrt()


def noise_margin(p: PhiRate) -> arb:
    """``beta^2 - k d^2 log(d/delta)/(n eps)^2``."""
    scale = p.dimension / (p.records * ball(p.epsilon))
    return square(printed_deviation(p)) - ball(p.constant) * scale * scale * (p.dimension / ball(p.delta)).log()


@attrs.frozen
class Dimension:
    """The dimension d."""

    dimension: int


def any_gap_margin(p: Dimension) -> arb:
    """``2/pi`` minus the mean modulus of a coordinate of a uniform unit vector."""
    return 2 / arb.pi() - random_correlation(p.dimension)


@attrs.frozen
class Rearranged:
    """Numbers phi and rho."""

    phi: Real
    rho: Real


def square_of_phi_margin(p: Rearranged) -> arb:
    """``phi^2 - (1 - 32 (1-rho))``."""
    return square(ball(p.phi)) - (1 - 32 * (1 - ball(p.rho)))


def linear_margin(p: Rearranged) -> arb:
    """``phi - (1 - 16 (1-rho))``."""
    return ball(p.phi) - (1 - 16 * (1 - ball(p.rho)))


@attrs.frozen
class Root:
    """Numbers x and y."""

    x: Real
    y: Real


def square_root_margin(p: Root) -> arb:
    """``x - (1 - y)``."""
    return ball(p.x) - (1 - ball(p.y))


def square_margin(p: Root) -> arb:
    """``x^2 - (1 - y)``."""
    return square(ball(p.x)) - (1 - ball(p.y))


PROOF = (
    Step(
        "minimum",
        Statement(
            "2 sqrt(1-rho) >= min over Phi of sqrt(1-phi) bracket gives the same for the chosen phi: it is where the "
            "minimum is",
            minimum_margin,
            given=(*SETTING, *PHI),
        ),
        defect=Defect.FORMULA,
        note="The infimum is 0, as phi tends to 1. (21) gives the maximum over Phi, from which the chosen phi follows.",
    ),
    Step(
        "admissible",
        Statement(
            "where 2/beta^2 >= log(d/4) phi with log K = 2 (1/beta^2 + log 2) lies in Phi",
            admissible_margin,
            given=(*SETTING, Condition("2/beta^2 >= log(d/4)", many_records_margin)),
        ),
        defect=None,
        note="The text is of large d and n; for small n it is below the second end of (22).",
    ),
    Step(
        "bracket-at-phi",
        Statement("there 2 sqrt(1-phi) bracket = sqrt(1-phi)", bracket_margin, given=SETTING),
        defect=None,
    ),
    Step(
        "rate",
        Statement(
            "log(1/sqrt(1-phi^2)) is of the order of 1/(beta^2 d): between constants times it",
            rate_margin,
            given=(*SETTING, Condition("1/beta^2 >= 1", large_data_margin)),
            exists=(Chosen("low", exhibited=2), Chosen("high", exhibited=11)),
        ),
        defect=None,
        note=(
            "The constants are 2 and 11. 'Large d and n' is read as 1/beta^2 >= 1: for small n the left side stays at "
            "5 log 2/(d-1)."
        ),
    ),
    Step(
        "phi-rate",
        Statement(
            "phi is of the order of sqrt(1/(beta^2 d)): at least a constant k > 0 times it",
            phi_rate_margin,
            given=SETTING,
            exists=(Chosen("constant"),),
        ),
        defect=Defect.FORMULA,
        note="phi < 1 and the root grows with n. Only the upper half is used: phi^2 <= 22/(beta^2 d).",
    ),
    Step(
        "noise",
        Statement(
            "beta^2 > c_1 d^2 log(d/delta)/(n eps)^2 for some constant c_1 > 0",
            noise_margin,
            given=SETTING,
            strict=True,
            exists=(Chosen("constant", exhibited=fmpq(1, 2)),),
        ),
        defect=None,
        note="c_1 = 1/2 serves.",
    ),
    Step(
        "square-of-phi",
        Statement(
            "phi >= 1 - 16 (1-rho) gives phi^2 >= 1 - 32 (1-rho)",
            square_of_phi_margin,
            given=(at_least("phi", 0), Condition("phi >= 1 - 16 (1-rho)", linear_margin)),
        ),
        defect=None,
        note="So c' is at least 32 by this route, and it proves the theorem for rho > 31/32 only.",
    ),
    Step(
        "square-root",
        Statement(
            "x^2 >= 1 - y gives x >= 1 - y",
            square_root_margin,
            given=(at_least("x", 0), at_least("y", 0), Condition("x^2 >= 1 - y", square_margin)),
        ),
        defect=None,
    ),
    Step(
        "any-gap",
        Statement(
            "for d >= 2 a line drawn at random has a mean correlation of at most 2/pi with any other; so, in the limit "
            "t -> 0, has MOD-SULQ on n copies of t mu for some unit vector mu",
            any_gap_margin,
            given=(whole("dimension", 2),),
        ),
        defect=None,
        note="Not printed. 'Some data set' is no condition on n until its eigengap is bounded from below.",
    ),
)
