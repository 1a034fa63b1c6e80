"""The spectral norm of the symmetric Gaussian ensemble, with an explicit constant."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Chosen, Claim, Kind, Locator, Statement, Verdict
from dpmatrix.exact import Real, ball, square
from dpmatrix.spec.common.conditions import whole

NORM_CONSTANT = 7
"""``||E||_2 <= 7 sqrt(n) Delta`` except with probability exp(-4n/5)."""


@attrs.frozen
class Ensemble:
    """A symmetric matrix of order n, entries on and above the diagonal independent N(0, Delta^2), and the C of O."""

    order: int
    constant: Real


def norm_probability(order: int, deviations: Real) -> arb:
    """Enclose Pr(||E||_2 >= u Delta), u >= 0, from below by one entry and from above by Gaussian concentration.

    ``||E||_2 >= |E_11|``, and there is no more for n = 1. The largest eigenvalue is a function with Lipschitz constant
    sqrt(2) Delta of the n(n+1)/2 standard normal variates, as ||E||_F^2 <= 2 Delta^2 |g|^2. Its mean is at most
    2 sqrt(n) Delta (Sudakov-Fernique): the variance of u'Eu - v'Ev is at most 2 Delta^2 ||uu' - vv'||_F^2 =
    4 Delta^2 (1 - (u'v)^2) <= 4 Delta^2 |u - v|^2, that of 2 Delta g'u - 2 Delta g'v. So it exceeds u Delta, with
    u >= 2 sqrt(n), with probability at most exp(-(u - 2 sqrt(n))^2 / 4), and so does the largest one of -E.
    """
    level = ball(deviations)
    least = (level / arb(2).sqrt()).erfc()
    if order == 1:
        return least
    above = level - 2 * arb(order).sqrt()
    most = (2 * (-square(above) / 4).exp()).min(arb(1)) if above > 0 else arb(1)
    return least.union(most)


def exceeding_probability(p: Ensemble) -> arb:
    """Pr(||E||_2 >= C sqrt(n) Delta)."""
    return norm_probability(p.order, ball(p.constant) * arb(p.order).sqrt())


def negligible(p: Ensemble) -> arb:
    """``exp(-4n/5)``."""
    return (-arb(4 * p.order) / 5).exp()


NOISE_NORM = Claim(
    id="analyze-gauss.noise-norm",
    kind=Kind.LEMMA,
    source=Locator(
        "analyze-gauss",
        "proof of Theorem 4",
        "E a symmetric Gaussian ensemble: with probability at least 1 - negl(n), ||E||_2 = O(sqrt(n) Delta)",
    ),
    statement=Statement.of_law(
        "there is a C such that Pr(||E||_2 >= C sqrt(n) Delta) <= exp(-4n/5) for every order n",
        exceeding_probability,
        at_most=negligible,
        given=(whole("order", 1),),
        exists=(Chosen("constant", exhibited=NORM_CONSTANT),),
    ),
    verdict=Verdict.HOLDS,
    reading=(
        "O means a constant C, and 7 is exhibited; negl(n) is exp(-4n/5). Delta is the standard deviation of an entry. "
        "The probability is exact for n = 1, and enclosed for larger n: below by one entry, above by concentration."
    ),
    because=(
        "A net of the sphere at distance 1/4 has at most 9^n points, ||E||_2 is at most twice the largest |x'Ex| on "
        "it, and x'Ex is Gaussian of variance Delta^2 (2 - sum x_i^4) <= 2 Delta^2. At C = 7 that is "
        "9^n exp(-49n/16) <= exp(-4n/5). The slides cite a corollary of a book for it, which is no part of them and on "
        "which nothing here rests. The constant of the limit is 2; 7 is what this proof gives at every n."
    ),
)
