"""Neighbours in the binary game for the evidence on `compression`, and their losses computed once more."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import attrs
import mpmath
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims.formulas import real, real_matrix
from dpmatrix.spec.compression.binary_loss import GamePair
from proofs_checks.compression.compressed_tails import least_rows, logarithm, squared_constant
from proofs_checks.compression.covariance_pairs import INDEFINITE, SKEW, WIDE, gamma, sheared, spectrum
from proofs_checks.exact_matrices import correlated

OTHERS = {"smallness": 1, "floor": Fraction(1, 2), "ratio": 1, "c_min": Fraction(1, 2), "least_records": 2}
"""The numbers that stand for what is asymptotic, where nothing else is said."""


def game(n: int, differing: int, **fields) -> GamePair:
    """Two columns of n signs that differ in some rows, and a sign changed where they agree."""
    first = 1 - Fraction(2 * differing, n)
    given = {"records": n, "rows": least_rows(n, 2), "row": (1, 1), "flipped": (1, -1)}
    return GamePair(correlated(first), correlated(first - Fraction(2, n)), Fraction(2, n), **(OTHERS | given | fields))


def from_data(data: fmpq_mat, row: int, flipped: list[int], **fields) -> GamePair:
    """Compute both covariances from a database of signs."""
    n = data.nrows()
    other = fmpq_mat([flipped if i == row else values for i, values in enumerate(data.tolist())])
    signs = tuple(int(x.p) for x in data.tolist()[row])
    return GamePair(
        data.transpose() * data / n,
        other.transpose() * other / n,
        Fraction(2, n),
        records=n,
        row=signs,
        flipped=tuple(flipped),
        **(OTHERS | {"rows": least_rows(n, data.ncols())} | fields),
    )


def orthogonal_data(n: int) -> fmpq_mat:
    """Three columns of n signs, nearly orthogonal for n a multiple of four."""
    return fmpq_mat([[1, 1 if i % 2 else -1, 1 if (i // 2) % 2 else -1] for i in range(n)])


def radius(p: GamePair) -> mpmath.mpf:
    return mpmath.sqrt(squared_constant() * logarithm(p.records, p.first.nrows()) / p.rows)


def loss(p: GamePair) -> mpmath.mpf:
    """Compute the supremum where both corners of the box are outputs: (m/2)(A + r ||vec Gamma||_1) or its like."""
    change = gamma(p)
    product_matrix = change * real_matrix(p.first)
    linear = sum(product_matrix[i, i] for i in range(p.first.nrows()))
    ratio = mpmath.log(mpmath.det(real_matrix(p.second)) / mpmath.det(real_matrix(p.first)))
    centre = mpmath.mpf(p.rows) / 2 * (ratio + linear)
    reach = mpmath.mpf(p.rows) / 2 * (radius(p) + real(p.delta_max)) * sum(abs(x) for x in change)
    return max(centre + reach, reach - centre)


TIGHT = [
    game(10**4, 200, rows=10**6),
    *(game(n, round(n * share), rows=m) for n in (400, 10**4) for share in (0.4, 0.5, 0.6) for m in (2000, 5000, 9000)),
    *(
        from_data(orthogonal_data(n), 0, flips, rows=8000 + n)
        for n in (400, 404)
        for flips in ([-1, -1, -1], [1, 1, -1])
    ),
]
"""Pairs with so many rows that both corners are outputs, and the loss is exact."""


INSIDE = game(10**4, 5000, smallness=Fraction(3, 10), rows=220)
"""Orthogonal columns; p sqrt(m/n) = 0.2966, ||Gamma|| = 2.0e-4."""
SIZES = {
    "records >= 2, an integer": attrs.evolve(INSIDE, records=1),
    "rows >= 1, an integer": attrs.evolve(INSIDE, rows=0),
    "m >= 2 (C_1 + C_2) ln 2np": attrs.evolve(INSIDE, rows=216),
    "first_mass >= 0": attrs.evolve(INSIDE, first_mass=Fraction(-1, 10**9)),
    "second_mass >= 0": attrs.evolve(INSIDE, second_mass=Fraction(-1, 10**9)),
    "P_1(E) <= 1/n^2, as Lemma 4.4 has it": attrs.evolve(INSIDE, first_mass=Fraction(11, 10**9)),
    "P_i(E) <= 1/n^2, as Lemma 4.4 has it": attrs.evolve(INSIDE, second_mass=Fraction(11, 10**9)),
}
BASE = SIZES | {
    "the covariances are symmetric": attrs.evolve(INSIDE, first=SKEW, second=SKEW),
    "the columns are normalised as in (4)": attrs.evolve(INSIDE, first=WIDE, second=WIDE),
    "Sigma_1 - Sigma_2 = (xx' - yy')/n for rows of signs": attrs.evolve(INSIDE, flipped=(1, 1)),
}
DELTA_MAX = {
    "max |Delta_jk| <= Delta_max": attrs.evolve(INSIDE, delta_max=Fraction(199, 10**6)),
    "Delta_max <= 2/n": attrs.evolve(INSIDE, delta_max=Fraction(201, 10**6)),
}
DEFINITE = {
    "Sigma_1 is positive definite": attrs.evolve(INSIDE, first=INDEFINITE),
    "Sigma_j is positive definite": attrs.evolve(INSIDE, second=INDEFINITE),
}
ASSUMED = (
    BASE
    | DELTA_MAX
    | DEFINITE
    | {
        "c_min > 0": attrs.evolve(INSIDE, c_min=0),
        "1/lambda_max(Sigma_1) >= C_min": attrs.evolve(INSIDE, c_min=Fraction(101, 100)),
        "||Gamma||_2, ||Delta||_2 <= s": attrs.evolve(INSIDE, smallness=Fraction(19, 10**5)),
        "n >= n_0": attrs.evolve(INSIDE, least_records=10**4 + 1),
    }
)
FLOORED = BASE | {
    "floor > 0": attrs.evolve(INSIDE, floor=0),
    "lambda_min(Sigma_1), lambda_min(Sigma_2) >= c": attrs.evolve(INSIDE, second=correlated(Fraction(51, 100))),
}
CHANGE = fmpq_mat([[0, fmpq(2, 10**4)], [fmpq(2, 10**4), 0]])
"""Delta of `INSIDE`."""
LONG = fmpq_mat([[5050, -4950], [-4950, 5050]])
"""Eigenvalue 100 along (1, 1), where Delta is positive, and 10^4 along (1, -1): ln|Sigma_1|/|Sigma_2| is 2/(100 n)."""


def region_outside(inside: GamePair) -> dict[str, GamePair]:
    """Points outside one hypothesis alone, at which the loss over the region exceeds the bound."""
    skew, almost_equal = sheared(10**4), game(10**6, 1, smallness=inside.smallness, ratio=inside.ratio)
    return {
        "the covariances are symmetric": attrs.evolve(inside, first=skew, second=skew - CHANGE),
        "the columns are normalised as in (4)": attrs.evolve(inside, first=LONG, second=LONG - CHANGE, floor=99),
        "Sigma_1 - Sigma_2 = (xx' - yy')/n for rows of signs": attrs.evolve(inside, second=correlated(Fraction(1, 2))),
        "lambda_min(Sigma_1), lambda_min(Sigma_2) >= c": almost_equal,
    }


def kept_outside(inside: GamePair) -> dict[str, GamePair]:
    """Points outside one hypothesis alone, at which the loss over (12) around Sigma_1 exceeds the bound."""
    skew, unit, records = sheared(10**4), correlated(*[0] * 6), 10**8
    change = fmpq_mat([[fmpq(2 * int(i != j), records) for j in range(4)] for i in range(4)])
    four = {"row": (1, 1, 1, 1), "flipped": (1, 1, 1, -1), "records": records, "delta_max": Fraction(2, records)}
    tight = {"rows": 10**5, "smallness": Fraction(127, 1000), "ratio": 305, "floor": Fraction(999, 1000)}
    return {
        "the covariances are symmetric": attrs.evolve(inside, first=skew, second=skew - CHANGE),
        "Sigma_1 - Sigma_2 = (xx' - yy')/n for rows of signs": attrs.evolve(
            inside, first=unit, second=unit - change, **four, **tight
        ),
        "lambda_min(Sigma_1), lambda_min(Sigma_2) >= c": game(10**6, 1, smallness=inside.smallness, ratio=inside.ratio),
        "Delta_max <= 2/n": attrs.evolve(inside, delta_max=100),
        "P_1(E) <= 1/n^2, as Lemma 4.4 has it": attrs.evolve(inside, first_mass=Fraction(999, 1000)),
        "P_i(E) <= 1/n^2, as Lemma 4.4 has it": attrs.evolve(inside, second_mass=Fraction(999, 1000)),
        "first_mass >= 0": attrs.evolve(inside, first_mass=-1000),
        "second_mass >= 0": attrs.evolve(inside, second_mass=-1000),
    }


MASSES = {"first_mass": Fraction(1, 10**8), "second_mass": Fraction(1, 10**8)}


def differing(smallness: Fraction, records: int) -> int:
    """Return a number k of differing rows for which ||Gamma|| = n/(2 k (k + 1)) is just below s."""
    return isqrt(int(records * 10 / (19 * smallness))) + 1


def isqrt_of_root_log(power: int) -> int:
    """Return k near sqrt(n sqrt(ln n)/2), n = 10^power: ||Gamma|| is 1/sqrt(ln n)."""
    with mpmath.workdps(40):
        return int(mpmath.sqrt(mpmath.mpf(10) ** power * mpmath.sqrt(power * mpmath.log(10)) / 2)) + 1


def assert_region(statement, points, bound) -> None:
    """Compare both ends of the margin with formulas: 2 uu', u the signs of a row of Gamma, and |Gamma| or 2 p l."""
    with mpmath.workdps(60):
        for p in points:
            change, size = gamma(p), p.first.nrows()
            half = mpmath.mpf(p.rows) / 2
            constant = half * mpmath.log(mpmath.det(real_matrix(p.second)) / mpmath.det(real_matrix(p.first)))
            constant += mpmath.log((1 - real(p.second_mass)) / (1 - real(p.first_mass)))
            attained = abs(constant)
            for row in range(size):
                signs = [1 if change[row, j] >= -(mpmath.mpf(10) ** -50) else -1 for j in range(size)]
                form = sum(change[i, j] * signs[i] * signs[j] for i in range(size) for j in range(size))
                attained = max(attained, abs(constant + half * 2 * form))
            values, entries = spectrum(change), sum(abs(x) for x in change)
            above, below = (2 * half * min(entries, size * max(x, 0)) for x in (values[-1], -values[0]))
            largest = max(constant + above, below - constant, attained)
            margin = statement.margin(p)
            for end, value in ((margin.upper(), attained), (margin.lower(), largest)):
                assert abs(end - arb(mpmath.nstr(bound(p) - value, 40))) < arb(2) ** -26 * arb(mpmath.nstr(largest, 40))
