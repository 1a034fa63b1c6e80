"""The transformation X -> Phi X with normalised columns (sections 1 and 3)."""

from __future__ import annotations

import attrs
from flint import arb, arb_mat, fmpq, fmpq_mat, fmpz_mat

from dpmatrix.claims import Claim, Condition, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, ball
from dpmatrix.spec.common.conditions import exceeds, positive
from dpmatrix.spec.common.spectra import disagreement, squared_frobenius_norm


@attrs.frozen
class RawPair:
    """Two raw databases of one shape, n x p rational."""

    data: fmpq_mat
    neighbour: fmpq_mat


def squared_columns(data: fmpq_mat) -> list[fmpq]:
    """Squared norms of the columns."""
    rows = range(data.nrows())
    return [sum((data[i, j] * data[i, j] for i in rows), fmpq(0)) for j in range(data.ncols())]


def _signed_square(value: fmpq) -> fmpq:
    return value * abs(value)


def rows_changed(p: RawPair) -> int:
    """Number of rows in which the raw databases differ."""
    return sum(a != b for a, b in zip(p.data.tolist(), p.neighbour.tolist(), strict=True))


def rows_changed_after(p: RawPair) -> int:
    """Number of rows in which they differ after (4): x/|x| is compared through its signed square, which is rational."""
    first, second = squared_columns(p.data), squared_columns(p.neighbour)
    columns = range(p.data.ncols())
    return sum(
        any(_signed_square(a[j]) / first[j] != _signed_square(b[j]) / second[j] for j in columns)
        for a, b in zip(p.data.tolist(), p.neighbour.tolist(), strict=True)
    )


def still_neighbours_margin(p: RawPair) -> arb:
    """1 minus the number of rows that differ after normalisation."""
    return arb(1 - rows_changed_after(p))


def one_row_margin(p: RawPair) -> arb:
    """1 minus the number of rows that differ."""
    return arb(1 - rows_changed(p))


def columns_margin(p: RawPair) -> arb:
    """Least squared norm of a column of either database."""
    return arb(min(*squared_columns(p.data), *squared_columns(p.neighbour)))


@attrs.frozen
class CompressionRun:
    """One run of an implementation.

    Parameters
    ----------
    data
        X, n x p.
    normals
        Balls around the standard normal variates that it drew, m x n: sqrt(n) Phi.
    released, grid
        The integers that it released, m x p, and their spacing.
    """

    data: fmpq_mat
    normals: arb_mat
    released: fmpz_mat
    grid: Exact


def compressed(data: fmpq_mat, normals: arb_mat) -> arb_mat:
    """Phi X with Phi = Z/sqrt(n) and the columns of X scaled to squared norm n, as in (4)."""
    count, size = data.nrows(), data.ncols()
    scale = [(arb(count) / arb(squared)).sqrt() for squared in squared_columns(data)]
    product = normals * arb_mat(data)
    entries = [product[i, j] * scale[j] / arb(count).sqrt() for i in range(normals.nrows()) for j in range(size)]
    return arb_mat(normals.nrows(), size, entries)


def rounding_margin(ideal: arb_mat, released: fmpz_mat, grid: Exact) -> arb:
    """1/2 minus the largest distance of an entry, in units of the grid, from the released integer, in one shape."""
    if (ideal.nrows(), ideal.ncols()) != (released.nrows(), released.ncols()):
        return arb("-inf")
    least = arb("inf")
    for value, integer in zip(ideal.entries(), released.entries(), strict=True):
        least = least.min(arb(fmpq(1, 2)) - abs(value / ball(grid) - arb(integer)))
    return least


def compression_run_margin(p: CompressionRun) -> arb:
    """The released integers are the ideal output, correctly rounded, in its shape."""
    return rounding_margin(compressed(p.data, p.normals), p.released, p.grid)


def run_columns_margin(p: CompressionRun) -> arb:
    """Least squared norm of a column."""
    return arb(min(squared_columns(p.data)))


def fewer_rows_margin(p: CompressionRun) -> arb:
    """``n - m``."""
    return arb(p.data.nrows() - p.normals.nrows())


RUN = (
    exceeds("no column is zero", run_columns_margin),
    Condition("m <= n", fewer_rows_margin),
    positive("grid"),
)


@attrs.frozen
class Mask:
    """A revealed Phi, m x n rational."""

    mask: fmpq_mat


def other_solutions_margin(p: Mask) -> arb:
    """Dimension of the kernel of Phi, minus 1."""
    return arb(p.mask.ncols() - p.mask.rank() - 1)


def underdetermined_margin(p: Mask) -> arb:
    """``n - m``."""
    return arb(p.mask.ncols() - p.mask.nrows())


@attrs.frozen
class Ensemble:
    """A database X, n x p rational, and the number m of rows of Phi X."""

    data: fmpq_mat
    rows: int


def output_covariance(p: Ensemble) -> fmpq_mat:
    """Covariance of the entries of Phi X, row after row: LL'/n for the L with L vec(Phi) = vec(Phi X)."""
    n, size = p.data.nrows(), p.data.ncols()
    linear = [
        [p.data[a, j] if i == k else fmpq(0) for k in range(p.rows) for a in range(n)]
        for i in range(p.rows)
        for j in range(size)
    ]
    return fmpq_mat(linear) * fmpq_mat(linear).transpose() / n


def independent_rows(p: Ensemble) -> fmpq_mat:
    """``diag(Sigma, ..., Sigma)`` with m blocks ``Sigma = X'X/n``."""
    size = p.data.ncols()
    covariance = p.data.transpose() * p.data / p.data.nrows()
    places = [(i, j) for i in range(p.rows) for j in range(size)]
    return fmpq_mat([[covariance[j, b] if i == a else fmpq(0) for a, b in places] for i, j in places])


def ensemble_margin(p: Ensemble) -> arb:
    """The covariance of Phi X is that of m independent rows N(0, X'X/n), exactly."""
    return disagreement(output_covariance(p), independent_rows(p))


def singular_margin(p: RawPair) -> arb:
    """Minus the product of the determinants of X'X for the two databases."""
    return -arb((p.data.transpose() * p.data).det() * (p.neighbour.transpose() * p.neighbour).det())


def normalised_margin(p: RawPair) -> arb:
    """Zero exactly when all columns of both have squared norm n."""
    columns = (*squared_columns(p.data), *squared_columns(p.neighbour))
    return -arb(sum((abs(squared - p.data.nrows()) for squared in columns), fmpq(0)))


def told_apart_margin(p: RawPair) -> arb:
    """Squared Frobenius norm of the difference of X'X."""
    return squared_frobenius_norm(p.data.transpose() * p.data - p.neighbour.transpose() * p.neighbour)


def many_columns_margin(p: RawPair) -> arb:
    """``p - n``."""
    return arb(p.data.ncols() - p.data.nrows())


TRANSFORMATION = Claim(
    id="compression.transformation",
    kind=Kind.ALGORITHM,
    source=Locator(
        "compression",
        "sections 1 and 3, (4)",
        "normalise |X_j|^2 = n, 'the first step of our sanitization scheme'; X -> Phi X, Phi m x n with N(0, 1/n) "
        "entries",
    ),
    statement=Statement(
        "databases that differ in one row differ in one row after the first step",
        still_neighbours_margin,
        given=(
            exceeds("at most one row differs", one_row_margin, strict=False),
            exceeds("no column is zero", columns_margin),
        ),
    ),
    verdict=Verdict.EXECUTABLE_WITH_REPAIR,
    because=(
        "The normalisation depends on the data: one changed record rescales a whole column, so all n rows can change, "
        "and the distance V of former neighbours can be of order one instead of 1/n. So it cannot be a step of the "
        "mechanism while the guarantee speaks of databases that are normalised.\n\n"
        "Changed lines: (1) neighbours are "
        "compared after normalisation, which leaves little: two databases that both meet (4) and agree but for "
        "one row differ in signs of that row alone; a zero column is refused, and m > n too; (2) Phi X cannot be "
        "published: the release is the correct rounding of the ideal output to a public grid."
    ),
    repair=Repair(
        "neighbours after normalisation; no zero column; the output rounded to a grid",
        Statement(
            "the release is Phi X with normalised columns, correctly rounded",
            compression_run_margin,
            instance=True,
            given=RUN,
        ),
    ),
    steps=(
        Step(
            "underdetermined",
            Statement(
                "section 1: if Phi were revealed, X would still be no unique solution of Phi X = Y: for m < n there "
                "is another one",
                other_solutions_margin,
                given=(exceeds("m < n", underdetermined_margin),),
            ),
            defect=None,
            note="A linear combination of the rows is known all the same, for each row of Phi.",
        ),
        Step(
            "gaussian-ensemble",
            Statement("the rows of Phi X are independent, each N(0, X'X/n)", ensemble_margin),
            defect=None,
            note="Phi X is normal, as a linear image of Phi, with mean 0: its covariance is its law.",
        ),
        Step(
            "needs-fewer-columns-than-rows",
            Statement(
                "section 1: differential privacy, after the truncation (12), requires p < n: for p >= n neighbours of "
                "different covariance, normalised as in (4), never both have a definite one, and so densities (11)",
                singular_margin,
                given=(
                    exceeds("at most one row differs", one_row_margin, strict=False),
                    exceeds("the columns have squared norm n", normalised_margin, strict=False),
                    exceeds("X'X differs", told_apart_margin),
                    exceeds("p >= n", many_columns_margin, strict=False),
                ),
            ),
            defect=Defect.FORMULA,
            note="A slip by one: p = n does too, and p > n leaves no density (11).",
        ),
    ),
)
