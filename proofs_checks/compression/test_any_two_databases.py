"""`compression`: Remark 4.7, any two databases through the reference."""

from __future__ import annotations

import attrs
import mpmath
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind_hypotheses, redefined
from dpmatrix.claims.formulas import bind_formula, real_matrix
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression import distributional_loss
from dpmatrix.spec.compression.distributional_loss import ThreeCovariances, log_ratio
from proofs_checks.compression.covariance_pairs import INDEFINITE, SKEW, UNIT, trace
from proofs_checks.compression.drawn_outputs import OUTPUTS
from proofs_checks.exact_matrices import correlated

remark_4_7 = cite("compression.remark-4-7@3d630758")


def triples() -> list[ThreeCovariances]:
    return [
        ThreeCovariances(p.first, p.second, correlated(*[0] * (1 if p.first.nrows() == 2 else 3)), p.output)
        for p in OUTPUTS
    ]


@remark_4_7.supports(grade="derived", region="every three covariances and output: triangle inequality")
def test_remark_4_7(statement) -> None:
    """Write ln f_k/f_j = (ln f_k - ln f_1) + (ln f_1 - ln f_j); the left side is (15), by the density-ratio step."""

    def density(covariance, p: ThreeCovariances) -> mpmath.mpf:
        inverse, matrix = real_matrix(covariance) ** -1, real_matrix(p.output)
        quadratic = trace(matrix * inverse * matrix.T)
        return -(quadratic + p.output.nrows() * mpmath.log(mpmath.det(real_matrix(covariance)))) / 2

    def formula(p: ThreeCovariances) -> mpmath.mpf:
        k, j, one = (density(m, p) for m in (p.first, p.second, p.reference))
        return abs(one - k) + abs(one - j) - abs(k - j)

    bind_formula(statement, triples(), formula)
    for p in triples():
        assert statement.at(p) is not Truth.FALSE
    p = triples()[1]
    says, symmetric = "the three covariances are positive definite", "the three covariances are symmetric"
    for field in ("first", "second", "reference"):
        skew = attrs.evolve(p, **{field: SKEW})
        bind_hypotheses(statement, p, {says: attrs.evolve(p, **{field: INDEFINITE}), symmetric: skew})
        assert statement.applies(attrs.evolve(p, **{field: correlated(1)})) is Truth.FALSE
    assert not statement.strict


@remark_4_7.controls(grade="interval", region="Sigma_k and Sigma_j on either side")
def test_remark_4_7_is_sharp(statement) -> None:
    """With the reference between the two, the sum is attained, so nine tenths of it fails."""
    p = ThreeCovariances(UNIT * fmpq(1, 2), UNIT * fmpq(2), UNIT, fmpq_mat([[0, 0]]))
    assert statement.at(p) is not Truth.FALSE
    more = redefined(statement, distributional_loss, "log_ratio", lambda *pair: log_ratio(*pair) * fmpq(10, 9))
    assert more.at(p) is Truth.FALSE
