"""Appendix C: how often singular values can drop, the space of checkpoints, and Lemma 10 as a case of Lemma 1."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Statement, Step
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.spec.common.conditions import at_least, below, equality, exceeds, positive, whole


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


def checkpoint_count(p: Checkpoints) -> arb:
    """``(d / eta) log W``."""
    return p.dimension / ball(p.eta) * arb(p.window).log()


def product_margin(p: Checkpoints) -> arb:
    """Minus the distance of d^2 numbers for `checkpoint_count` checkpoints from ``(d^3 / eta) log W``."""
    return equality(p.dimension**2 * checkpoint_count(p), arb(p.dimension) ** 3 / ball(p.eta) * arb(p.window).log())


@attrs.frozen
class Threshold:
    """Two matrices in one direction u of norm 1, what they are compared by, and the rule of the comparison.

    Parameters
    ----------
    threshold, error
        h of the comparison h K~(i) <= K~(i+1), and alpha of the approximations, within 1 +- alpha.
    first, second
        u'K(i)u and u'K(i+1)u.
    near_first, near_second
        u'K~(i)u and u'K~(i+1)u.
    """

    threshold: Exact
    error: Exact
    first: Exact
    second: Exact
    near_first: Exact
    near_second: Exact


def chain_margin(p: Threshold) -> arb:
    """``u'K(i+1)u - h (1 - alpha)/(1 + alpha) u'K(i)u``."""
    error = rational(p.error)
    return arb(rational(p.second) - rational(p.threshold) * (1 - error) / (1 + error) * rational(p.first))


def compared_margin(p: Threshold) -> arb:
    """``u'K~(i+1)u - h u'K~(i)u``."""
    return arb(rational(p.near_second) - rational(p.threshold) * rational(p.near_first))


def lower_margin(p: Threshold) -> arb:
    """``u'K~(i)u - (1 - alpha) u'K(i)u``."""
    return arb(rational(p.near_first) - (1 - rational(p.error)) * rational(p.first))


def upper_margin(p: Threshold) -> arb:
    """``(1 + alpha) u'K(i+1)u - u'K~(i+1)u``."""
    return arb((1 + rational(p.error)) * rational(p.second) - rational(p.near_second))


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
    defect=None,
    note="A checkpoint need not make any singular value drop by that factor: see lemma-4.",
)
SPACE_PRODUCT = Step(
    "space-product",
    Statement(
        "d^2 numbers for each of (d/eta) log W checkpoints are (d^3/eta) log W",
        product_margin,
        given=(whole("window", 2), whole("dimension", 1), positive("eta"), below("eta", 1)),
    ),
    defect=None,
)
FROM_LEMMA_1 = Step(
    "from-lemma-1",
    Statement(
        "with threshold h and approximations within 1 +- alpha the chain of Lemma 1 gives h (1-alpha)/(1+alpha) K(i) "
        "<= K(i+1), in each direction: (1 - eta) K(i) <= K(i+1) for the h = 1 - eta and alpha = 0 of Algorithm 6",
        chain_margin,
        given=(
            at_least("threshold", 0),
            at_least("error", 0),
            below("error", 1),
            exceeds("(1 - alpha) u'K(i)u <= u'K~(i)u", lower_margin, strict=False),
            exceeds("h u'K~(i)u <= u'K~(i+1)u", compared_margin, strict=False),
            exceeds("u'K~(i+1)u <= (1 + alpha) u'K(i+1)u", upper_margin, strict=False),
        ),
    ),
    defect=None,
    note="As a black box, with 2 eta, Lemma 1 gives less. The last triple is judged in the claim.",
)
