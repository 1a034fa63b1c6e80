"""Theorem 6: how far noise turns the span of the top k eigenvectors, with each inequality of its printed proof."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Condition, Kind, Locator, Statement, Step, Verdict
from dpmatrix.spec.common.conditions import equality, exceeds
from dpmatrix.spec.common.spectra import (
    DECREASING,
    EIGENVECTORS,
    PROPER_RANK,
    PSD_MATRIX,
    PSD_NOISE,
    SpectralPair,
    disagreement,
    frobenius_norm,
    gap,
    noise_norm,
    original,
    perturbed,
    projector_difference,
    ranked,
    singular_values,
    spectral_norm,
    squared_frobenius_norm,
)
from dpmatrix.spec.wishart.projectors import davis_kahan_bound, davis_kahan_margin


def theorem_6_margin(p: SpectralPair) -> arb:
    """``2 sqrt(k) ||W||_2 / (sigma_k - sigma_{k+1}) - ||P_k - Phat_k||_F``."""
    return 2 * arb(p.k).sqrt() * noise_norm(p) / gap(p) - frobenius_norm(projector_difference(p))


def twice_the_noise_margin(p: SpectralPair) -> arb:
    """``sigma_k - sigma_{k+1} - 2 ||W||_2``."""
    return gap(p) - 2 * noise_norm(p)


def raised_singular_values_margin(p: SpectralPair) -> arb:
    """Least over i of ``sigma_i(A) + ||W||_2 - sigma_i(A + W)``."""
    noise = noise_norm(p)
    least = arb("inf")
    for plain, noisy in zip(singular_values(original(p)), singular_values(perturbed(p)), strict=True):
        least = least.min(plain + noise - noisy)
    return least


def remaining_gap_bound(p: SpectralPair) -> arb:
    """``||W||_2 / (lambda_k(A) - lambda_{k+1}(A) - ||W||_2)``."""
    return noise_norm(p) / (gap(p) - noise_norm(p))


def remaining_gap_margin(p: SpectralPair) -> arb:
    """The bound with lambda_{k+1}(A) + ||W||_2 in the denominator minus that with lambda_{k+1}(A + W)."""
    return remaining_gap_bound(p) - davis_kahan_bound(p)


def singular_gap_margin(p: SpectralPair) -> arb:
    """The bound with singular values of A equals the bound with its eigenvalues."""
    values = singular_values(original(p))
    remaining = ranked(values, p.k) - ranked(values, p.k + 1) - noise_norm(p)
    return equality(remaining_gap_bound(p), noise_norm(p) / remaining)


def spectral_distance_margin(p: SpectralPair) -> arb:
    """``2 ||W||_2 / (sigma_k - sigma_{k+1}) - ||P_k - Phat_k||_2``."""
    return 2 * noise_norm(p) / gap(p) - spectral_norm(projector_difference(p))


def frobenius_by_rank_margin(p: SpectralPair) -> arb:
    """``sqrt(k) ||P_k - Phat_k||_2 - ||P_k - Phat_k||_F``."""
    difference = projector_difference(p)
    return arb(p.k).sqrt() * spectral_norm(difference) - frobenius_norm(difference)


def moved(p: SpectralPair) -> arb:
    """``||V_k V_k' - Vhat_k Vhat_k'||_F^2``, exactly."""
    return squared_frobenius_norm(projector_difference(p))


@attrs.frozen
class TwoNoises:
    """Two outputs of one matrix A, for one rank: the noise of the second one is the larger."""

    smaller: SpectralPair
    larger: SpectralPair


def moves_more_margin(p: TwoNoises) -> arb:
    """By how much farther, in the squared Frobenius norm, the larger noise moves the projector."""
    return moved(p.larger) - moved(p.smaller)


def one_problem_margin(p: TwoNoises) -> arb:
    """Zero exactly when both outputs have one A and one k."""
    if len(p.smaller.values) != len(p.larger.values):
        return arb(-1)
    return disagreement(original(p.smaller), original(p.larger)) - abs(p.smaller.k - p.larger.k)


def larger_norm_margin(p: TwoNoises) -> arb:
    """The norm of the larger noise minus that of the smaller one."""
    return noise_norm(p.larger) - noise_norm(p.smaller)


def _least_of_both(p: TwoNoises, conditions: tuple[Condition, ...]) -> arb:
    least = arb("inf")
    for run in (p.smaller, p.larger):
        for condition in conditions:
            least = least.min(condition.margin(run))
    return least


def both_spectra_margin(p: TwoNoises) -> arb:
    """Least of the margins of k >= 1, the eigenvectors, their order, A >= 0 and W >= 0, for both outputs."""
    return _least_of_both(p, (PROPER_RANK[0], EIGENVECTORS, DECREASING, PSD_MATRIX, PSD_NOISE))


def both_gaps_margin(p: TwoNoises) -> arb:
    """Least of d - k and the gap, for both outputs."""
    return _least_of_both(p, (PROPER_RANK[1], POSITIVE_GAP))


def lost_margin(p: SpectralPair) -> arb:
    """``||V_k V_k' - Vhat_k Vhat_k'||_2 - 1/2``."""
    return spectral_norm(projector_difference(p)) - arb(fmpq(1, 2))


def buried_margin(p: SpectralPair) -> arb:
    """``||W||_2 - ||A||_2``."""
    return noise_norm(p) - spectral_norm(original(p))


POSITIVE_GAP = exceeds("sigma_k > sigma_{k+1}", gap)
GAP = Condition("sigma_k - sigma_{k+1} >= 2 ||W||_2", twice_the_noise_margin)
SPECTRA = (*PROPER_RANK, EIGENVECTORS, DECREASING, PSD_MATRIX, PSD_NOISE)
HYPOTHESES = (*SPECTRA, POSITIVE_GAP, GAP)

THEOREM_6 = Claim(
    id="wishart.theorem-6",
    kind=Kind.UTILITY,
    source=Locator(
        "wishart",
        "Theorem 6",
        "sigma_k - sigma_{k+1} >= 2 ||W||_2 implies "
        "||V_k V_k' - Vhat_k Vhat_k'||_F <= 2 sqrt(k) ||W||_2 / (sigma_k - sigma_{k+1}), with high probability",
    ),
    statement=Statement(
        "||V_k V_k' - Vhat_k Vhat_k'||_F <= 2 sqrt(k) ||W||_2 / (sigma_k - sigma_{k+1})",
        theorem_6_margin,
        given=HYPOTHESES,
    ),
    verdict=Verdict.HOLDS_PROOF_REPAIRED,
    reading=(
        "Both sides are functions of one realisation of W, and so is the hypothesis, so 'with high probability' is "
        "void: the inequality is stated for every positive semidefinite W, and a Wishart matrix is one. 1 <= k < d, "
        "and the gap is positive, since the right side divides by it; every choice of eigenvectors is allowed. As A is "
        "semidefinite its singular values are its eigenvalues, by which it is given."
    ),
    because=(
        "The printed proof ends with ||.||_F <= sqrt(k) ||.||_2, which is false, and the proof with the true factor "
        "sqrt(2k) would give 2 sqrt(2k). The theorem is true all the same, with sqrt(2) in place of 2 and without its "
        "hypothesis on the gap: (gap/2) ||P - Phat||_F^2 <= tr(A(P - Phat)) <= tr(W(Phat - P)), because Phat maximises "
        "tr((A + W)P) over projectors; Phat - P has trace 0, so W may be replaced by W - (||W||_2/2) I, of norm "
        "||W||_2/2; and the nuclear norm of Phat - P is at most sqrt(2k) times its Frobenius norm."
    ),
    steps=(
        Step(
            "weyl",
            Statement(
                "sigma_i(A + W) <= sigma_i(A) + ||W||_2 for every i", raised_singular_values_margin, given=SPECTRA
            ),
            sound=True,
        ),
        Step(
            "davis-kahan",
            Statement(
                "||P_k - Phat_k||_2 <= ||W||_2 / (lambda_k(A) - lambda_{k+1}(A + W))",
                davis_kahan_margin,
                given=HYPOTHESES,
            ),
            sound=True,
            note="Lemma 3; its denominator is positive by the condition on the gap",
        ),
        Step(
            "weyl-in-denominator",
            Statement(
                "||W||_2 / (lambda_k(A) - lambda_{k+1}(A + W)) <= ||W||_2 / (lambda_k(A) - lambda_{k+1}(A) - ||W||_2)",
                remaining_gap_margin,
                given=HYPOTHESES,
            ),
            sound=True,
        ),
        Step(
            "singular-values",
            Statement(
                "||W||_2 / (lambda_k - lambda_{k+1} - ||W||_2) = ||W||_2 / (sigma_k - sigma_{k+1} - ||W||_2)",
                singular_gap_margin,
                given=HYPOTHESES,
            ),
            sound=True,
        ),
        Step(
            "gap-halves",
            Statement(
                "||V_k V_k' - Vhat_k Vhat_k'||_2 <= 2 ||W||_2 / (sigma_k - sigma_{k+1})",
                spectral_distance_margin,
                given=HYPOTHESES,
            ),
            sound=True,
        ),
        Step(
            "projector-property",
            Statement(
                "||V_k V_k' - Vhat_k Vhat_k'||_F <= sqrt(k) ||V_k V_k' - Vhat_k Vhat_k'||_2",
                frobenius_by_rank_margin,
                given=HYPOTHESES,
            ),
            sound=False,
            note="the difference has rank up to 2k; sqrt(2k) is the constant",
        ),
        Step(
            "larger-noise-moves-more",
            Statement(
                "section 4: the magnitude of the noise determines how large its effect is: noise of larger spectral "
                "norm moves the span of the top k eigenvectors farther",
                moves_more_margin,
                given=(
                    Condition("A and k are the same", one_problem_margin),
                    Condition("k >= 1, orthonormal eigenvectors in their order, A >= 0, W >= 0", both_spectra_margin),
                    exceeds("k < d and sigma_k > sigma_{k+1}", both_gaps_margin),
                    exceeds("||W_1||_2 < ||W_2||_2", larger_norm_margin),
                ),
            ),
            sound=False,
            note="The norm bounds the effect, as Theorem 6 says, and no more: W = cI has none, whatever c is.",
        ),
        Step(
            "covered-by-noise",
            Statement(
                "section 4: noise larger than the data surely covers them: for ||W||_2 > ||A||_2 the span of the top k "
                "eigenvectors is lost, ||V_k V_k' - Vhat_k Vhat_k'||_2 >= 1/2",
                lost_margin,
                given=(*SPECTRA, POSITIVE_GAP, exceeds("||W||_2 > ||A||_2", buried_margin)),
            ),
            sound=False,
            note=(
                "Lost is read as 1/2 at least, where 1 is the most. W within a quarter of the gap of cI, the direction "
                "of the mean of Wishart noise, moves the span by less than 1/3, however large c is. Such W are an open "
                "ball, which has positive probability under Wishart noise."
            ),
        ),
    ),
    uses=("wishart.trace-inequality", "wishart.lemma-3", "wishart.lemma-4+repair"),
)
