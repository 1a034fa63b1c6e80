"""Pairs of covariances for the evidence on `compression`, and what the formulas are made of."""

from __future__ import annotations

import random
from fractions import Fraction

import attrs
import mpmath
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.claims.formulas import real, real_matrix
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.compression.covariances import CovariancePair, NearbyPair
from dpmatrix.spec.compression.truncated_loss import TruncatedPair
from proofs_checks.compression.compressed_tails import logarithm, squared_constant
from proofs_checks.exact_matrices import correlated

SKEW = fmpq_mat([[1, 0], [fmpq(1, 7), 1]])
INDEFINITE = fmpq_mat([[1, 2], [2, 1]])
WIDE = fmpq_mat([[2, 0], [0, 1]])
UNIT = fmpq_mat([[1, 0], [0, 1]])
BENT = fmpq_mat([[1, -1000], [fmpq(1, 1000), 1]]).inv()
"""Beside [[1, 1000], [0, 1]]: Gamma has one entry, 1/1000, and tr(Gamma Sigma_1) is 1."""


def sheared(above: Exact, below: Exact = 0) -> fmpq_mat:
    """Give a unit diagonal without symmetry: eigenvalues 1 +- sqrt(above below), which do not bound the inverse."""
    return fmpq_mat([[1, rational(above)], [rational(below), 1]])


def uniform(size: int, along: Exact, across: Exact) -> fmpq_mat:
    """Give the eigenvalue ``along`` to (1, ..., 1), and ``across`` to whatever is orthogonal to it."""
    share = (rational(along) - rational(across)) / size
    return fmpq_mat([[share + (rational(across) if i == j else 0) for j in range(size)] for i in range(size)])


def drawn(draws: random.Random, count: int = 22, spread: int = 60) -> list[tuple[fmpq_mat, fmpq_mat]]:
    """Correlation matrices of sizes 2 and 3, the second one near the first."""
    pairs = []
    for index in range(count):
        number = 1 if index % 2 else 3
        first = [Fraction(draws.randint(-9, 9), 30) for _ in range(number)]
        second = [value + Fraction(draws.choice((-3, -2, -1, 1, 2, 3)), spread) for value in first]
        pairs.append((correlated(*first), correlated(*second)))
    return pairs


def spectrum(matrix) -> list[mpmath.mpf]:
    matrix = real_matrix(matrix) if isinstance(matrix, fmpq_mat) else matrix
    return sorted(mpmath.eigsy(matrix, eigvals_only=True))


def norm(matrix) -> mpmath.mpf:
    return max(abs(value) for value in spectrum(matrix))


def frobenius(matrix) -> mpmath.mpf:
    return mpmath.sqrt(sum(x**2 for x in (real_matrix(matrix) if isinstance(matrix, fmpq_mat) else matrix)))


def gamma(p: CovariancePair) -> mpmath.matrix:
    return real_matrix(p.second) ** -1 - real_matrix(p.first) ** -1


def trace(matrix) -> mpmath.mpf:
    return sum(matrix[i, i] for i in range(matrix.rows))


def remainder(p: CovariancePair) -> mpmath.mpf:
    """Compute A from the eigenvalues g of Gamma Sigma_1: the sum of g - log(1 + g)."""
    root = mpmath.cholesky(real_matrix(p.first))
    return sum(g - mpmath.log(1 + g) for g in spectrum(root.T * gamma(p) * root))


def middle(p) -> mpmath.mpf:
    return (
        norm(real_matrix(p.first) - real_matrix(p.second))
        * norm(p.first)
        / (spectrum(p.first)[0] * spectrum(p.second)[0])
    )


def relative(p) -> mpmath.mpf:
    return norm(p.first) * norm(gamma(p))


def bounds(p) -> tuple[mpmath.mpf, mpmath.mpf]:
    """Find the supremum of the norm and the infimum of the least eigenvalue, over 33 places of the segment."""
    start, change = real_matrix(p.first) ** -1, gamma(p)
    spectra = [spectrum(start + change * mpmath.mpf(k) / 32) for k in range(33)]
    return max(values[-1] for values in spectra), min(values[0] for values in spectra)


NEAR = NearbyPair(correlated(Fraction(1, 10)), correlated(Fraction(1, 5)), Fraction(1, 10))


def drawn_pairs(draws: random.Random, count: int = 24) -> list[NearbyPair]:
    """Correlation matrices of sizes 2 to 4, positive definite because their rows are diagonally dominant."""
    pairs = []
    for index in range(count):
        size = 2 + index % 3
        entries = [[Fraction(draws.randint(-9, 9), 30) for _ in range(size * (size - 1) // 2)] for _ in range(2)]
        first, second = (correlated(*values) for values in entries)
        largest = max(abs(a - b) for a, b in zip(*entries, strict=True))
        pairs.append(NearbyPair(first, second, largest + Fraction(index % 4, 50)))
    return pairs


PAIR_OUTSIDE = {
    "the covariances are symmetric": attrs.evolve(NEAR, first=SKEW, second=SKEW),
    "Sigma_1 is positive definite": attrs.evolve(NEAR, first=INDEFINITE),
    "Sigma_j is positive definite": attrs.evolve(NEAR, second=correlated(1)),
    "the columns are normalised as in (4)": attrs.evolve(NEAR, first=WIDE, second=WIDE),
    "max |Delta_jk| <= Delta_max": attrs.evolve(NEAR, delta_max=Fraction(99, 1000)),
}


def outside(*names: str) -> dict[str, object]:
    return {name: PAIR_OUTSIDE[name] for name in names}


DEFINITE = {
    "the covariances are symmetric": attrs.evolve(NEAR, first=SKEW, second=SKEW),
    "Sigma_1 is positive definite": attrs.evolve(NEAR, first=INDEFINITE),
    "Sigma_j is positive definite": attrs.evolve(NEAR, second=INDEFINITE),
}


def radius(p) -> mpmath.mpf:
    return mpmath.sqrt(squared_constant() * logarithm(p.records, p.first.nrows()) / p.rows) + real(p.delta_max)


def loss(p, reference=None) -> mpmath.mpf:
    """Search the corners of the box around the reference, or Sigma_1, for the largest absolute log-ratio."""
    shift = mpmath.log((1 - real(p.second_mass)) / (1 - real(p.first_mass)))
    size, change = p.first.nrows(), gamma(p)
    places = [(i, j) for i in range(size) for j in range(i, size)]
    best = mpmath.mpf(0)
    ratio = mpmath.log(mpmath.det(real_matrix(p.second)) / mpmath.det(real_matrix(p.first)))
    for pattern in range(2 ** len(places)):
        corner = real_matrix(p.first if reference is None else reference)
        for bit, (i, j) in enumerate(places):
            step = radius(p) if pattern >> bit & 1 else -radius(p)
            corner[i, j] += step
            corner[j, i] = corner[i, j]
        value = p.rows * (ratio + trace(change * corner)) / 2 + shift
        best = max(best, abs(value))
    return best


def truncated(first, second, delta, **fields) -> TruncatedPair:
    return TruncatedPair(first, second, delta, **({"records": 1000, "rows": 9000} | fields))


SIMPLE = truncated(correlated(Fraction(1, 10)), correlated(Fraction(1, 5)), Fraction(1, 10), records=10, rows=76)
TRUNCATED_OUTSIDE = {
    "the covariances are symmetric": attrs.evolve(SIMPLE, first=SKEW, second=SKEW),
    "Sigma_1 is positive definite": attrs.evolve(SIMPLE, first=INDEFINITE),
    "Sigma_j is positive definite": attrs.evolve(SIMPLE, second=INDEFINITE),
    "the columns are normalised as in (4)": attrs.evolve(SIMPLE, first=WIDE, second=WIDE),
    "max |Delta_jk| <= Delta_max": attrs.evolve(SIMPLE, delta_max=Fraction(99, 1000)),
    "records >= 2, an integer": attrs.evolve(SIMPLE, records=1),
    "rows >= 1, an integer": attrs.evolve(SIMPLE, rows=0),
    "m >= 2 (C_1 + C_2) ln 2np": attrs.evolve(SIMPLE, rows=75),
    "first_mass >= 0": truncated(UNIT, UNIT, 0, first_mass=Fraction(-1, 900), second_mass=Fraction(1, 10**6)),
    "second_mass >= 0": truncated(UNIT, UNIT, 0, first_mass=Fraction(1, 10**6), second_mass=Fraction(-1, 900)),
    "P_1(E) <= 1/n^2, as Lemma 4.4 has it": attrs.evolve(SIMPLE, first_mass=Fraction(11, 1000)),
    "P_i(E) <= 1/n^2, as Lemma 4.4 has it": attrs.evolve(SIMPLE, second_mass=Fraction(11, 1000)),
}


TELLING = {
    "the covariances are symmetric": attrs.evolve(
        SIMPLE, first=sheared(1000), second=sheared(1000, Fraction(-1, 4000))
    ),
    "Sigma_1 is positive definite": attrs.evolve(
        SIMPLE,
        first=uniform(30, -8, Fraction(38, 29)),
        second=uniform(30, 4, Fraction(26, 29)),
        delta_max=1,
        rows=150,
    ),
    "Sigma_j is positive definite": attrs.evolve(SIMPLE, second=INDEFINITE, delta_max=2),
}
"""Points outside one hypothesis of Theorem 4.6 alone, where the bound is too small or the loss has no value."""


DEFINITENESS = ("the covariances are symmetric", "Sigma_1 is positive definite", "Sigma_j is positive definite")
ALMOST_SINGULAR = correlated(Fraction(999, 1000))


def assert_definite(statement) -> None:
    """Check the hypotheses of definiteness with two more points on either side."""
    bind_hypotheses(statement, NEAR, outside(*DEFINITENESS))
    bind_hypotheses(statement, CovariancePair(ALMOST_SINGULAR, ALMOST_SINGULAR), outside(*DEFINITENESS))
    negative = fmpq_mat([[-1, 0], [0, -1]])
    assert statement.applies(attrs.evolve(NEAR, first=negative)) is Truth.FALSE
    assert statement.applies(attrs.evolve(NEAR, second=SKEW)) is Truth.FALSE
    assert statement.applies(attrs.evolve(NEAR, first=correlated(1))) is Truth.FALSE, "singular"
