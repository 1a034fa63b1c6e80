"""The exponential mechanism on finitely many outputs: its utility, and what more records change (sections 2, 4, 6)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Condition, Statement, Step
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.spec.common.conditions import at_least, equality, positive


@attrs.frozen
class Tilted:
    """Outputs of probability proportional to ``base exp(t score)``; t is n eps/2 and the score q_F of the output.

    Parameters
    ----------
    base
        Probabilities of the outputs under the uniform law.
    scores
        One for each output.
    scale
        The number t.
    """

    base: tuple[Exact, ...]
    scores: tuple[Exact, ...]
    scale: Exact


@attrs.frozen
class MoreRecords(Tilted):
    """The same, with a second t."""

    other: Exact


@attrs.frozen
class Shortfall(Tilted):
    """The same, with the number u that says how much of the score is missed."""

    missed: Exact


def law(p: Tilted, scale: Exact) -> list[arb]:
    """The probabilities of the outputs."""
    weights = [ball(b) * (ball(scale) * ball(s)).exp() for b, s in zip(p.base, p.scores, strict=True)]
    total = sum(weights, arb(0))
    return [weight / total for weight in weights]


def utility(p: Tilted, scale: Exact) -> arb:
    """The expected score."""
    return sum((chance * ball(s) for chance, s in zip(law(p, scale), p.scores, strict=True)), arb(0))


def utility_margin(p: MoreRecords) -> arb:
    """The expected score at the second t minus that at the first."""
    return utility(p, p.other) - utility(p, p.scale)


def distance(p: Tilted, scale: Exact) -> arb:
    """Total variation distance from the uniform law."""
    return sum((abs(chance - ball(b)) for chance, b in zip(law(p, scale), p.base, strict=True)), arb(0)) / 2


def distance_margin(p: MoreRecords) -> arb:
    """The distance from the uniform law at the second t minus that at the first."""
    return distance(p, p.other) - distance(p, p.scale)


def scaled(p: Tilted) -> list[fmpq]:
    """``t (best score - score)`` of the outputs."""
    scores = [rational(s) for s in p.scores]
    return [rational(p.scale) * (max(scores) - s) for s in scores]


def bad_chance(p: Shortfall) -> arb:
    """``P(t score < t best - 2u)``."""
    missed = 2 * rational(p.missed)
    return sum((chance for chance, gap in zip(law(p, p.scale), scaled(p), strict=True) if gap > missed), arb(0))


def bad_bound(p: Shortfall) -> arb:
    """``exp(-u)`` over the share of the outputs with ``t score >= t best - u``."""
    pairs = zip(p.base, scaled(p), strict=True)
    return (-ball(p.missed)).exp() / arb(sum((rational(b) for b, gap in pairs if gap <= rational(p.missed)), fmpq(0)))


def near_share(p: Shortfall) -> fmpq:
    """The share of the outputs whose score misses the best one by at most u."""
    scores = [rational(s) for s in p.scores]
    pairs = zip(p.base, scores, strict=True)
    return sum((rational(b) for b, s in pairs if max(scores) - s <= rational(p.missed)), fmpq(0))


def convergence_margin(p: Shortfall) -> arb:
    """``u + log(1/mu)/t`` less what the expected score misses of the best one, mu the share of scores within u."""
    best = arb(max(rational(s) for s in p.scores))
    return ball(p.missed) - arb(near_share(p)).log() / ball(p.scale) - (best - utility(p, p.scale))


def length_margin(p: Tilted) -> arb:
    """Minus the difference of the numbers of probabilities and scores."""
    return arb(-abs(len(p.base) - len(p.scores)))


def least_margin(p: Tilted) -> arb:
    """The least probability."""
    return arb(min((rational(b) for b in p.base), default=fmpq(-1)))


def total_margin(p: Tilted) -> arb:
    """The probabilities sum to 1."""
    return equality(arb(sum((rational(b) for b in p.base), fmpq(0))), arb(1))


def more_margin(p: MoreRecords) -> arb:
    """The second t minus the first."""
    return arb(rational(p.other) - rational(p.scale))


OUTPUTS = (
    Condition("one score for each output", length_margin),
    Condition("each output has a positive share", least_margin, strict=True),
    Condition("the shares sum to 1", total_margin),
)
MORE = Condition("the second t is no less", more_margin)

UTILITY_STEPS = (
    Step(
        "exponential-mechanism-gap",
        Statement.of_law(
            "P(t q(v^) < t q(v_1) - 2u) <= exp(-u)/mu(t q >= t q(v_1) - u) for outputs of density exp(t q)",
            bad_chance,
            at_most=bad_bound,
            given=(*OUTPUTS, positive("scale"), positive("missed")),
        ),
        defect=None,
        note="Section 4.2 quotes it without a formula.",
    ),
    Step(
        "utility-rises-with-records",
        Statement(
            "for given A and epsilon the expected q_F of PPCA does not fall as n grows",
            utility_margin,
            given=(*OUTPUTS, MORE),
        ),
        defect=None,
        note="t = n eps/2: it does not fall with epsilon either.",
    ),
    Step(
        "utility-tends-to-the-best",
        Statement(
            "for given A the expected q_F of PPCA misses the best one by at most u + log(1/mu)/t, mu the share of the "
            "outputs that miss it by at most u",
            convergence_margin,
            given=(*OUTPUTS, positive("scale"), at_least("missed", 0)),
        ),
        defect=None,
        note="For u > 0 the second term vanishes as t = n eps/2 grows: it tends to the best with n and with epsilon.",
    ),
)
CHAIN_STEP = Step(
    "farther-from-uniform",
    Statement(
        "for given A and epsilon the total variation distance of the law of PPCA from the uniform one does not fall as "
        "n grows",
        distance_margin,
        given=(*OUTPUTS, positive("scale"), MORE),
    ),
    defect=None,
    note=(
        "That the chain takes longer does not follow from it alone: in the plane one step of Hoff's sampler reaches "
        "the law of PPCA, whatever n is. Of the printed simulations it says nothing."
    ),
)
