"""The bound of `compression.theorem-4-6` on the loss of a truncated sketch, set against the exact supremum."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from attrs import frozen
from flint import arb, fmpq, fmpq_mat

from dpmatrix.exact import rational
from dpmatrix.privacy.truncated_sketch import printed_loss_bound, truncated_loss

CLAIM = "compression.theorem-4-6"
SAYS = "m p |Delta|_F / (2 l_i l_1) (C sqrt(ln(2 n p) / m) + Delta_max + 2 |Delta|_F |S_1|^2 / (p l_i l_1)), no o(1)"

SIZES = (2, 3, 5, 10)
CORRELATIONS = tuple(map(Fraction, ("0.001", "0.01", "0.1", "0.5", "0.9")))
ROWS = (50, 200, 1000)
RECORDS = 10**6


@frozen
class TruncationJudgement:
    """The printed bound and the exact supremum at one setting.

    Attributes
    ----------
    size, correlation, rows
        p; the one correlation in which the two data sets differ, 0 in the reference; and m.
    printed
        The bound on alpha, its o(1) left out.
    exact
        Supremum of the absolute log-ratio of the densities over the truncated set, or a bound above it.
    attained
        Whether ``exact`` is attained.
    """

    size: int
    correlation: Fraction
    rows: int
    printed: arb
    exact: arb
    attained: bool

    @property
    def covers(self) -> bool | None:
        """Whether the printed bound is at least the exact supremum; None if that is open."""
        if self.printed >= self.exact:
            return True
        return False if self.attained and self.printed < self.exact else None

    @property
    def excess(self) -> float:
        """Printed over exact."""
        return float(self.printed / self.exact)


def tail(size: int, rows: int, records: int = RECORDS) -> Fraction:
    """Return ``C sqrt(ln(2 n p) / m)``, ``C^2 = 2 (C_1 + C_2)``, ``C_1 = 4 e / sqrt(6 pi)``, ``C_2 = sqrt(8 e)``.

    Rounded to the nearest float: the same number is used on both sides of the comparison.
    """
    e = arb(1).exp()
    factor = 2 * (4 * e / (6 * arb.pi()).sqrt() + (8 * e).sqrt())
    return Fraction(float((factor * arb(2 * records * size).log() / rows).sqrt()))


def judge_truncation(size: int, correlation: Fraction, rows: int) -> TruncationJudgement:
    """Compare a data set with uncorrelated columns, the reference, with one whose first two columns are correlated.

    Raises
    ------
    InvalidParameterError
        If the correlation is not within (-1, 1), or a size is not positive.
    """
    reference, other = (_correlated(size, entry) for entry in (Fraction(0), correlation))
    reach = tail(size, rows)
    pairs = ((reference, other), (other, reference))
    losses = [truncated_loss(*pair, reference, rows, reach + abs(correlation)) for pair in pairs]
    worst = max(losses, key=lambda loss: float(loss.supremum))
    printed = printed_loss_bound(reference, other, rows, reach, abs(correlation))
    return TruncationJudgement(size, correlation, rows, printed, worst.supremum, worst.attained)


def truncation_table() -> list[TruncationJudgement]:
    """Judge the bound over a grid."""
    return [
        judge_truncation(size, correlation, rows) for size in SIZES for correlation in CORRELATIONS for rows in ROWS
    ]


def _correlated(size: int, correlation: Fraction) -> fmpq_mat:
    matrix = fmpq_mat([[fmpq(int(i == j)) for j in range(size)] for i in range(size)])
    if size > 1:
        matrix[0, 1] = matrix[1, 0] = rational(correlation)
    return matrix


def truncation_row() -> dict[str, Any]:
    """Sum the table up, in the form of the other printed constants."""
    table = truncation_table()
    chosen = ((2, CORRELATIONS[0]), (2, CORRELATIONS[-1]), (10, CORRELATIONS[-1]))
    shown = [judge_truncation(size, correlation, ROWS[0]) for size, correlation in chosen]
    return {
        "claim": CLAIM,
        "says": SAYS,
        "parameter": "alpha, the bound on the loss",
        "adjacency": "one correlation changed",
        "pure": True,
        "judged": len(table),
        "keeps": sum(judgement.covers is True for judgement in table),
        "fails": sum(judgement.covers is False for judgement in table),
        "fails_first": next((_place(found) for found in table if found.covers is False), None),
        "excess": [_place(found) | {"excess": found.excess} for found in shown],
    }


def _place(found: TruncationJudgement) -> dict[str, Any]:
    return {"size": found.size, "correlation": str(found.correlation), "rows": found.rows}
