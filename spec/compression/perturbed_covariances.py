"""Delta_max, Proposition 3.1 and Lemma 3.3: how far the covariances of a set of databases lie apart (section 3)."""

from __future__ import annotations

from itertools import combinations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Defect, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import ball
from dpmatrix.spec.common.conditions import equality, exceeds
from dpmatrix.spec.common.spectra import disagreement, frobenius_norm
from dpmatrix.spec.compression.covariances import (
    DEFINITE,
    SYMMETRIC,
    WITHIN_DELTA_MAX,
    CovariancePair,
    NearbyPair,
    difference,
    inverse_difference,
    largest_eigenvalue,
    largest_entry,
    least_eigenvalue,
    operator_norm,
)


@attrs.frozen
class DatabaseFamily:
    """The covariances of the databases of S_n, and a candidate for the unknown Sigma*."""

    covariances: tuple[fmpq_mat, ...]
    centre: fmpq_mat


def delta_max(covariances: tuple[fmpq_mat, ...], centre: fmpq_mat) -> fmpq:
    """(5): twice the largest entry of any Sigma_j - Sigma*."""
    return 2 * max(largest_entry(covariance - centre) for covariance in covariances)


def pairwise_margin(p: DatabaseFamily) -> arb:
    """(6): Delta_max minus the largest entry of any Sigma_i - Sigma_j."""
    distances = [largest_entry(first - second) for first, second in combinations(p.covariances, 2)]
    return arb(delta_max(p.covariances, p.centre) - max(distances, default=fmpq(0)))


@attrs.frozen
class OneMatrix:
    """A rational matrix M."""

    matrix: fmpq_mat


def symmetry_margin(p: OneMatrix) -> arb:
    """Zero exactly when M is symmetric; -1 where it is not square."""
    if p.matrix.nrows() != p.matrix.ncols():
        return arb(-1)
    return disagreement(p.matrix, p.matrix.transpose())


def largest_eigenvalue_margin(p: OneMatrix) -> arb:
    """``lambda_max(M) = ||M||_2``."""
    return equality(largest_eigenvalue(p.matrix), operator_norm(p.matrix))


DELTA_MAX = Claim(
    id="compression.delta-max",
    kind=Kind.DEFINITION,
    source=Locator(
        "compression", "(5), (6)", "Delta_max = 2 sup_j max |Sigma_j - Sigma*|; max |Sigma_i - Sigma_j| <= Delta_max"
    ),
    statement=Statement("(6) follows from (5), whatever Sigma* is", pairwise_margin),
    verdict=Verdict.WELL_POSED,
    because=(
        "The triangle inequality through Sigma*; the factor 2 is attained when Sigma* lies half-way. As a number it is "
        "defined and may be infinite. It is no parameter that a mechanism could use: Sigma* is unknown, the supremum "
        "runs over databases that the curator does not hold, and section 4 puts it into the released set all the same."
    ),
    reading="Delta_max in (12) must be a public number that bounds (6); (5) is one way to find it.",
    steps=(
        Step(
            "largest-eigenvalue-is-the-norm",
            Statement(
                "for a symmetric matrix M, lambda_max(M) = ||M||_2",
                largest_eigenvalue_margin,
                given=(exceeds("M is symmetric", symmetry_margin, strict=False),),
            ),
            defect=Defect.SLIP,
            note=(
                "A missing word: it holds for semidefinite matrices, and is used for definite ones only. The norm of a "
                "difference Delta, of which the paper speaks as well, may be that of the least eigenvalue."
            ),
        ),
    ),
)


def frobenius_margin(p: NearbyPair) -> arb:
    """(7): ``p Delta_max - ||Delta||_F``."""
    return p.first.nrows() * ball(p.delta_max) - frobenius_norm(difference(p))


def inverse_frobenius_margin(p: CovariancePair) -> arb:
    """(8): ``||Delta||_F / (lambda_min(Sigma_1) lambda_min(Sigma_j)) - ||Gamma||_F``."""
    bound = frobenius_norm(difference(p)) / (least_eigenvalue(p.first) * least_eigenvalue(p.second))
    return bound - frobenius_norm(inverse_difference(p))


def both_margin(p: NearbyPair) -> arb:
    """The smaller margin of (7) and (8)."""
    return frobenius_margin(p).min(inverse_frobenius_margin(p))


def gamma_identity_margin(p: CovariancePair) -> arb:
    """Sigma_j^-1 - Sigma_1^-1 = Sigma_j^-1 (Sigma_1 - Sigma_j) Sigma_1^-1, exactly."""
    return disagreement(inverse_difference(p), p.second.inv() * difference(p) * p.first.inv())


PROPOSITION_3_1 = Claim(
    id="compression.proposition-3-1",
    kind=Kind.LEMMA,
    source=Locator(
        "compression",
        "Proposition 3.1",
        "||Delta||_F <= p Delta_max (7); ||Gamma||_F <= ||Delta||_F / (lambda_min(Sigma_1) lambda_min(Sigma_j)) (8)",
    ),
    statement=Statement("(7) and (8) hold", both_margin, given=(*DEFINITE, WITHIN_DELTA_MAX)),
    verdict=Verdict.HOLDS,
    because=(
        "p^2 entries of at most Delta_max each; under (4) the diagonal of Delta vanishes and sqrt(p (p - 1)) is the "
        "sharp constant. (8) is ||M N P||_F <= ||M||_2 ||N||_F ||P||_2; it needs both covariances invertible, which "
        "the proposition does not say."
    ),
    reading="Sigma_1 and Sigma_j are invertible where (8) speaks of their inverses; (4) is not used, and not asked.",
    steps=(
        Step(
            "gamma",
            Statement("Gamma = Sigma_j^-1 Delta Sigma_1^-1", gamma_identity_margin, given=DEFINITE),
            defect=None,
        ),
        Step(
            "frobenius-norm",
            Statement("(7): ||Delta||_F <= p Delta_max", frobenius_margin, given=(WITHIN_DELTA_MAX,)),
            defect=None,
        ),
        Step(
            "inverse",
            Statement(
                "(8): ||Gamma||_F <= ||Delta||_F / (lambda_min(Sigma_1) lambda_min(Sigma_j))",
                inverse_frobenius_margin,
                given=DEFINITE,
            ),
            defect=None,
        ),
    ),
)


def weyl_margin(p: CovariancePair) -> arb:
    """``lambda_min(Sigma_j) - (lambda_min(Sigma_1) - ||Delta||_2)``."""
    return least_eigenvalue(p.second) - (least_eigenvalue(p.first) - operator_norm(difference(p)))


LEMMA_3_3 = Claim(
    id="compression.lemma-3-3",
    kind=Kind.LEMMA,
    source=Locator(
        "compression",
        "Lemma 3.3",
        "lambda_min(Sigma_1) > 0, ||Delta||_2 < lambda_min(Sigma_1): lambda_min(Sigma_j) >= lambda_min(Sigma_1) - "
        "||Delta||_2",
    ),
    statement=Statement(
        "lambda_min(Sigma_j) >= lambda_min(Sigma_1) - ||Delta||_2",
        weyl_margin,
        given=(SYMMETRIC,),
    ),
    verdict=Verdict.HOLDS,
    reading=(
        "Judged for any two symmetric matrices: lambda_min(Sigma_1) > 0 and ||Delta||_2 < lambda_min(Sigma_1), which "
        "the document asks, only make the bound positive."
    ),
    because=("u'Sigma_j u = u'Sigma_1 u - u'Delta u >= lambda_min(Sigma_1) - ||Delta||_2 for every unit u."),
)
