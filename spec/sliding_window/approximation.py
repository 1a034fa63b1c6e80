"""What it means to approximate: spectra (section 1.2), subspaces (Definition 5) and Proposition 10."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Claim, Condition, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, Real, ball, rational
from dpmatrix.spec.common.conditions import at_least, below, equality, positive
from dpmatrix.spec.common.spectra import identity
from dpmatrix.spec.sliding_window.loewner import are_symmetric, flag, gram, precedes_margin, scaled, squared_norm


@attrs.frozen
class ApproximationPoint:
    """Symmetric matrices C (the original) and S (the approximant), and the parameters eta and zeta."""

    original: fmpq_mat
    approximant: fmpq_mat
    eta: Exact
    zeta: Exact = 0


def _both(original: fmpq_mat, approximant: fmpq_mat, eta: Exact, zeta: Exact) -> arb:
    """Least of the margins of (1 - eta) C - zeta I <= S <= (1 + eta) C + zeta I."""
    slack = scaled(zeta, identity(original.nrows()))
    lower = precedes_margin(scaled(1 - rational(eta), original) - slack, approximant)
    return lower.min(precedes_margin(approximant, scaled(1 + rational(eta), original) + slack))


def approximation_margin(p: ApproximationPoint) -> arb:
    """S is between (1 - eta) C - zeta I and (1 + eta) C + zeta I, as the problem is stated."""
    return _both(p.original, p.approximant, p.eta, p.zeta)


def reversed_approximation_margin(p: ApproximationPoint) -> arb:
    """C is between (1 - eta) S and (1 + eta) S: the '(eta, 0)-spectral approximation' two paragraphs later."""
    return _both(p.approximant, p.original, p.eta, 0)


def widened_margin(p: ApproximationPoint) -> arb:
    """C is between (1 - e) S and (1 + e) S for e = eta / (1 - eta)."""
    eta = rational(p.eta)
    return _both(p.approximant, p.original, eta / (1 - eta), 0)


def symmetric_pair_margin(p: ApproximationPoint) -> arb:
    """0 when C and S are symmetric, of one order."""
    return flag(are_symmetric((p.original, p.approximant), p.original.nrows()))


def no_slack_margin(p: ApproximationPoint) -> arb:
    """Zero exactly when zeta is."""
    return -abs(ball(p.zeta))


APPROXIMATES = Condition("(1 - eta) C - zeta I <= S <= (1 + eta) C + zeta I", approximation_margin)
APPROXIMATION = (
    Condition("C and S are symmetric, of one order", symmetric_pair_margin),
    at_least("eta", 0),
    below("eta", 1),
    Condition("zeta = 0", no_slack_margin),
    APPROXIMATES,
)

SPECTRAL_APPROXIMATION = Claim(
    id="sliding-window.spectral-approximation",
    kind=Kind.DEFINITION,
    source=Locator(
        "sliding-window",
        "section 1.2",
        "(1-eta) A_W'A_W - zeta I <= S <= (1+eta) A_W'A_W + zeta I; then (1-eta/4) S~ <= S <= (1+eta/4) S~",
    ),
    statement=Statement(
        "with zeta = 0, S in the middle and C in the middle describe one relation: the first implies the second",
        reversed_approximation_margin,
        given=APPROXIMATION,
    ),
    verdict=Verdict.ILL_POSED,
    reading=(
        "The original is at the ends and the approximant in the middle, as in (4) and in Theorem 3; 0 <= eta < 1. The "
        "second display speaks of zeta = 0, and so do both statements; both matrices are symmetric, and positive "
        "semidefinite then unless eta = 0, as 2 eta C >= 0."
    ),
    because=(
        "The two displays put different matrices in the middle, and 1/(1 - eta) is not 1 + eta: S = 1 - eta "
        "approximates C = 1 in the first sense and not in the second, since (1 + eta)(1 - eta) < 1. The price of "
        "turning one into the other is eta / (1 - eta), which S = 1 - eta attains; on the other side eta / (1 + eta) "
        "would do, and for eta >= 1/2 the stated form of that side says nothing. Each display by itself is a "
        "definition; it is their use as one that fails."
    ),
    repair=Repair(
        "eta / (1 - eta) in the second display",
        Statement(
            "with zeta = 0, C is between (1 - e) S and (1 + e) S for e = eta / (1 - eta)",
            widened_margin,
            given=APPROXIMATION,
        ),
    ),
)


@attrs.frozen
class EmbeddingPoint:
    """An embedding E (r x n), a basis B (n x k) of a subspace, coefficients c (k x 1), and the two parameters.

    Parameters
    ----------
    embedding, basis, coefficients
        Rational matrices; the vector is x = B c.
    alpha
        The distortion that Definition 5 announces.
    eta
        The number in its display.
    """

    embedding: fmpq_mat
    basis: fmpq_mat
    coefficients: fmpq_mat
    alpha: Exact
    eta: Exact


def _distorts(p: EmbeddingPoint, amount: Exact) -> arb:
    """Least of |Ex|^2 - (1 - a)|x|^2 and (1 + a)|x|^2 - |Ex|^2."""
    vector = p.basis * p.coefficients
    before, after = squared_norm(vector), squared_norm(p.embedding * vector)
    factor = rational(amount)
    return arb(min(after - (1 - factor) * before, (1 + factor) * before - after))


def announced_margin(p: EmbeddingPoint) -> arb:
    """The squared norm of x changes by a factor between 1 - alpha and 1 + alpha."""
    return _distorts(p, p.alpha)


def displayed_margin(p: EmbeddingPoint) -> arb:
    """The squared norm of x changes by a factor between 1 - eta and 1 + eta."""
    return _distorts(p, p.eta)


def subspace_margin(p: EmbeddingPoint) -> arb:
    """(1 - alpha) B'B <= B'E'E B <= (1 + alpha) B'B."""
    return _both(gram(p.basis), gram(p.embedding * p.basis), p.alpha, 0)


DEFINITION_5 = Claim(
    id="sliding-window.definition-5",
    kind=Kind.DEFINITION,
    source=Locator(
        "sliding-window",
        "Definition 5",
        "an embedding with distortion alpha is E with (1-eta)|x|^2 <= |Ex|^2 <= (1+eta)|x|^2 for all x in P; a "
        "subspace embedding is one for a k-dimensional subspace",
    ),
    statement=Statement(
        "an embedding with distortion alpha changes no squared norm in P by more than the factor 1 +- alpha",
        announced_margin,
        given=(Condition("(1 - eta)|x|^2 <= |Ex|^2 <= (1 + eta)|x|^2", displayed_margin),),
    ),
    verdict=Verdict.ILL_POSED,
    reading="eta is alpha; a subspace embedding is a statement about the Gram matrix of a basis.",
    because=(
        "The definition announces alpha and displays eta, which nothing binds: E = 6/5 on the line meets the display "
        "with eta = 1/2 and is no embedding with distortion 1/10."
    ),
    repair=Repair(
        "alpha in place of eta; over a subspace, the Loewner form",
        Statement(
            "if (1 - alpha) B'B <= B'E'EB <= (1 + alpha) B'B, every x = Bc has |Ex|^2 within 1 +- alpha of |x|^2",
            announced_margin,
            given=(Condition("(1 - alpha) B'B <= B'E'EB <= (1 + alpha) B'B", subspace_margin),),
        ),
    ),
)


@attrs.frozen
class ScalarPoint:
    """The parameter eta."""

    eta: Real


def proposition_margin(p: ScalarPoint) -> arb:
    """``(1 - eta/2)(1 - eta/4)/(1 + eta/4) - (1 - eta)``."""
    eta = ball(p.eta)
    return (1 - eta / 2) * (1 - eta / 4) / (1 + eta / 4) - (1 - eta)


def left_expansion(p: ScalarPoint) -> arb:
    """``1 - 3 eta/4 - eta^2/4``."""
    eta = ball(p.eta)
    return 1 - 3 * eta / 4 - eta * eta / 4


def right_expansion(p: ScalarPoint) -> arb:
    """``1 - 3 eta/4 + eta^2/8``."""
    eta = ball(p.eta)
    return 1 - 3 * eta / 4 + eta * eta / 8


def left_expansion_margin(p: ScalarPoint) -> arb:
    """(1 - eta)(1 + eta/4) against `left_expansion`."""
    eta = ball(p.eta)
    return equality((1 - eta) * (1 + eta / 4), left_expansion(p))


def middle_margin(p: ScalarPoint) -> arb:
    """`right_expansion` minus `left_expansion`."""
    return right_expansion(p) - left_expansion(p)


def right_expansion_margin(p: ScalarPoint) -> arb:
    """`right_expansion` against (1 - eta/2)(1 - eta/4)."""
    eta = ball(p.eta)
    return equality(right_expansion(p), (1 - eta / 2) * (1 - eta / 4))


PROPOSITION_10 = Claim(
    id="sliding-window.proposition-10",
    kind=Kind.LEMMA,
    source=Locator(
        "sliding-window", "Proposition 10", "(1 - eta) < (1 - eta/2)(1 - eta/4)/(1 + eta/4) for eta in (0, 1)"
    ),
    statement=Statement(
        "1 - eta < (1 - eta/2)(1 - eta/4)/(1 + eta/4) for eta > 0",
        proposition_margin,
        given=(positive("eta"),),
        strict=True,
    ),
    verdict=Verdict.HOLDS,
    reading="For every eta > 0, not only below 1; the equations of the proof hold for every eta.",
    because=(
        "The difference is (3 eta^2/8)/(1 + eta/4), positive for every eta != 0 above -4; so the interval may be "
        "larger, and the stated factor wastes: thresholds up to (1 - eta)(1 + eta/4)/(1 - eta/4) would do."
    ),
    steps=(
        Step(
            "left-expansion",
            Statement("(1 - eta)(1 + eta/4) = 1 - 3 eta/4 - eta^2/4", left_expansion_margin),
            defect=None,
        ),
        Step(
            "expansions-in-order",
            Statement("1 - 3 eta/4 - eta^2/4 <= 1 - 3 eta/4 + eta^2/8", middle_margin),
            defect=None,
        ),
        Step(
            "right-expansion",
            Statement("1 - 3 eta/4 + eta^2/8 = (1 - eta/2)(1 - eta/4)", right_expansion_margin),
            defect=None,
        ),
    ),
)
