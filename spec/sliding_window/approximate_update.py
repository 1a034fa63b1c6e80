"""Lemma 1: what Update-Approx keeps, and the chain of inequalities of its proof."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Claim, Condition, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import at_least, below, exceeds, positive
from dpmatrix.spec.common.spectra import eigenvalues
from dpmatrix.spec.sliding_window.loewner import flag, least, precedes, precedes_margin, scaled
from dpmatrix.spec.sliding_window.sketch_order import SKETCH_ORDER
from dpmatrix.spec.sliding_window.special_histograms import SPECIAL_HISTOGRAMS
from dpmatrix.spec.sliding_window.update_lemmas import (
    ORDERED,
    RUN,
    every_approximation_margin,
    every_closer_margin,
    kept_approximate_property_margin,
    near_shapes_margin,
    printed_approximate_lemma_margin,
    stamped_margin,
    survivors_close_margin,
)


@attrs.frozen
class ChainPoint:
    """L(j), L(j+1), and the approximations of both."""

    first: fmpq_mat
    second: fmpq_mat
    first_near: fmpq_mat
    second_near: fmpq_mat
    eta: Exact


def strict_margin(p: ChainPoint) -> arb:
    """Least eigenvalue of ((1-eta/2)(1-eta/4)/(1+eta/4) - (1-eta)) L(j): positive where the stated relation holds."""
    eta = rational(p.eta)
    factor = (1 - eta / 2) * (1 - eta / 4) / (1 + eta / 4) - (1 - eta)
    return eigenvalues(scaled(factor, p.first))[-1]


def into_approximation_margin(p: ChainPoint) -> arb:
    """(1-eta/2)(1-eta/4)/(1+eta/4) L(j) <= (1-eta/2)/(1+eta/4) L~(j)."""
    eta = rational(p.eta)
    outer = (1 - eta / 2) / (1 + eta / 4)
    return precedes_margin(scaled(outer * (1 - eta / 4), p.first), scaled(outer, p.first_near))


def across_margin(p: ChainPoint) -> arb:
    """(1-eta/2)/(1+eta/4) L~(j) <= L~(j+1)/(1+eta/4)."""
    eta = rational(p.eta)
    return precedes_margin(
        scaled((1 - eta / 2) / (1 + eta / 4), p.first_near), scaled(1 / (1 + eta / 4), p.second_near)
    )


def out_of_approximation_margin(p: ChainPoint) -> arb:
    """L~(j+1)/(1+eta/4) <= L(j+1)."""
    return precedes_margin(scaled(1 / (1 + rational(p.eta) / 4), p.second_near), p.second)


def first_quarter_margin(p: ChainPoint) -> arb:
    """(1 - eta/4) L(j) <= L~(j)."""
    return precedes_margin(scaled(1 - rational(p.eta) / 4, p.first), p.first_near)


def second_quarter_margin(p: ChainPoint) -> arb:
    """L~(j+1) <= (1 + eta/4) L(j+1)."""
    return precedes_margin(p.second_near, scaled(1 + rational(p.eta) / 4, p.second))


def update_relation_margin(p: ChainPoint) -> arb:
    """(1 - eta/2) L~(j) <= L~(j+1)."""
    return precedes_margin(scaled(1 - rational(p.eta) / 2, p.first_near), p.second_near)


def definite_margin(p: ChainPoint) -> arb:
    """Least eigenvalue of L(j)."""
    return eigenvalues(p.first)[-1]


@attrs.frozen
class DropPoint:
    """Two positive semidefinite matrices, large and small, and eta."""

    large: fmpq_mat
    small: fmpq_mat
    eta: Exact


def singular_drop_margin(p: DropPoint) -> arb:
    """Largest of (1 - eta/2) s_k(large) - s_k(small) over k."""
    factor = 1 - rational(p.eta) / 2
    return -least([b - factor * a for a, b in zip(eigenvalues(p.large), eigenvalues(p.small), strict=True)])


def not_close_margin(p: DropPoint) -> arb:
    """0 exactly when (1 - eta/2) large does not precede small, although small precedes large, both non-negative."""
    apart = not precedes(scaled(1 - rational(p.eta) / 2, p.large), p.small)
    return flag(apart and precedes(p.small, p.large) and precedes(p.small - p.small, p.small))


ETA = (positive("eta"), below("eta", 1))
FIRST = Condition("(1 - eta/4) L(j) <= L~(j)", first_quarter_margin)
SECOND = Condition("L~(j+1) <= (1 + eta/4) L(j+1)", second_quarter_margin)
RELATION = Condition("(1 - eta/2) L~(j) <= L~(j+1)", update_relation_margin)
NEAR_SHAPES = Condition("no S~, or a symmetric one for every time and stamp", near_shapes_margin)
APPROXIMATIONS = Condition("(4) at every time, for every stamp", every_approximation_margin)
CLOSER = Condition("(4) with eta/8 at every time, for every stamp", every_closer_margin)

LEMMA_1 = Claim(
    id="sliding-window.lemma-1",
    kind=Kind.LEMMA,
    source=Locator(
        "sliding-window",
        "Lemma 1",
        "if S_l'S_l <= ... <= S_1'S_1, the output of Update-Approx satisfies the eta-approximate spectral histogram "
        "property",
    ),
    statement=Statement(
        "for ordered input, exact approximations included, the output of Algorithm 1 has item 2 of Definition 3",
        printed_approximate_lemma_margin,
        given=(Condition("a symmetric matrix for each stamp", stamped_margin), *ORDERED),
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.CONCLUSION,
    headline=(
        "Three equal matrices refute it: one call of Algorithm 1 does not bring the property about; along a stream "
        "that starts empty it holds, given (4) at every time."
    ),
    reading="Algorithm 1 as repaired; (4) holds at every time for every stamp, by hypothesis.",
    because=(
        "Refuted like Lemma 10, by three equal matrices. The proof takes the relation of consecutive survivors from "
        "'the update rule' at the present time, where it may fail: for adjacent stamps always, for others because "
        "sketches are no longer close after further rows. What is true: at the time of the deletion the chain leads "
        "from S~ to the exact S, and for exact matrices closeness survives. No order among the S~ is needed. The step "
        "from 'not <=' to a singular value is false even for ordered matrices; determinants replace it, for exact "
        "matrices and for approximations that are within eta/8 (lemma-4's repair)."
    ),
    repair=Repair(
        "the property as read, along a stream that starts empty, under (4) at every time",
        Statement(
            "after every row the structure has the approximate property",
            kept_approximate_property_margin,
            given=(*RUN, at_least("floor", 0), NEAR_SHAPES, APPROXIMATIONS),
        ),
    ),
    steps=(
        Step(
            "update-rule",
            Statement(
                "by the update rule (1 - eta/2) L~(j) <= L~(j+1)",
                survivors_close_margin,
                given=(*RUN, at_least("floor", 0), NEAR_SHAPES, APPROXIMATIONS),
            ),
            defect=Defect.PROOF,
            note="Not for adjacent stamps, and not at later times.",
        ),
        Step(
            "strict-factor",
            Statement(
                "(1 - eta) L(j) < (1 - eta/2)(1 - eta/4)/(1 + eta/4) L(j)",
                strict_margin,
                given=(*ETA, exceeds("L(j) is positive definite", definite_margin)),
                strict=True,
            ),
            defect=None,
            note="Under (6) L(j) is: a sketch contains sigma Phi. For a singular matrix it would be '<='.",
        ),
        Step(
            "into-approximation",
            Statement(
                "(1-eta/2)(1-eta/4)/(1+eta/4) L(j) <= (1-eta/2)/(1+eta/4) L~(j)",
                into_approximation_margin,
                given=(*ETA, FIRST),
            ),
            defect=None,
        ),
        Step(
            "between-approximations",
            Statement(
                "(1-eta/2)/(1+eta/4) L~(j) <= L~(j+1)/(1+eta/4)", across_margin, given=(positive("eta"), RELATION)
            ),
            defect=None,
        ),
        Step(
            "out-of-approximation",
            Statement("L~(j+1)/(1+eta/4) <= L(j+1)", out_of_approximation_margin, given=(positive("eta"), SECOND)),
            defect=None,
        ),
        Step(
            "singular-value",
            Statement(
                "if (1 - eta/2) L~(j) does not precede L~(j+2), some singular value drops by the factor 1 - eta/2",
                singular_drop_margin,
                given=(*ETA, Condition("0 <= small <= large, not close", not_close_margin)),
                strict=True,
            ),
            defect=Defect.REMARK,
            note="Two eigenvalues can share the drop; the determinant falls by the factor.",
        ),
        *SKETCH_ORDER,
        *SPECIAL_HISTOGRAMS,
    ),
    uses=("sliding-window.proposition-10", "sliding-window.definition-3+repair", "sliding-window.algorithm-1+repair"),
)
