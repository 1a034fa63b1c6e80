"""Theorem 19: the coefficients of columns of Y, and the sizes that (46) leaves to its entries (appendix E)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Defect, Statement, Step
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import at_least, exceeds, whole
from dpmatrix.spec.sliding_window.loewner import flag


@attrs.frozen
class Coefficients:
    """Column i of Y as a combination of the others, seen in two rows.

    Parameters
    ----------
    root
        sqrt(Psi).
    coefficients
        The k - 1 coefficients a_j.
    entries
        The k - 1 entries Y_ij of row i, none on the diagonal.
    diagonal, other
        Y_jj for the largest coefficient a_j, and another entry of that row.
    """

    root: Exact
    coefficients: tuple[Exact, ...]
    entries: tuple[Exact, ...]
    diagonal: Exact
    other: Exact


def largest(p: Coefficients) -> fmpq:
    """Largest |a_j|."""
    return max(abs(rational(one)) for one in p.coefficients)


def coefficient_margin(p: Coefficients) -> arb:
    """Largest |a_j| minus ``Psi^2/(k sqrt(Psi))``."""
    return arb(largest(p) - rational(p.root) ** 3 / (len(p.coefficients) + 1))


def combined(p: Coefficients) -> arb:
    """Sum of the a_j Y_ij minus ``Psi^2``; -1 if there is not one entry for each coefficient."""
    if len(p.coefficients) != len(p.entries):
        return flag(holds=False)
    total = sum((rational(a) * rational(y) for a, y in zip(p.coefficients, p.entries, strict=True)), fmpq(0))
    return arb(total - rational(p.root) ** 4)


def entries_margin(p: Coefficients) -> arb:
    """``sqrt(Psi)`` minus the largest |Y_ij|; -1 if there is not one entry for each coefficient."""
    if not p.coefficients or len(p.coefficients) != len(p.entries):
        return flag(holds=False)
    return arb(rational(p.root) - max(abs(rational(entry)) for entry in p.entries))


def terms_margin(p: Coefficients) -> arb:
    """Smaller slack of ``|a Y_jj| >= |a| Psi^2`` and ``|a_j Y| <= |a| sqrt(Psi)`` for the largest |a|."""
    size, root = largest(p), rational(p.root)
    on = size * abs(rational(p.diagonal)) - size * root**4
    off = min(size * root - abs(rational(one) * rational(p.other)) for one in p.coefficients)
    return arb(min(on, off))


def diagonal_margin(p: Coefficients) -> arb:
    """``Y_jj - Psi^2``."""
    return arb(rational(p.diagonal) - rational(p.root) ** 4)


def other_margin(p: Coefficients) -> arb:
    """``sqrt(Psi)`` minus the absolute value of the other entry."""
    return arb(rational(p.root) - abs(rational(p.other)))


COEFFICIENTS = (
    at_least("root", 1),
    exceeds("|Y_ij| <= sqrt(Psi), one for each coefficient", entries_margin, strict=False),
)


@attrs.frozen
class OffDiagonal:
    """Root of Psi, an entry off the diagonal, and the sum of the squares of all others."""

    root: Exact
    entry: Exact
    others: Exact


def shared_margin(p: OffDiagonal) -> arb:
    """``Psi`` minus the sum of all squares off the diagonal."""
    return arb(rational(p.root) ** 2 - rational(p.entry) ** 2 - rational(p.others))


def entry_margin(p: OffDiagonal) -> arb:
    """``sqrt(Psi)`` minus the entry."""
    return arb(rational(p.root) - rational(p.entry))


def square_margin(p: OffDiagonal) -> arb:
    """``sqrt(Psi)`` minus the square of the entry."""
    return arb(rational(p.root) - rational(p.entry) ** 2)


OFF_DIAGONAL = (
    at_least("root", 1),
    at_least("others", 0),
    exceeds("(46): the squares sum to Psi at most", shared_margin, strict=False),
)


@attrs.frozen
class AdditiveError:
    """W, d, an additive error tau, and the b of tau <= b (W + d)."""

    window: int
    dimension: int
    error: Exact
    factor: Exact


def window_error_margin(p: AdditiveError) -> arb:
    """``2 b W - tau``."""
    return arb(2 * rational(p.factor) * p.window - rational(p.error))


def allowed_error_margin(p: AdditiveError) -> arb:
    """``b (W + d) - tau``."""
    return arb(rational(p.factor) * (p.window + p.dimension) - rational(p.error))


def narrow_margin(p: AdditiveError) -> arb:
    """``W - d``."""
    return arb(p.window - p.dimension)


PLANTED_COEFFICIENTS = (
    Step(
        "off-diagonal",
        Statement("from (46): Y_pj <= sqrt(Psi)", entry_margin, given=OFF_DIAGONAL),
        defect=None,
    ),
    Step(
        "large-coefficient",
        Statement(
            "if the a_j Y_ij sum to Psi^2 at least, some |a_p| >= Psi^2/(k sqrt(Psi))",
            coefficient_margin,
            given=(*COEFFICIENTS, exceeds("sum of a_j Y_ij >= Psi^2", combined, strict=False)),
        ),
        defect=None,
        note="Even Psi^2/((k-1) sqrt(Psi)).",
    ),
    Step(
        "largest-term",
        Statement(
            "for the largest |a|: |a Y_jj| >= |a| Psi^2, and |a_j Y| <= |a| sqrt(Psi) for the other entries of its row",
            terms_margin,
            given=(
                *COEFFICIENTS,
                exceeds("Y_jj >= Psi^2", diagonal_margin, strict=False),
                exceeds("|Y| <= sqrt(Psi) off the diagonal", other_margin, strict=False),
            ),
        ),
        defect=None,
    ),
    Step(
        "squares-off-diagonal",
        Statement("from (46): V_ij^2 <= sqrt(Psi) off the diagonal", square_margin, given=OFF_DIAGONAL),
        defect=Defect.SLIP,
        note="Psi bounds the squares, and sqrt(Psi) the entries. A slip: Lemma 11 has it right, and the line after "
        "uses the entries.",
    ),
    Step(
        "additive-error",
        Statement(
            "O(W + d) is O(W): an additive error tau <= b (W + d) is at most 2 b W for d <= W",
            window_error_margin,
            given=(
                whole("window", 2),
                whole("dimension", 1),
                at_least("factor", 0),
                exceeds("d <= W", narrow_margin, strict=False),
                exceeds("tau <= b (W + d)", allowed_error_margin, strict=False),
            ),
        ),
        defect=None,
        note="tau is the additive error here, and 2 100^theta W d/l in the display before Psi: one letter for two "
        "numbers. Entries of M are not signs, but 10^theta in size.",
    ),
)
