"""Theorem 6: what (19) and (20) give together (section 4.2)."""

from __future__ import annotations

from typing import Protocol

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Chosen, Statement, Step
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.spec.common.conditions import at_most, below, exceeds, positive, whole


@attrs.frozen
class RightInequality:
    """Costs of one projection, and the additive term of Lemma 5.

    Parameters
    ----------
    sketch, window
        |A~(1-X~)|_F and |A_W(1-X~)|_F.
    extra
        K of Lemma 5, or what (20) prints for it.
    eta
        eta.
    """

    sketch: Exact
    window: Exact
    extra: Exact
    eta: Exact


def right_margin(p: RightInequality) -> arb:
    """``(1 + 6 eta)|A~(1-X~)|_F + extra - |A_W(1-X~)|_F``."""
    return arb((1 + 6 * rational(p.eta)) * rational(p.sketch) + rational(p.extra) - rational(p.window))


def equation_20(p: RightInequality) -> arb:
    """``|A~(1-X~)|_F - (|A_W(1-X~)|_F - extra)/(1 + 6 eta)``."""
    return arb(rational(p.sketch) - (rational(p.window) - rational(p.extra)) / (1 + 6 * rational(p.eta)))


@attrs.frozen
class CombinedError:
    """Parameters of the additive errors of (19), (20) and Theorem 6, and the constant of O()."""

    dimension: int
    k: int
    eta: Exact
    epsilon: Exact
    delta: Exact
    failure: Exact
    constant: Exact


class ErrorTerms(Protocol):
    """What the additive error of Theorem 6 is made of, but for the dimension."""

    @property
    def k(self) -> int:
        """Rank of the projections."""

    @property
    def epsilon(self) -> Exact:
        """Epsilon of the guarantee."""

    @property
    def delta(self) -> Exact:
        """Delta of the guarantee."""

    @property
    def failure(self) -> Exact:
        """Beta."""

    @property
    def constant(self) -> Exact:
        """The constant of O()."""


def spread(p: ErrorTerms) -> arb:
    """``k' = k + log(1/beta)``."""
    return p.k - ball(p.failure).log()


def unit(p: ErrorTerms) -> arb:
    """``log(1/delta)/epsilon``."""
    return -ball(p.delta).log() / ball(p.epsilon)


def stated_error(p: ErrorTerms, dimension: int) -> arb:
    """``c log(1/delta)/epsilon sqrt(d log d k')``."""
    d = arb(dimension)
    return ball(p.constant) * unit(p) * (d * d.log() * spread(p)).sqrt()


def lemma_5_error(p: CombinedError) -> arb:
    """``K = sqrt(k' d log(1/delta))/epsilon``."""
    return (spread(p) * p.dimension * -ball(p.delta).log()).sqrt() / ball(p.epsilon)


def combined_error(p: CombinedError) -> arb:
    """``(1 + (1 + 6 eta)/(1 - 6 eta)) K``."""
    eta = ball(p.eta)
    return (1 + (1 + 6 * eta) / (1 - 6 * eta)) * lemma_5_error(p)


def combined_margin(p: CombinedError) -> arb:
    """`stated_error` minus `combined_error`."""
    return stated_error(p, p.dimension) - combined_error(p)


def combined_constant(eta: Exact) -> fmpq:
    """``3/(1 - 6 eta)``."""
    return 3 / (1 - 6 * rational(eta))


COMBINED_COSTS = (
    Step(
        "equation-20",
        Statement(
            "(20): from |A_W(1-X~)|_F <= (1 + 6 eta)|A~(1-X~)|_F + K follows |A~(1-X~)|_F >= (|A_W(1-X~)|_F - K)/(1 + "
            "6 eta)",
            equation_20,
            given=(positive("eta"), exceeds("|A_W(1-X~)| <= (1 + 6 eta)|A~(1-X~)| + K", right_margin, strict=False)),
        ),
        defect=None,
        note="A rearrangement, for every K: (20) writes k' d for the sqrt(k' d) of Lemma 5.",
    ),
    Step(
        "combination",
        Statement(
            "for each eta < 1/6 there is a constant c, 3/(1 - 6 eta), with which the additive error that (19) and (20) "
            "give with the K of Lemma 5, 2/(1 - 6 eta) sqrt(k' d log(1/delta))/eps, is at most c log(1/delta)/eps "
            "sqrt(d log d k') for delta <= 1/2",
            combined_margin,
            given=(
                whole("dimension", 2),
                whole("k", 1),
                positive("eta"),
                below("eta", fmpq(1, 6)),
                positive("epsilon"),
                positive("delta"),
                at_most("delta", fmpq(1, 2)),
                positive("failure"),
                below("failure", 1),
            ),
            exists=(Chosen("constant", after=("eta",), exhibited=combined_constant),),
        ),
        defect=None,
        note="(19) and (20) are printed without the root of Lemma 5; c grows like 1/(1 - 6 eta).",
    ),
)
