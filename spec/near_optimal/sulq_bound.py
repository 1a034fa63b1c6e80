"""The bound (21) on the correlation that MOD-SULQ reaches, for one phi, and the set Phi of (22) (section 5.2)."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Condition
from dpmatrix.exact import Real, ball, square
from dpmatrix.spec.common.conditions import below, positive, whole
from dpmatrix.spec.near_optimal.noise import ModSulq, printed_deviation


@attrs.frozen
class SulqBound(ModSulq):
    """Inputs of MOD-SULQ and the parameter phi of a packing."""

    phi: Real


def divergence_bound(p: ModSulq) -> arb:
    """``1/beta^2``."""
    return 1 / square(printed_deviation(p))


def threshold(p: ModSulq) -> arb:
    """``1/beta^2 + log 2``: the bracket of (21) is positive where log K is more."""
    return divergence_bound(p) + arb(2).log()


def log_count(p: SulqBound) -> arb:
    """``(d-1) log(1/sqrt(1-phi^2)) - log 8``, log K of (12)."""
    return (p.dimension - 1) * (1 / (1 - square(ball(p.phi))).sqrt()).log() - arb(8).log()


def bracket(p: SulqBound) -> arb:
    """``1 - (1/beta^2 + log 2)/((d-1) log(1/sqrt(1-phi^2)) - log 8)``."""
    return 1 - threshold(p) / log_count(p)


def printed_loss(p: SulqBound) -> arb:
    """``((1-phi)/4) bracket^2``: the right side of (21) is one minus the largest of these."""
    return (1 - ball(p.phi)) / 4 * square(bracket(p))


def basis_end(dimension: int) -> arb:
    """``sqrt(1 - exp(-2 log(8d)/(d-1)))``."""
    return (1 - (-2 * arb(8 * dimension).log() / (dimension - 1)).exp()).sqrt()


def divergence_end(p: ModSulq) -> arb:
    """``sqrt(1 - exp(-(2/beta^2 + log 256)/(d-1)))``."""
    return (1 - (-(2 * divergence_bound(p) + arb(256).log()) / (p.dimension - 1)).exp()).sqrt()


def first_margin(p: SulqBound) -> arb:
    """``phi - 1/sqrt(2 pi d)``."""
    return ball(p.phi) - 1 / (2 * arb.pi() * p.dimension).sqrt()


def second_margin(p: SulqBound) -> arb:
    """``phi - sqrt(1 - exp(-2 log(8d)/(d-1)))``."""
    return ball(p.phi) - basis_end(p.dimension)


def third_margin(p: SulqBound) -> arb:
    """``phi - sqrt(1 - exp(-(2/beta^2 + log 256)/(d-1)))``."""
    return ball(p.phi) - divergence_end(p)


SETTING = (
    whole("dimension", 2),
    whole("records", 1),
    positive("epsilon"),
    positive("delta"),
    below("delta", 1),
)
PHI = (
    Condition("phi >= 1/sqrt(2 pi d)", first_margin),
    Condition("phi >= sqrt(1 - exp(-2 log(8d)/(d-1)))", second_margin),
    Condition("phi >= sqrt(1 - exp(-(2/beta^2 + log 256)/(d-1)))", third_margin),
    below("phi", 1),
)
