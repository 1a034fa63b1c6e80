"""Example 3.6 and Proposition D.1: data of signs, of which one row changes some of its signs (sections 3 and D)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Condition, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.spec.common.conditions import exceeds, whole
from dpmatrix.spec.common.spectra import disagreement, frobenius_norm
from dpmatrix.spec.compression.covariances import operator_norm


@attrs.frozen
class SignRows:
    """A row x of signs and the row y that replaces it, in a database of n rows."""

    row: tuple[int, ...]
    flipped: tuple[int, ...]
    records: int


def _outer(left: tuple[int, ...], right: tuple[int, ...]) -> fmpq_mat:
    return fmpq_mat([[a * b for b in right] for a in left])


def row_change(p: SignRows) -> fmpq_mat:
    """``Delta = (xx' - yy')/n``."""
    return (_outer(p.row, p.row) - _outer(p.flipped, p.flipped)) / p.records


def flips(p: SignRows) -> int:
    """Number of changed signs, tau p."""
    return sum(a != b for a, b in zip(p.row, p.flipped, strict=True))


def flip_root(p: SignRows) -> arb:
    """``2 p sqrt(tau (1 - tau)) / n``."""
    return 2 * arb(flips(p) * (len(p.row) - flips(p))).sqrt() / p.records


def signs_margin(p: SignRows) -> arb:
    """Zero exactly when both rows have one length and consist of signs."""
    wrong = sum(abs(value) != 1 for value in (*p.row, *p.flipped)) + abs(len(p.row) - len(p.flipped))
    return -arb(wrong)


def printed_norms_margin(p: SignRows) -> arb:
    """The smallest margin in ||Delta||_2 <= ||Delta||_F <= 2 p sqrt(tau (1 - tau))/n <= p/n."""
    frobenius = frobenius_norm(row_change(p))
    first = frobenius - operator_norm(row_change(p))
    return first.min(flip_root(p) - frobenius).min(arb(fmpq(len(p.row), p.records)) - flip_root(p))


def exact_norms_margin(p: SignRows) -> arb:
    """Least of three: n Delta has the characteristic polynomial t^(p-2) (t^2 - 4 k (p - k)); norms; 4 k (p - k) <= p^2.

    The squared Frobenius norm of Delta is twice the squared spectral norm 4 k (p - k)/n^2. All of it is exact.
    """
    size, squared = len(p.row), 4 * flips(p) * (len(p.row) - flips(p))
    expected = [0] * (size + 1)
    expected[size] = 1
    if size > 1:
        expected[size - 2] = -squared
    found = (row_change(p) * p.records).charpoly().coeffs()
    wrong = sum((abs(a - b) for a, b in zip(found, expected, strict=True)), fmpq(0))
    frobenius = sum((entry * entry for entry in row_change(p).entries()), fmpq(0))
    wrong += abs(frobenius - fmpq(2 * squared, p.records**2))
    return (-arb(wrong)).min(arb(size**2 - squared))


def split_margin(p: SignRows) -> arb:
    """Exact equality of xx' - yy' and (x - y)x' + y(x - y)'."""
    step = tuple(a - b for a, b in zip(p.row, p.flipped, strict=True))
    left = _outer(p.row, p.row) - _outer(p.flipped, p.flipped)
    return disagreement(left, _outer(step, p.row) + _outer(p.flipped, step))


def counting_margin(p: SignRows) -> arb:
    """Minus the distance of ||Delta||_F from 2 p sqrt(tau (1 - tau))/n."""
    return -abs(frobenius_norm(row_change(p)) - flip_root(p))


def at_most_margin(p: SignRows) -> arb:
    """p^2 - 4 p^2 tau (1 - tau), which is (p - 2 tau p)^2."""
    return arb(len(p.row) ** 2 - 4 * flips(p) * (len(p.row) - flips(p)))


def symmetry_margin(p: SignRows) -> arb:
    """Flipping the other signs instead gives the same Delta, exactly."""
    other = attrs.evolve(p, flipped=tuple(-value for value in p.flipped))
    return disagreement(row_change(p), row_change(other))


ROWS_OF_SIGNS = Condition("x and y are rows of signs, of one length", signs_margin)
SIGNS = (ROWS_OF_SIGNS, whole("records", 1))

PROPOSITION_D_1 = Claim(
    id="compression.proposition-d-1",
    kind=Kind.LEMMA,
    source=Locator(
        "compression",
        "Proposition D.1",
        "||Delta||_2 <= ||Delta||_F <= 2 p sqrt(tau (1 - tau)) / n <= p/n for all tau <= 1",
    ),
    statement=Statement(
        "||Delta||_2 <= ||Delta||_F <= 2 p sqrt(tau (1 - tau))/n <= p/n", printed_norms_margin, given=SIGNS
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    reading="tau p is an integer, the number of changed signs in one row.",
    because=(
        "xx' - yy' has 2 tau (1 - tau) p^2 entries of +-2, so ||Delta||_F = 2 sqrt(2) p sqrt(tau (1 - tau))/n: the "
        "root of 2 is lost in 'careful counting'. At p = 2, x = (1, 1), y = (1, -1) it is 2.83/n, and p/n is 2/n. "
        "The printed value is exactly the spectral norm: the eigenvalues are +-2 p sqrt(tau (1 - tau))/n and zeros."
    ),
    repair=Repair(
        "||Delta||_2 = 2 p sqrt(tau (1 - tau))/n <= p/n, and ||Delta||_F is sqrt(2) times that",
        Statement(
            "the eigenvalues of Delta are +-2 p sqrt(tau (1 - tau))/n and zeros, and at most p/n; ||Delta||_F is "
            "sqrt(2) times the spectral norm",
            exact_norms_margin,
            given=SIGNS,
        ),
    ),
    steps=(
        Step("split", Statement("B = C + D", split_margin, given=(ROWS_OF_SIGNS,)), defect=None),
        Step(
            "counting",
            Statement("||Delta||_F = 2 (p/n) sqrt(tau (1 - tau))", counting_margin, given=SIGNS),
            defect=Defect.FORMULA,
            note="The spectral norm; the Frobenius norm is sqrt(2) times as large.",
        ),
        Step(
            "at-most-p-over-n",
            Statement("2 (p/n) sqrt(tau (1 - tau)) <= p/n", at_most_margin, given=(ROWS_OF_SIGNS,)),
            defect=None,
        ),
        Step(
            "other-signs-flipped",
            Statement("tau > 1/2 has the effect of flipping 1 - tau", symmetry_margin, given=SIGNS),
            defect=None,
        ),
    ),
)


@attrs.frozen
class SignData:
    """Two databases of signs, n x p."""

    data: fmpq_mat
    neighbour: fmpq_mat


def _row(matrix: fmpq_mat, number: int) -> tuple[int, ...]:
    return tuple(int(matrix[number, j].p) for j in range(matrix.ncols()))


def changed_rows(p: SignData) -> list[int]:
    """Rows in which the databases differ."""
    return [i for i in range(p.data.nrows()) if _row(p.data, i) != _row(p.neighbour, i)]


def entries_margin(p: SignData) -> arb:
    """Zero exactly when all entries are signs."""
    return -arb(sum(abs(entry) != 1 for entry in (*p.data.entries(), *p.neighbour.entries())))


def shape_margin(p: SignData) -> arb:
    """Zero exactly when both databases have one shape."""
    return -arb(abs(p.data.nrows() - p.neighbour.nrows()) + abs(p.data.ncols() - p.neighbour.ncols()))


def one_row_margin(p: SignData) -> arb:
    """``1 -`` the number of rows in which the databases differ."""
    return arb(1 - len(changed_rows(p)))


def game_margin(p: SignData) -> arb:
    """Both databases meet (4), and their covariances differ by (xx' - yy')/n, exactly."""
    count, size = p.data.nrows(), p.data.ncols()
    grams = [matrix.transpose() * matrix / count for matrix in (p.data, p.neighbour)]
    total = -arb(sum((abs(gram[j, j] - 1) for gram in grams for j in range(size)), fmpq(0)))
    row = (changed_rows(p) or [0])[0]
    change = row_change(SignRows(_row(p.data, row), _row(p.neighbour, row), count))
    return total + disagreement(grams[0] - grams[1], change)


EXAMPLE_3_6 = Claim(
    id="compression.example-3-6",
    kind=Kind.DEFINITION,
    source=Locator(
        "compression",
        "Example 3.6",
        "X_1 in {-1,1}^(n x p); X_2 changes the signs on tau p bits on any x_i, 0 <= tau < 1",
    ),
    statement=Statement(
        "both databases are normalised as in (4), and Sigma_1 - Sigma_2 = (xx' - yy')/n",
        game_margin,
        given=(
            Condition("both databases are n x p", shape_margin),
            Condition("all entries are signs", entries_margin),
            exceeds("at most one row differs", one_row_margin, strict=False),
        ),
    ),
    verdict=Verdict.WELL_POSED,
    because=(
        "Columns of signs have squared norm n, so (4) costs nothing here and one changed row stays one changed row. "
        "tau < 1 loses no pair: changing all signs of a row leaves xx' as it is, which is why Proposition D.1 may "
        "say tau <= 1."
    ),
    reading="One single row changes, and tau p is an integer.",
)
