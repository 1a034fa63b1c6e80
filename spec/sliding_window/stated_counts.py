"""Appendix C: how often singular values can drop, the space of checkpoints, and Lemma 10 as a case of Lemma 1."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Statement, Step
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.spec.common.conditions import below, equality, exceeds, positive, whole


@attrs.frozen
class Drops:
    """How often d singular values drop by the factor 1 - eta.

    Parameters
    ----------
    dimension
        d.
    number
        Drops of any one singular value, at most.
    window, power
        W, and the b of a spectrum between 1 and W^b.
    eta
        eta in (0, 1).
    """

    dimension: int
    number: int
    window: int
    power: Exact
    eta: Exact


def drops_margin(p: Drops) -> arb:
    """``b (d / eta) log W - d n``."""
    return p.dimension * (ball(p.power) / ball(p.eta) * arb(p.window).log() - p.number)


def range_margin(p: Drops) -> arb:
    """``b log W + n log(1 - eta)``: from W^b on n drops end at 1 at least."""
    return ball(p.power) * arb(p.window).log() + p.number * (1 - ball(p.eta)).log()


@attrs.frozen
class Checkpoints:
    """W, d and eta."""

    window: int
    dimension: int
    eta: Exact


def product_margin(p: Checkpoints) -> arb:
    """Minus the distance of d^2 numbers for (d / eta) log W checkpoints from ``(d^3 / eta) log W``."""
    count = p.dimension / ball(p.eta) * arb(p.window).log()
    return equality(p.dimension**2 * count, arb(p.dimension) ** 3 / ball(p.eta) * arb(p.window).log())


@attrs.frozen
class Threshold:
    """The eta of Algorithm 6."""

    eta: Exact


def special_case_margin(p: Threshold) -> arb:
    """What Lemma 1 leaves for Algorithm 1 with 2 eta, whose comparisons are those of Algorithm 6, minus 1 - eta."""
    eta = rational(p.eta)
    doubled = 2 * eta
    return arb((1 - doubled) - (1 - eta))


DROPS = Step(
    "drops",
    Statement(
        "d singular values between 1 and W^b drop by the factor 1 - eta at most b (d/eta) log W times in all",
        drops_margin,
        given=(
            whole("dimension", 1),
            whole("number", 0),
            whole("window", 2),
            positive("power"),
            positive("eta"),
            below("eta", 1),
            exceeds("n drops stay in the range", range_margin, strict=False),
        ),
    ),
    sound=True,
    note="A checkpoint need not make any singular value drop by that factor: see lemma-4.",
)
SPACE_PRODUCT = Step(
    "space-product",
    Statement(
        "d^2 numbers for each of (d/eta) log W checkpoints are (d^3/eta) log W",
        product_margin,
        given=(whole("window", 2), whole("dimension", 1), positive("eta"), below("eta", 1)),
    ),
    sound=True,
)
FROM_LEMMA_1 = Step(
    "from-lemma-1",
    Statement(
        "Lemma 1, with the comparisons of Algorithm 6 and no approximation errors, gives (1 - eta) K(i) <= K(i+1)",
        special_case_margin,
        given=(positive("eta"), below("eta", 1)),
    ),
    sound=False,
    note="Algorithm 1 compares with 1 - eta/2, so that its lemma gives 1 - 2 eta; the argument carries over.",
)
