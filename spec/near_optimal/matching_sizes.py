"""How far the sizes of Theorems 7 and 8 are apart (sections 3.4 and 4)."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Chosen, Condition, Defect, Statement, Step
from dpmatrix.claims.forms import Range
from dpmatrix.exact import Exact, Real, ball, rational
from dpmatrix.spec.common.conditions import at_least, below, positive, whole
from dpmatrix.spec.near_optimal.private_bound_setting import printed_complement


@attrs.frozen
class Sizes:
    """What the quotient of the two sizes depends on: n of Theorem 7 over n of Theorem 8, where epsilon cancels.

    Parameters
    ----------
    dimension
        The dimension d.
    first, second
        The two largest eigenvalues.
    eta
        Probability with which rho may be missed.
    decay
        ``log(1/(1-rho))``.
    """

    dimension: int
    first: Exact
    second: Exact
    eta: Real
    decay: Real


@attrs.frozen
class Factors(Sizes):
    """The same, with a constant and a power of a logarithm."""

    constant: Real
    power: int


def loss(p: Sizes) -> arb:
    """``1 - rho``."""
    return (-ball(p.decay)).exp()


def gap(p: Sizes) -> arb:
    """``Delta``."""
    return arb(rational(p.first) - rational(p.second))


def spectral_logarithm(p: Sizes) -> arb:
    """``log(8 lambda_1/((1-rho^2) Delta))``, 1 - rho^2 = (1-rho)(2 - (1-rho))."""
    return (8 * ball(p.first) / gap(p)).log() + ball(p.decay) - (2 - loss(p)).log()


def quotient(p: Sizes) -> arb:
    """``(4 log(1/eta)/d + 2 log(...))/(1-rho)`` over ``max(1, sqrt((1-phi)/(80 (1-rho))))``."""
    logarithms = 4 * (1 / ball(p.eta)).log() / p.dimension + 2 * spectral_logarithm(p)
    return logarithms / (loss(p) * arb(1).max((printed_complement(p.dimension) / (80 * loss(p))).sqrt()))


def free_of_dimension(p: Sizes) -> arb:
    """``4 log(1/eta) + 2 log(8 lambda_1/((1-rho^2) Delta))``."""
    return 4 * (1 / ball(p.eta)).log() + 2 * spectral_logarithm(p)


def alike_margin(p: Sizes) -> arb:
    """The smaller of ``quotient - 1`` and ``(4 log(1/eta) + 2 log(...))/(1-rho) - quotient``."""
    return (quotient(p) - 1).min(free_of_dimension(p) / loss(p) - quotient(p))


def square_root_margin(p: Sizes) -> arb:
    """``sqrt(80/(1-phi)) (4 log(1/eta) + 2 log(...))/sqrt(1-rho) - quotient``."""
    return (80 / (printed_complement(p.dimension) * loss(p))).sqrt() * free_of_dimension(p) - quotient(p)


def logarithms_margin(p: Factors) -> arb:
    """``C (1 + log(1/(1-rho)))^m - quotient``."""
    return ball(p.constant) * (1 + ball(p.decay)) ** p.power - quotient(p)


def trace_margin(p: Sizes) -> arb:
    """``1 - lambda_1 - lambda_2``."""
    return arb(1 - rational(p.first) - rational(p.second))


BOTH = (
    whole("dimension", 3),
    at_least("second", 0),
    Condition("lambda_1 > lambda_2", gap, strict=True),
    Condition("lambda_1 + lambda_2 <= 1", trace_margin),
    positive("eta"),
    below("eta", 1),
    positive("decay"),
)

MATCHING = (
    Step(
        "same-in-dimension",
        Statement(
            "the size of Theorem 7 is that of Theorem 8 up to a factor between 1 and (4 log(1/eta) + 2 log(8 l1/((1-"
            "rho^2) Delta)))/(1-rho), in which d and epsilon do not occur, and Delta only as log(l1/Delta)",
            alike_margin,
            given=BOTH,
        ),
        defect=None,
        note="So they grow alike in d and epsilon; in Delta up to a logarithm, or where l1 is a multiple of Delta.",
    ),
    Step(
        "square-root-in-the-correlation",
        Statement(
            "the factor is at most sqrt(80/(1-phi)) (4 log(1/eta) + 2 log(8 l1/((1-rho^2) Delta)))/sqrt(1-rho)",
            square_root_margin,
            given=BOTH,
        ),
        defect=None,
        note="The square root, and the logarithm of 1/(1-rho) that Theorem 7 has and Theorem 8 has not.",
    ),
    Step(
        "match-up-to-logarithms",
        Statement(
            "for some C and m the factor is at most C (1 + log(1/(1-rho)))^m",
            logarithms_margin,
            given=(*BOTH, positive("constant"), whole("power", 1)),
            exists=(
                Chosen("constant", after=("dimension", "first", "second", "eta")),
                Chosen("power", after=("dimension", "first", "second", "eta"), range=Range.WHOLE),
            ),
        ),
        defect=Defect.REMARK,
        note=(
            "In d and epsilon it is right. In rho section 3.4 has the right form: for d, eigenvalues and eta fixed the "
            "factor grows as log(1/(1-rho))/sqrt(1-rho)."
        ),
    ),
)
