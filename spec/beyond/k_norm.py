"""K-norm noise of second moments: its privacy, how pairs of semidefinite matrices give it, and its size for d = 2."""

from __future__ import annotations

from math import factorial

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, Real, ball
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.spec.beyond.pairs import larger_trace, outer, signed_traces, squared_norm
from dpmatrix.spec.common.conditions import equality, exceeds, positive, whole
from dpmatrix.spec.common.spectra import disagreement, trace


@attrs.frozen
class KNormPoint:
    """A symmetric matrix, two records that stand for each other, and the relation, on which the norm depends.

    Parameters
    ----------
    noise
        N, rational, shape (d, d).
    v, w
        Records of length d; one is zero where a record is added or removed.
    records
        The public divisor n.
    epsilon
        The stated epsilon.
    adjacency
        The neighbouring relation.
    """

    noise: fmpq_mat
    v: tuple[Exact, ...]
    w: tuple[Exact, ...]
    records: int
    epsilon: Real
    adjacency: Adjacency


def k_norm(matrix: fmpq_mat, adjacency: Adjacency) -> arb:
    """``max(tr N_+, tr N_-)`` for a replaced record, the nuclear norm ``tr N_+ + tr N_-`` for one added or removed."""
    above, below = signed_traces(matrix)
    return above.max(below) if adjacency is Adjacency.REPLACE_ONE else above + below


def k_norm_margin(p: KNormPoint) -> arb:
    """``eps - n eps (|N| - |N - (vv' - ww')/n|)``: epsilon minus the log of the quotient of densities."""
    moved = p.noise - outer(p.v, p.records) + outer(p.w, p.records)
    change = k_norm(p.noise, p.adjacency) - k_norm(moved, p.adjacency)
    return ball(p.epsilon) * (1 - p.records * change)


def symmetric_margin(p: KNormPoint) -> arb:
    """Zero exactly when N is symmetric."""
    return disagreement(p.noise, p.noise.transpose())


def unit_v_margin(p: KNormPoint) -> arb:
    """``1 - |v|^2``."""
    return 1 - squared_norm(p.v)


def unit_w_margin(p: KNormPoint) -> arb:
    """``1 - |w|^2``."""
    return 1 - squared_norm(p.w)


def one_record_margin(p: KNormPoint) -> arb:
    """Under add/remove-one v or w is zero."""
    if p.adjacency is Adjacency.REPLACE_ONE:
        return arb(0)
    return -squared_norm(p.v).min(squared_norm(p.w))


K_NORM_PRIVACY = Claim(
    id="beyond.k-norm-privacy",
    kind=Kind.PRIVACY,
    source=Locator(
        "beyond",
        "K-norm, privacy",
        "X'X/n + N, N of density prop. to exp(-n eps |N|), is (eps, 0)-private; |N| = max(tr N_+, tr N_-) or |N|_*",
    ),
    statement=Statement(
        "the density of N + (vv' - ww')/n is nowhere more than e^epsilon times that of N, for the density proportional "
        "to exp(-n epsilon |N|), |N| the larger of tr N_+ and tr N_- (replace-one) or their sum (add/remove-one)",
        k_norm_margin,
        given=(
            whole("records", 1),
            positive("epsilon"),
            exceeds("N is symmetric", symmetric_margin, strict=False),
            exceeds("|v| <= 1", unit_v_margin, strict=False),
            exceeds("|w| <= 1", unit_w_margin, strict=False),
            exceeds("under add/remove-one, v or w is zero", one_record_margin, strict=False),
        ),
    ),
    verdict=Verdict.HOLDS,
    because=(
        "tr N_+ is the largest tr SN over 0 <= S <= I, so the larger of tr N_+ and tr N_- and their sum are largest "
        "values of linear functions, which are subadditive: |N| - |N - M| <= |M|. For M = (vv' - ww')/n both parts "
        "have traces of at most 1/n, and with v = 0 or w = 0 the sum of both is at most 1/n. This is the mechanism of "
        "Hardt and Talwar (2010) with the convex hull of all changes as its unit ball, for second moments that of "
        "d'Orsi and Novikov (2025)."
    ),
    reading="Densities are on symmetric matrices, with respect to Lebesgue measure; n is public.",
)


@attrs.frozen
class AnyPair:
    """Two symmetric rational matrices of one order."""

    first: fmpq_mat
    second: fmpq_mat


def remainder_trace(p: AnyPair) -> arb:
    """``tr R``, R = (P + Q - |P - Q|)/2."""
    above, below = signed_traces(p.first - p.second)
    return (trace(p.first) + trace(p.second) - above - below) / 2


def exponent_margin(p: AnyPair) -> arb:
    """Minus the larger of ``|max(tr P, tr Q) - tr R - max(tr N_+, tr N_-)|`` and ``|tr P + tr Q - 2 tr R - |N|_*|``."""
    rest = remainder_trace(p)
    difference = p.first - p.second
    coupled = equality(larger_trace(p.first, p.second), rest + k_norm(difference, Adjacency.REPLACE_ONE))
    both = arb(trace(p.first) + trace(p.second))
    return coupled.min(equality(both, 2 * rest + k_norm(difference, Adjacency.ADD_REMOVE_ONE)))


@attrs.frozen
class Relation:
    """The neighbouring relation, on which the norm depends."""

    adjacency: Adjacency


def _simplex(i: int, j: int) -> fmpq:
    """Integral of a^i b^j over a, b >= 0 with a + b <= 1."""
    return fmpq(factorial(i) * factorial(j), factorial(i + j + 2))


def _square(i: int, j: int) -> fmpq:
    """Integral of a^i b^j over [0, 1]^2."""
    return fmpq(1, (i + 1) * (j + 1))


def one_sign() -> tuple[fmpq, fmpq]:
    """Integrals of x - y and of (x - y)(x^2 + y^2) over x > y >= 0 with x + y <= 1.

    With s = x + y and t = x - y, of Jacobian 1/2: t/2 and t (s^2 + t^2)/4 over 0 <= t <= s <= 1.
    """
    return fmpq(1, 4) / 3, (fmpq(1, 2) + fmpq(1, 4)) / 4 / 5


def unit_ball(adjacency: Adjacency) -> tuple[fmpq, fmpq]:
    """Volume of the unit ball of the norm for d = 2, and the integral of |N|_F^2 over it, up to one factor.

    Eigenvalues x > y have the density x - y, up to a factor. Both are of one sign twice; for opposite signs, x = a and
    y = -b, the ball is a, b <= 1 under replace-one and a + b <= 1 under add/remove-one.
    """
    moment = _square if adjacency is Adjacency.REPLACE_ONE else _simplex
    volume, square = one_sign()
    opposite = moment(1, 0) + moment(0, 1)
    spread = moment(3, 0) + moment(2, 1) + moment(1, 2) + moment(0, 3)
    return 2 * volume + opposite, 2 * square + spread


def mean_square(adjacency: Adjacency) -> fmpq:
    """``E |N|_F^2`` times (n eps)^2 for d = 2: (D + 1)(D + 2), D = 3, times the mean over the unit ball.

    |N| is gamma of shape D, and N/|N| is that of a uniform point of the ball.
    """
    volume, square = unit_ball(adjacency)
    return square / volume * 20


def mean_square_margin(p: Relation) -> arb:
    """Minus the distance of the mean square from 109/7 (replace-one) or 25/3 (add/remove-one)."""
    stated = fmpq(109, 7) if p.adjacency is Adjacency.REPLACE_ONE else fmpq(25, 3)
    return -abs(arb(mean_square(p.adjacency) - stated))


def accepted_share(adjacency: Adjacency) -> fmpq:
    """Share of accepted pairs for d = 2: volumes of the ball and of the matrices S >= 0 of trace at most 1, D = 3.

    Integrals of e^(-max(tr P, tr Q)) and of e^(-tr P - tr Q) over pairs are (2D)! vol(S)^2 and D!^2 vol(S)^2, of
    e^(-tr R) and of e^(-2 tr R) over R they are D! vol(S) and D! vol(S)/2^D, of e^(-|N|) it is D! vol(ball).
    """
    (volume, _), (cone, _), size = unit_ball(adjacency), one_sign(), 3
    coupled = fmpq(factorial(size) ** 2, factorial(2 * size))
    share: fmpq = volume / cone * (coupled if adjacency is Adjacency.REPLACE_ONE else fmpq(1, 2**size))
    return share


def accepted_share_margin(p: Relation) -> arb:
    """Minus the distance of the share from 7/10 (replace-one) or 3/4 (add/remove-one)."""
    stated = fmpq(7, 10) if p.adjacency is Adjacency.REPLACE_ONE else fmpq(3, 4)
    return -abs(arb(accepted_share(p.adjacency) - stated))


K_NORM_SAMPLER = Claim(
    id="beyond.k-norm-sampler",
    kind=Kind.LEMMA,
    source=Locator(
        "beyond",
        "K-norm, sampler",
        "P - Q given P + Q >= |P - Q| has the density exp(-n eps |P - Q|) up to a factor",
    ),
    statement=Statement(
        "with N = P - Q and R = (P + Q - |N|)/2: max(tr P, tr Q) = tr R + max(tr N_+, tr N_-) and tr P + tr Q = 2 tr R "
        "+ |N|_*",
        exponent_margin,
    ),
    verdict=Verdict.HOLDS,
    headline="A pair with P + Q >= |P - Q| is K-norm noise and a matrix apart: for d = 2, 7 of 10, or 3 of 4, are.",
    because=(
        "R = P - N_+ = Q - N_-, so tr P = tr R + tr N_+ and tr Q = tr R + tr N_-. The pairs with semidefinite R "
        "are the images of all (N, R) with R >= 0 under P = N_+ + R, Q = N_- + R, a map of Jacobian 1: (P, Q) -> "
        "(P - Q, Q) and Q = R + N_-, a translation for each N. On them the density of (P, Q) is the product of "
        "one of N and one of R.\n\n"
        "Under replace-one the share of such pairs is the quotient of both sides of the inequality of Rogers and "
        "Shephard (1957), vol(S - S) <= C(2D, D) vol(S), for the semidefinite matrices S of trace at most one."
    ),
    steps=(
        Step(
            "accepted-share",
            Statement(
                "for d = 2 the share of pairs with P + Q >= |P - Q| is 7/10 (replace-one) or 3/4 (add/remove-one)",
                accepted_share_margin,
            ),
            defect=None,
        ),
        Step(
            "mean-square",
            Statement(
                "for d = 2, E |N|_F^2 (n eps)^2 is 109/7 (replace-one) or 25/3 (add/remove-one)",
                mean_square_margin,
            ),
            defect=None,
        ),
    ),
    uses=("beyond.coupled-traces-sampler", "wishart.definition-2"),
)
