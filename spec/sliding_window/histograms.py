"""Spectral histograms: Definitions 3 and 8 and equation (2), as predicates that are decided exactly."""

from __future__ import annotations

from itertools import pairwise

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Claim, Condition, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import at_least, below, positive, whole
from dpmatrix.spec.common.spectra import identity
from dpmatrix.spec.sliding_window.loewner import are_symmetric, between, flag, least, precedes, precedes_margin, scaled


@attrs.frozen
class Histogram:
    """A stream up to time T and a data structure over it.

    Parameters
    ----------
    rows
        The T x d matrix of all rows so far.
    window
        Size W of the window.
    stamps
        Timestamps t_1, ..., t_l, from 1 to T.
    matrices
        The matrices K_1, ..., K_l (S_1, ..., S_l in Definition 3).
    eta
        Accuracy.
    approximations
        The S~_1, ..., S~_l of Definition 3.
    floor
        A multiple f of the identity that is added to every Gram matrix: sigma^2, or 0.
    """

    rows: fmpq_mat
    window: int
    stamps: tuple[int, ...]
    matrices: tuple[fmpq_mat, ...]
    eta: Exact
    approximations: tuple[fmpq_mat, ...] = ()
    floor: Exact = 0


def raised(matrix: fmpq_mat, floor: Exact) -> fmpq_mat:
    """``matrix + floor I``."""
    return matrix + scaled(floor, identity(matrix.nrows()))


def window_gram(p: Histogram) -> fmpq_mat:
    """``A_W'A_W + f I``."""
    total = p.rows.nrows()
    return raised(between(p.rows, total - p.window + 1, total), p.floor)


def close(matrices: tuple[fmpq_mat, ...], i: int, other: int, drop: Exact) -> bool:
    """Whether (1 - drop) K_i precedes K_other; indices count from 1."""
    return precedes(scaled(1 - rational(drop), matrices[i - 1]), matrices[other - 1])


def adjacent(p: Histogram, i: int) -> bool:
    """Whether t_{i+1} = t_i + 1."""
    return p.stamps[i] == p.stamps[i - 1] + 1


def sandwiches(p: Histogram) -> bool:
    """Item 3: K_2 precedes A_W'A_W, which precedes K_1; a structure of one matrix has no K_2."""
    inside = window_gram(p)
    return precedes(inside, p.matrices[0]) and (len(p.matrices) == 1 or precedes(p.matrices[1], inside))


def printed_item_2(p: Histogram, tested: tuple[fmpq_mat, ...], drop: Exact) -> bool:
    """Item 2 as it is stated, where non-closeness is tested on ``tested`` with factor 1 - drop.

    For every i: (t_{i+1} = t_i + 1 implies that i and i + 1 are not close), or for all h <= l - 2: h and h + 1 are
    close with factor 1 - eta and h and h + 2 are not close.
    """
    count = len(p.matrices)
    second = all(close(p.matrices, h, h + 1, p.eta) and not close(tested, h, h + 2, drop) for h in range(1, count - 1))
    return all(second or not (adjacent(p, i) and close(tested, i, i + 1, drop)) for i in range(1, count))


def printed_property_margin(p: Histogram) -> arb:
    """0 exactly when items 2 and 3 of Definition 8 hold as stated."""
    return flag(printed_item_2(p, p.matrices, p.eta) and sandwiches(p))


def printed_approximate_property_margin(p: Histogram) -> arb:
    """0 exactly when items 2 and 3 of Definition 3 hold as stated; its tests are on S~ with eta/2."""
    return flag(printed_item_2(p, p.approximations, rational(p.eta) / 2) and sandwiches(p))


def in_order(p: Histogram) -> bool:
    """Stamps increase from at least 1 to at most T."""
    return all(earlier < later for earlier, later in pairwise((0, *p.stamps, p.rows.nrows() + 1)))


def are_suffixes(p: Histogram) -> bool:
    """Each K_i is the Gram matrix of the rows t_i, ..., T, plus the floor."""
    total = p.rows.nrows()
    return all(
        matrix == raised(between(p.rows, stamp, total), p.floor)
        for stamp, matrix in zip(p.stamps, p.matrices, strict=True)
    )


def covers_window(p: Histogram) -> bool:
    """t_1 <= max(1, T - W + 1) < t_2: the first checkpoint holds the window, no other one does; alone it is exact."""
    start = max(1, p.rows.nrows() - p.window + 1)
    return p.stamps[0] == start if len(p.stamps) == 1 else p.stamps[0] <= start < p.stamps[1]


def neighbours_close(p: Histogram) -> bool:
    """For i <= l - 1: t_{i+1} = t_i + 1, or (1 - eta) K_i precedes K_{i+1}."""
    return all(adjacent(p, i) or close(p.matrices, i, i + 1, p.eta) for i in range(1, len(p.matrices)))


def seconds_apart(tested: tuple[fmpq_mat, ...], drop: Exact) -> bool:
    """For i <= l - 3: (1 - drop) K_i does not precede K_{i+2}."""
    return all(not close(tested, i, i + 2, drop) for i in range(1, len(tested) - 2))


def _has_shape(p: Histogram) -> bool:
    return in_order(p) and are_suffixes(p) and covers_window(p) and neighbours_close(p)


def has_property(p: Histogram) -> bool:
    """The spectral histogram property as the project reads it."""
    return _has_shape(p) and seconds_apart(p.matrices, p.eta)


def property_margin(p: Histogram) -> arb:
    """0 exactly when the repaired Definition 8 holds."""
    return flag(has_property(p))


def has_approximate_property(p: Histogram) -> bool:
    """The approximate property as the project reads it: closeness of S, non-closeness of S~ with eta/2."""
    return _has_shape(p) and seconds_apart(p.approximations, rational(p.eta) / 2)


def approximate_property_margin(p: Histogram) -> arb:
    """0 exactly when the repaired Definition 3 holds."""
    return flag(has_approximate_property(p))


def near_matrices_margin(p: Histogram) -> arb:
    """0 when there is one S_i and one S~_i for each stamp, all symmetric d x d."""
    counts = {len(p.stamps), len(p.matrices), len(p.approximations)}
    return flag(len(counts) == 1 and are_symmetric((*p.matrices, *p.approximations), p.rows.ncols()))


def matrices_margin(p: Histogram) -> arb:
    """0 when there is one K_i for each stamp, and all are symmetric d x d."""
    return flag(len(p.stamps) == len(p.matrices) and are_symmetric(p.matrices, p.rows.ncols()))


def quarter_margin(p: Histogram) -> arb:
    """(4): each S~_i is between (1 - eta/4) S_i and (1 + eta/4) S_i."""
    quarter = rational(p.eta) / 4
    sides = [
        precedes_margin(scaled(1 - quarter, exact), near).min(precedes_margin(near, scaled(1 + quarter, exact)))
        for exact, near in zip(p.matrices, p.approximations, strict=True)
    ]
    return least(sides)


def accuracy_margin(p: Histogram) -> arb:
    """(1 - eta) K_1 precedes A_W'A_W, which precedes K_1."""
    inside = window_gram(p)
    lower = precedes_margin(scaled(1 - rational(p.eta), p.matrices[0]), inside)
    return lower.min(precedes_margin(inside, p.matrices[0]))


def approximate_accuracy_margin(p: Histogram) -> arb:
    """(1 - eta/4) A_W'A_W precedes S~_1, which precedes (1 + eta/4)/(1 - eta) A_W'A_W."""
    inside, eta = window_gram(p), rational(p.eta)
    lower = precedes_margin(scaled(1 - eta / 4, inside), p.approximations[0])
    return lower.min(precedes_margin(p.approximations[0], scaled((1 + eta / 4) / (1 - eta), inside)))


def stamps_of_equation_2_margin(p: Histogram) -> arb:
    """t_2 <= T - W + 1 <= t_1, the stamps' condition as (2) states it."""
    start = p.rows.nrows() - p.window + 1
    return arb(min(start - p.stamps[1], p.stamps[0] - start))


ACCURACY = (whole("window", 1), positive("eta"), below("eta", 1), at_least("floor", 0))
MATRICES = Condition("a symmetric d x d matrix for each stamp", matrices_margin)
NEAR_MATRICES = Condition("symmetric d x d matrices S_i and S~_i for each stamp", near_matrices_margin)
MENDED = Condition("the spectral histogram property, as read", property_margin)
MENDED_APPROXIMATE = Condition("the approximate spectral histogram property, as read", approximate_property_margin)
APPROXIMATE = Condition("(4): S~_i is an eta/4 approximation of S_i", quarter_margin)

DEFINITION_8 = Claim(
    id="sliding-window.definition-8",
    kind=Kind.DEFINITION,
    source=Locator(
        "sliding-window",
        "Definition 8",
        "for i <= l-1 one of: (a) if t_{i+1} = t_i + 1 then (1-eta)K_i not<= K_{i+1}; (b) for all i <= l-2: (1-eta)K_i "
        "<= K_{i+1} and (1-eta)K_i not<= K_{i+2}; and K_2 <= A_W'A_W <= K_1",
    ),
    statement=Statement(
        "with the property, K_1 approximates the window: (1 - eta) K_1 <= A_W'A_W <= K_1",
        accuracy_margin,
        given=(*ACCURACY, MATRICES, Condition("items 2 and 3 as stated", printed_property_margin)),
    ),
    verdict=Verdict.ILL_POSED,
    reading=(
        "1 <= t_1 < ... < t_l <= T; K_i is the Gram matrix of the rows t_i, ..., T (plus one fixed multiple of I); t_1 "
        "<= max(1, T - W + 1) < t_2, and t_1 = max(1, T - W + 1) where l = 1; for i <= l - 1: t_{i+1} = t_i + 1 or "
        "(1-eta)K_i <= K_{i+1}; for i <= l - 3: (1-eta)K_i not<= K_{i+2}. "
        "How many matrices there are is the count of lemma-10."
    ),
    because=(
        "Alternative (a) is an implication, and true for every pair of stamps that are not adjacent: the rows 10, 0, "
        "1, 1, 1 with stamps 1, 3, 5 and W = 3 have the stated property, K_1 = 103 and A_W'A_W = 3. 'For all i' is "
        "inside 'for 1 <= i', poly(n, .) has no n, and the last triple is never tested by the algorithm.\n\n"
        "As read, closeness gives the accuracy, and where the first two stamps are adjacent the first one is the "
        "window's start, so that K_1 is exact. A single checkpoint has no second one to bound it: rows 10, 0 with W = "
        "1 and the stamp 1 alone would give K_1 = 100 for an empty window, so there t_1 must be the window's start."
    ),
    repair=Repair(
        "adjacent stamps or closeness; non-closeness for i <= l - 3; t_1 <= T - W + 1 < t_2, or t_1 alone at the start",
        Statement(
            "with the property as read, (1 - eta) K_1 <= A_W'A_W <= K_1",
            accuracy_margin,
            given=(*ACCURACY, MATRICES, MENDED),
        ),
    ),
)

DEFINITION_3 = Claim(
    id="sliding-window.definition-3",
    kind=Kind.DEFINITION,
    source=Locator(
        "sliding-window",
        "Definition 3, (2)",
        "for i <= s-1 one of: if t_{i+1} = t_i + 1 then (1-eta/2)S~_i not<= S~_{i+1}; for all i <= l-2: (1-eta)S_i <= "
        "S_{i+1} and (1-eta/2)S~_i not<= S~_{i+2}; and S_2 <= A_W'A_W <= S_1; (2): (1-eta)S_i <= S_{i+1} for i in [l], "
        "t_2 <= T-W+1 <= t_1",
    ),
    statement=Statement(
        "with the property and (4), S~_1 approximates the window: (1 - eta/4) A_W'A_W <= S~_1 <= (1 + eta/4)/(1 - eta) "
        "A_W'A_W",
        approximate_accuracy_margin,
        given=(
            *ACCURACY,
            NEAR_MATRICES,
            APPROXIMATE,
            Condition("items 2 and 3 as stated, for S and S~", printed_approximate_property_margin),
        ),
    ),
    verdict=Verdict.ILL_POSED,
    reading=(
        "As Definition 8, with (1-eta/2)S~_i not<= S~_{i+2} for i <= l - 3; (4) is a separate hypothesis. S~ need not "
        "be in Loewner order, and as Gram matrices of sketches they are not. How many matrices there are is lemma-4's "
        "repair."
    ),
    because=(
        "Vacuous for stamps that are not adjacent, like Definition 8. s and l are both the number of checkpoints. (2), "
        "the informal version, which defers to this one, has t_2 <= T - W + 1 <= t_1 although t_1 < t_2, reads "
        "S_{l+1}, and leaves out the exception for adjacent stamps."
    ),
    repair=Repair(
        "adjacent stamps or closeness; non-closeness for i <= l - 3; t_1 <= T - W + 1 < t_2, or t_1 alone at the start",
        Statement(
            "with the property as read and (4), (1 - eta/4) A_W'A_W <= S~_1 <= (1 + eta/4)/(1 - eta) A_W'A_W",
            approximate_accuracy_margin,
            given=(*ACCURACY, NEAR_MATRICES, APPROXIMATE, MENDED_APPROXIMATE),
        ),
    ),
    steps=(
        Step(
            "stamps",
            Statement("(2): t_2 <= T - W + 1 <= t_1", stamps_of_equation_2_margin, given=(*ACCURACY, MATRICES, MENDED)),
            defect=Defect.SLIP,
            note="Reversed: t_1 <= T - W + 1 <= t_2.",
        ),
    ),
)
