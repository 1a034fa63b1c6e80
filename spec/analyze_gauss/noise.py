"""The spectral norm of the symmetric Gaussian ensemble, with an explicit constant."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Claim, Kind, Locator, Statement, Verdict
from dpmatrix.exact import Real, ball, square
from dpmatrix.spec.conditions import whole

NORM_CONSTANT = 7
"""``||E||_2 <= 7 sqrt(n) Delta`` except with probability exp(-4n/5)."""


@attrs.frozen
class Ensemble:
    """Order n of a symmetric matrix whose entries on and above the diagonal are independent N(0, Delta^2)."""

    order: int


def norm_tail(order: int, deviations: Real) -> arb:
    """Bound ``9^n exp(-u^2/16)`` of Pr(||E||_2 >= u Delta): see `analyze-gauss.noise-norm`."""
    return arb(9) ** order * (-square(ball(deviations)) / 16).exp()


def noise_norm_margin(p: Ensemble) -> arb:
    """``exp(-4n/5)`` minus the bound of Pr(||E||_2 >= 7 sqrt(n) Delta)."""
    return (-arb(4 * p.order) / 5).exp() - norm_tail(p.order, NORM_CONSTANT * arb(p.order).sqrt())


NOISE_NORM = Claim(
    id="analyze-gauss.noise-norm",
    kind=Kind.LEMMA,
    source=Locator(
        "analyze-gauss",
        "proof of Theorem 4",
        "E a symmetric Gaussian ensemble: with probability at least 1 - negl(n), ||E||_2 = O(sqrt(n) Delta)",
    ),
    statement=Statement(
        "Pr(||E||_2 >= 7 sqrt(n) Delta) <= exp(-4n/5) for every order n", noise_norm_margin, given=(whole("order", 1),)
    ),
    verdict=Verdict.HOLDS,
    reading=(
        "O means the constant 7, and negl(n) is exp(-4n/5). The probability enters through its bound 9^n exp(-u^2/16), "
        "u = 7 sqrt(n), so that a margin >= 0 implies the inequality. Delta is the deviation of an entry."
    ),
    because=(
        "A net of the sphere at distance 1/4 has at most 9^n points, ||E||_2 is at most twice the largest |x'Ex| on "
        "it, and x'Ex is Gaussian of variance Delta^2 (2 - sum x_i^4) <= 2 Delta^2. The slides cite a corollary for "
        "it. The constant of the limit is 2; 7 is what this proof gives at every n."
    ),
)
