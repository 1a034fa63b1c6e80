"""The lines of the proof of Theorem 10 (supplement C), each judged on its own."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Chosen, Defect, Statement, Step
from dpmatrix.exact import Real, ball
from dpmatrix.spec.common.conditions import at_least, below, exceeds, positive, whole
from dpmatrix.spec.wishart.packing import Packing, largest_family, log_printed_count


@attrs.frozen
class ProjectorData:
    """Data sets A^i = gamma Y^i Y^i', Y^i an orthonormal basis of a subspace of dimension k in R^d.

    Parameters
    ----------
    rank, dimension, gamma
        k, d and the number of copies of each basis.
    delta, epsilon
        Radius of the balls, and the stated epsilon.
    rate, constant
        The constants that Omega hides in Lemma 5 and in the last line.
    """

    rank: int
    dimension: int
    gamma: int
    delta: Real
    epsilon: Real
    rate: Real
    constant: Real


def zero_output_margin(p: ProjectorData) -> arb:
    """``delta gamma`` minus the error ||A^i||_2 = gamma of the mechanism that always publishes 0."""
    return ball(p.delta) * p.gamma - p.gamma


def unscaled_projector_margin(p: ProjectorData) -> arb:
    """``2 delta gamma - ||gamma Y Y' - Y Y'||_2`` for a mechanism that publishes A^i itself: the norm is gamma - 1."""
    return 2 * ball(p.delta) * p.gamma - (p.gamma - 1)


@attrs.frozen
class ErrorAbove:
    """A non-negative error of mean at most delta gamma that is ``error`` with probability ``mass``."""

    mean: Real
    error: Real
    mass: Real


def markov_margin(p: ErrorAbove) -> arb:
    """One half minus the mass above twice the bound of the mean: Pr[error <= 4 delta gamma] > 1/2 if positive."""
    return fmpq(1, 2) - ball(p.mass)


def mean_margin(p: ErrorAbove) -> arb:
    """``2 delta gamma - error mass``."""
    return ball(p.mean) - ball(p.error) * ball(p.mass)


def above_margin(p: ErrorAbove) -> arb:
    """``error - 4 delta gamma``."""
    return ball(p.error) - 2 * ball(p.mean)


def replaced_records_margin(p: ProjectorData) -> arb:
    """``2 gamma k`` minus the gamma k records that are replaced."""
    return arb(2 * p.gamma * p.rank - p.gamma * p.rank)


def group_privacy_margin(p: ProjectorData) -> arb:
    """``exp(2 gamma k epsilon) - exp(gamma k epsilon)``."""
    distance = p.gamma * p.rank * ball(p.epsilon)
    return (2 * distance).exp() - distance.exp()


def family_of(p: ProjectorData) -> Packing:
    """Return the family of Lemma 5 at radius delta."""
    return Packing(p.rank, p.dimension, p.delta, p.rate)


def overlapping_mass_margin(p: ProjectorData) -> arb:
    """``1 - (1/2) exp(-2 gamma k epsilon) N`` with the largest family whose balls of radius delta are disjoint."""
    return 1 - (-2 * p.gamma * p.rank * ball(p.epsilon)).exp() / 2 * largest_family(family_of(p))


def whole_space_margin(p: ProjectorData) -> arb:
    """``4 delta - 1``."""
    return 4 * ball(p.delta) - 1


def mass_margin(p: ProjectorData) -> arb:
    """``1 - (1/2) exp(-2 gamma k epsilon) 2^(rate k (d - k) log_2(1 / delta))``."""
    return 1 - (log_printed_count(family_of(p)) - 2 * p.gamma * p.rank * ball(p.epsilon)).exp() / 2


def last_line_margin(p: ProjectorData) -> arb:
    """``gamma - c d log(1 / delta) / epsilon``."""
    return p.gamma - ball(p.constant) * p.dimension * (1 / ball(p.delta)).log() / ball(p.epsilon)


def low_rank_margin(p: ProjectorData) -> arb:
    """``d - 2 k``."""
    return arb(p.dimension - 2 * p.rank)


def four_margin(p: ProjectorData) -> arb:
    """``log N - log 4``."""
    return log_printed_count(family_of(p)) - arb(4).log()


def rate_over_eight(rate: Real) -> arb:
    """``rate / 8``."""
    return ball(rate) / 8


def proper_margin(p: ProjectorData) -> arb:
    """``d - k``."""
    return arb(p.dimension - p.rank)


COPIES = (whole("rank", 1), whole("gamma", 1))
PROJECTOR_DATA = (
    *COPIES,
    exceeds("k < d", proper_margin),
    positive("delta"),
    below("delta", 1),
    positive("epsilon"),
)

PROOF = (
    Step(
        "small-error",
        Statement("E ||A^i - A^_k^i||_2 <= delta gamma", zero_output_margin, given=PROJECTOR_DATA),
        defect=Defect.HYPOTHESIS,
        note="Printed as a fact; it is the hypothesis that the proof sets out to contradict.",
    ),
    Step(
        "projector",
        Statement(
            "with A~ = Y^ Y^', E ||A^i - A~||_2 <= 2 delta gamma", unscaled_projector_margin, given=PROJECTOR_DATA
        ),
        defect=Defect.SLIP,
        note="The factor gamma is missing: gamma Y^ Y^' is within twice the error, Y^ Y^' is gamma - 1 away.",
    ),
    Step(
        "markov",
        Statement(
            "a mean of at most 2 delta gamma gives Pr[error <= 4 delta gamma] > 1/2",
            markov_margin,
            given=(
                at_least("mean", 0),
                exceeds("error > 4 delta gamma", above_margin),
                exceeds("error mass <= 2 delta gamma", mean_margin, strict=False),
            ),
            strict=True,
        ),
        defect=None,
    ),
    Step(
        "distance",
        Statement("A^i and A^j are at most 2 gamma k replacements apart", replaced_records_margin, given=COPIES),
        defect=None,
        note="gamma k replacements suffice; 2 gamma k counts removals and additions.",
    ),
    Step(
        "group-privacy",
        Statement(
            "the ratio of the probabilities is at most exp(2 gamma k eps)",
            group_privacy_margin,
            given=(*COPIES, positive("epsilon")),
        ),
        defect=None,
        note="exp(gamma k eps) suffices.",
    ),
    Step(
        "disjoint-balls",
        Statement(
            "half the mass in each C_(4 delta)(Y^i) gives (1/2) exp(-2 gamma k eps) N <= 1, family at radius delta",
            overlapping_mass_margin,
            given=(
                *PROJECTOR_DATA,
                exceeds("4 delta >= 1: any output is in each ball", whole_space_margin, strict=False),
            ),
        ),
        defect=Defect.FORMULA,
        note="The balls of radius 4 delta overlap; the family has to be taken at radius 4 delta.",
    ),
    Step(
        "last-line",
        Statement(
            "for k <= d/2 and N = 2^(rate k (d-k) log_2(1/delta)) >= 4, (1/2) exp(-2 gamma k eps) N <= 1 implies gamma "
            ">= c d log(1/delta) / eps",
            last_line_margin,
            given=(
                *COPIES,
                *PROJECTOR_DATA[3:],
                exceeds("k <= d/2", low_rank_margin, strict=False),
                positive("rate"),
                exceeds("N >= 4", four_margin, strict=False),
                exceeds("(1/2) exp(-2 gamma k eps) N <= 1", mass_margin, strict=False),
            ),
            exists=(Chosen("constant", after=("rate",), exhibited=rate_over_eight),),
        ),
        defect=None,
        note="The rank is low, as the heading has it: k cancels and d - k is left, which may be 1 for k near d.",
    ),
)
