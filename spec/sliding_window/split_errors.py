"""Lemma 5: which singular vectors the projections of the proof keep, and three of its four errors (section 4.1)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Statement, Step
from dpmatrix.exact import rational
from dpmatrix.spec.common.conditions import exceeds
from dpmatrix.spec.common.spectra import diagonal, disagreement, identity
from dpmatrix.spec.sliding_window.loewner import gram, squared_norm
from dpmatrix.spec.sliding_window.summary_margins import SPLIT, SplitSketch


@attrs.frozen
class WeighedSplit(SplitSketch):
    """A sketch of A^ in the bases of its singular vectors, and a d x d matrix W that weighs the errors.

    Parameters
    ----------
    weight
        W of a norm |W E|_F, such as the root of (A^'A^)^+.
    """

    weight: fmpq_mat


def leading(p: SplitSketch) -> fmpq_mat:
    """P_1, the projection onto the first k axes, in the basis of the right singular vectors."""
    return diagonal([int(place < p.k) for place in range(len(p.values))])


def trailing(p: SplitSketch) -> fmpq_mat:
    """``P_2 = I - P_1``."""
    return identity(len(p.values)) - leading(p)


def difference(p: SplitSketch) -> fmpq_mat:
    """``A^'Phi'Phi A^ - A^'A^``."""
    data = diagonal([rational(value) for value in p.values])
    return gram(p.sketch * data) - gram(data)


def second_error(p: SplitSketch) -> fmpq_mat:
    """``E_2 = P_2 A^'Phi'Phi A^ P_2 - P_2 A^'A^ P_2``."""
    return trailing(p) * difference(p) * trailing(p)


def third_error(p: SplitSketch) -> fmpq_mat:
    """``E_3 = P_1 A^'Phi'Phi A^ P_2 - P_1 A^'A^ P_2``."""
    return leading(p) * difference(p) * trailing(p)


def fourth_error(p: SplitSketch) -> fmpq_mat:
    """``E_4 = P_2 A^'Phi'Phi A^ P_1 - P_2 A^'A^ P_1``."""
    return trailing(p) * difference(p) * leading(p)


def symmetric_margin(p: SplitSketch) -> arb:
    """Minus the largest distance between entries of E_2 and of its transpose."""
    return disagreement(second_error(p), second_error(p).transpose())


def same_norm_margin(p: WeighedSplit) -> arb:
    """``|W E_3|_F^2 - |E_4 W'|_F^2``."""
    return arb(squared_norm(p.weight * third_error(p)) - squared_norm(fourth_error(p) * p.weight.transpose()))


def kept_directions_margin(p: SplitSketch) -> arb:
    """Zero exactly when P_1 keeps the first k axes and |A^P_2|_F^2 is the sum of the d - k least squares of values."""
    size = len(p.values)
    axes = fmpq_mat(identity(size).tolist()[: p.k]).transpose()
    squares = sorted(rational(value) ** 2 for value in p.values)
    rest = squared_norm(diagonal([rational(value) for value in p.values]) * trailing(p))
    return disagreement(leading(p) * axes, axes) - arb(abs(rest - sum(squares[: size - p.k], fmpq(0))))


def weight_margin(p: WeighedSplit) -> arb:
    """Zero exactly when W is d x d."""
    size = len(p.values)
    return -arb(abs(p.weight.nrows() - size) + abs(p.weight.ncols() - size))


SPLIT_ERRORS = (
    Step(
        "second-error",
        Statement("E_2 is symmetric", symmetric_margin, given=SPLIT),
        defect=None,
    ),
    Step(
        "kept-directions",
        Statement(
            "P_1 keeps the first k singular vectors, so that |A^P_2|_F = |A^ - [A^]_k|_F, the least distance from a "
            "matrix of rank k",
            kept_directions_margin,
            given=SPLIT,
        ),
        defect=None,
        note="Printed with P_2 for P_1.",
    ),
    Step(
        "fourth-error",
        Statement(
            "what is shown of |W E_3|_F holds for |E_4 W'|_F: it is no larger",
            same_norm_margin,
            given=(*SPLIT, exceeds("W is d x d", weight_margin, strict=False)),
        ),
        defect=None,
        note="E_4 = E_3'. The W of (18) is the root of (A^'A^)^+.",
    ),
)
