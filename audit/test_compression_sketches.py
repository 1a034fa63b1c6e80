"""Audits of Gaussian compression: plain on data of deficient rank, truncated against Theorem 4.6, a private reference.

The targets publish Y'Y, which is sufficient for the covariance: it tells as much as Y. Every audit is wrong with
probability at most 1e-9. The plain release is the control of the truncated one: the same search, on neighbours that
Theorem 4.6 does not speak of, finds what there is.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from flint import arb, fmpq, fmpq_mat

from dpmatrix.auditing import NeighbouringPair, seen_at_resolution
from dpmatrix.claims import Truth
from dpmatrix.exact import rational
from dpmatrix.mechanisms import GaussianCompression, TruncatedCompression
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.truncated_sketch import truncated_loss
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression.procedures import TwoCentres
from dpmatrix.spec.compression.transformation import RawPair
from dpmatrix.spec.compression.truncated_loss import TruncatedPair, exact_loss, printed_bound

corollary_3_7 = cite("compression.corollary-3-7@0947bc57")
theorem_4_6 = cite("compression.theorem-4-6@f52d592e")
procedure_4_1 = cite("compression.procedure-4-1@5f90c6a5")


KNOWN = "compression.corollary-3-7"
RESOLUTION = 2.0**-30
RECORDS, ROWS = 140, 130


def signs(differing: int, records: int = RECORDS) -> np.ndarray:
    """Two columns of signs that differ in some rows, scaled to records of norm one."""
    data = np.ones((records, 2))
    data[:differing, 1] = -1
    return data / math.sqrt(2)


def flipped(data: np.ndarray) -> NeighbouringPair:
    """Change one sign of the last record."""
    other = data.copy()
    other[-1, 1] *= -1
    return NeighbouringPair("one sign of one record", Adjacency.REPLACE_ONE, data, other)


def gram_of(mechanism: GaussianCompression):
    """Publish the second moments of the compressed columns, shape (size, p, p)."""

    def draw(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        outputs = mechanism.simulate(data, size, generator)
        return np.swapaxes(outputs, 1, 2) @ outputs / mechanism.rows

    return draw


def covariance(correlation: Fraction) -> fmpq_mat:
    return fmpq_mat([[1, rational(correlation)], [rational(correlation), 1]])


@corollary_3_7.supports(
    "privacy-needs-constraints",
    grade="statistical",
    region="n = 20, m = 3, p = 2: equal columns against one changed sign; confidence 1 - 1e-9",
)
def test_plain_compression_gives_equal_columns_away(statement, audited) -> None:
    """Equal columns stay equal, to the last bit; after one changed sign they differ, almost surely: infinite loss."""
    mechanism = GaussianCompression(3, acknowledge=KNOWN)
    result = audited(
        seen_at_resolution(gram_of(mechanism), RESOLUTION),
        [flipped(signs(0, 20))],
        epsilon=3,
        training=400,
        confirmation=4000,
        seed=12,
        subject=(mechanism, "Gram matrix of the simulated columns, seen at 2^-30: equal columns"),
    )
    assert result.violated
    assert result.delta_lower_bound_at_epsilon > 0.8
    ones = fmpq_mat([[1, 1]] * 20)
    changed = fmpq_mat(ones)
    changed[19, 1] = fmpq(-1)
    assert statement.at(RawPair(ones, changed)) is Truth.TRUE


def test_the_release_itself_gives_equal_columns_away() -> None:
    """Correct rounding changes nothing: with secret bits, 50 releases of each."""
    mechanism = GaussianCompression(3, acknowledge=KNOWN)
    pair = flipped(signs(0, 20))
    for data, equal in ((pair.data, True), (pair.neighbour, False)):
        for _ in range(50):
            columns = mechanism.release(data).integers.T.tolist()
            assert (columns[0] == columns[1]) is equal


@theorem_4_6.supports(
    grade="statistical", region="n = 140, m = 130, p = 2, reference = Sigma_1 = I, one changed sign; no alarm at 1e-9"
)
def test_truncated_compression_keeps_the_bound(statement, audited, record_property) -> None:
    mechanism = TruncatedCompression(
        ROWS, reference=[[1, 0], [0, 1]], delta_max=Fraction(2, RECORDS), acknowledge=KNOWN
    )
    point = TruncatedPair(
        covariance(Fraction(0)), covariance(Fraction(-2, RECORDS)), Fraction(2, RECORDS), records=RECORDS, rows=ROWS
    )
    assert statement.at(point) is Truth.TRUE
    bound = float(printed_bound(point))
    result = audited(
        seen_at_resolution(gram_of(mechanism), RESOLUTION),
        [flipped(signs(RECORDS // 2))],
        epsilon=bound,
        training=150,
        confirmation=1500,
        seed=46,
        subject=(mechanism, "Gram matrix of the simulated columns, seen at 2^-30: the bound of theorem-4-6"),
    )
    assert not result.violated
    loss = truncated_loss(
        point.first, point.second, point.first, ROWS, Fraction(float(mechanism.radius(RECORDS).upper()))
    )
    assert loss.supremum <= bound
    assert abs(loss.supremum - exact_loss(point).upper()) < arb(2) ** -10, "two computations of the supremum agree"
    record_property("detail", f"bound {bound:.3f}, supremum over the box at most {float(loss.supremum):.3f}")


@procedure_4_1.supports(
    "one-centre-for-all",
    grade="numeric",
    region="n = 140, m = 130, p = 2: an output that one neighbour's own box keeps and the other's throws away",
)
def test_a_reference_from_the_data_makes_an_output_impossible(statement) -> None:
    """Each run centred at its own covariance: the exact Gram matrix of one output lies in one box only."""
    own = [covariance(Fraction(0)), covariance(Fraction(2, RECORDS))]
    mechanisms = [
        TruncatedCompression(
            ROWS,
            reference=np.array([[1, c], [c, 1]], dtype=object),
            delta_max=Fraction(2, RECORDS),
            acknowledge=KNOWN,
        )
        for c in (Fraction(0), Fraction(2, RECORDS))
    ]
    radius = Fraction(float(mechanisms[0].radius(RECORDS)))
    entry, diagonal = radius + Fraction(1, RECORDS), Fraction(3, 2)
    output = np.linalg.cholesky(np.array([[diagonal, entry], [entry, diagonal]], dtype=float)).T * math.sqrt(ROWS)
    exact = fmpq_mat([[rational(x) for x in row] for row in output.tolist()])
    gram = exact.transpose() * exact / fmpq(ROWS)
    inside = [
        all(abs(arb(a - b)) < mechanism.radius(RECORDS) for a, b in zip(gram.entries(), centre.entries(), strict=True))
        for mechanism, centre in zip(mechanisms, own, strict=True)
    ]
    outside = abs(arb(gram[0, 1] - own[0][0, 1])) > mechanisms[0].radius(RECORDS)
    assert inside == [False, True]
    assert outside
    point = TwoCentres(RECORDS, 2, ROWS, Fraction(2, RECORDS), first=0, second=Fraction(2, RECORDS))
    assert statement.at(point) is Truth.TRUE
