"""Theorem 4: the variance that the noisy principal subspace captures, with every step of its printed proof."""

from __future__ import annotations

from itertools import pairwise

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Chosen, Claim, Condition, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Real, ball, rational
from dpmatrix.spec.analyze_gauss.noise import NORM_CONSTANT
from dpmatrix.spec.analyze_gauss.points import decreasing_to_zero, same
from dpmatrix.spec.common.conditions import exceeds, whole
from dpmatrix.spec.common.spectra import (
    EIGENVECTORS,
    SpectralPair,
    noise,
    noise_norm,
    original,
    perturbed,
    projector,
    trace,
)


@attrs.frozen
class NoisyMoment(SpectralPair):
    """A'A and its noisy version A'A + E by their eigenvalues and eigenvectors, a rank k, and a deviation Delta.

    The first k columns of ``perturbed_frame`` span the subspace that is returned; ``perturbed_values`` are in
    decreasing order of their absolute values, as singular subspaces have it.
    """

    deviation: Real


@attrs.frozen
class CapturedLoss(NoisyMoment):
    """The same, and the constant C that O stands for."""

    constant: Real


def true_projector(p: SpectralPair) -> fmpq_mat:
    """``V_k V_k'``."""
    return projector(p.frame, p.k)


def noisy_projector(p: SpectralPair) -> fmpq_mat:
    """``Vhat_k Vhat_k'``."""
    return projector(p.perturbed_frame, p.k)


def captured(p: SpectralPair) -> fmpq:
    """``||A Vhat_k||_F^2 = tr(Vhat_k' A'A Vhat_k)``."""
    return trace(noisy_projector(p) * original(p))


def best(p: SpectralPair) -> fmpq:
    """``||A V_k||_F^2``, the sum of the k largest sigma_i^2."""
    return trace(true_projector(p) * original(p))


def theorem_4_margin(p: CapturedLoss) -> arb:
    """``C k sqrt(n) Delta - (||A V_k||_F^2 - ||A Vhat_k||_F^2)``."""
    allowed = ball(p.constant) * p.k * arb(len(p.values)).sqrt() * ball(p.deviation)
    return allowed - arb(best(p) - captured(p))


def norm_event_margin(p: NoisyMoment) -> arb:
    """``7 sqrt(n) Delta - ||E||_2``."""
    return NORM_CONSTANT * arb(len(p.values)).sqrt() * ball(p.deviation) - noise_norm(p)


def eigenvalues_margin(p: SpectralPair) -> arb:
    """Least of lambda_n and the drops from one eigenvalue of A'A to the next."""
    return decreasing_to_zero(p.values)


def principal_margin(p: SpectralPair) -> arb:
    """Least of |mu_n|, which is not negative, and the drops from one absolute eigenvalue of A'A + E to the next."""
    return decreasing_to_zero([abs(rational(value)) for value in p.perturbed_values])


def top_margin(p: SpectralPair) -> arb:
    """Least of the drops from one eigenvalue of A'A + E to the next; 0 for n = 1."""
    values = [rational(value) for value in p.perturbed_values]
    return arb(min((large - small for large, small in pairwise(values)), default=fmpq(0)))


def rank_margin(p: SpectralPair) -> arb:
    """``n - k``."""
    return arb(len(p.values) - p.k)


def split_margin(p: SpectralPair) -> arb:
    """``tr(V_k V_k' (A'A + E)) = tr(V_k V_k' A'A) + sum v_i E v_i'``, the v_i written as rows."""
    vectors = [fmpq_mat([[p.frame[row, i] for row in range(len(p.values))]]) for i in range(p.k)]
    noisy = sum((fmpq((vector * noise(p) * vector.transpose())[0, 0]) for vector in vectors), fmpq(0))
    return same(trace(true_projector(p) * perturbed(p)), best(p) + noisy)


def least_kept(p: SpectralPair) -> arb:
    """``sum_{i<=k} sigma_i^2 - k ||E||_2``."""
    return arb(sum((rational(value) for value in p.values[: p.k]), fmpq(0))) - p.k * noise_norm(p)


def first_margin(p: SpectralPair) -> arb:
    """``tr(V_k V_k' (A'A + E)) - (sum sigma_i^2 - k ||E||_2)``."""
    return arb(trace(true_projector(p) * perturbed(p))) - least_kept(p)


def second_margin(p: SpectralPair) -> arb:
    """``tr(Vhat_k' (A'A + E) Vhat_k) - tr(V_k' (A'A + E) V_k)``."""
    return arb(trace(noisy_projector(p) * perturbed(p)) - trace(true_projector(p) * perturbed(p)))


def combined_margin(p: SpectralPair) -> arb:
    """``tr(Vhat_k' (A'A + E) Vhat_k) - (sum sigma_i^2 - k ||E||_2)``."""
    return arb(trace(noisy_projector(p) * perturbed(p))) - least_kept(p)


def equivalence_margin(p: SpectralPair) -> arb:
    """Both sides of the equivalence have one slack: tr(Vhat_k' E Vhat_k) is moved to the right."""
    moved = trace(noisy_projector(p) * noise(p))
    return same(trace(noisy_projector(p) * perturbed(p)), captured(p) + moved)


def noise_share_margin(p: SpectralPair) -> arb:
    """``k ||E||_2 - tr(Vhat_k' E Vhat_k)``."""
    return p.k * noise_norm(p) - arb(trace(noisy_projector(p) * noise(p)))


def third_margin(p: SpectralPair) -> arb:
    """``tr(Vhat_k' A'A Vhat_k) - (sum sigma_i^2 - 2 k ||E||_2)``."""
    return arb(captured(p)) - (least_kept(p) - p.k * noise_norm(p))


MOMENT = Condition("lambda_1 >= ... >= lambda_n >= 0", eigenvalues_margin)
PRINCIPAL = Condition("|mu_1| >= ... >= |mu_n|", principal_margin)
TOP = Condition("mu_1 >= ... >= mu_n", top_margin)
FRAMES = (whole("k", 0), exceeds("k <= n", rank_margin, strict=False), EIGENVECTORS)
SPECTRA = (*FRAMES, MOMENT, PRINCIPAL)
NORM_EVENT = Condition("||E||_2 <= 7 sqrt(n) Delta", norm_event_margin)

THEOREM_4 = Claim(
    id="analyze-gauss.theorem-4",
    kind=Kind.UTILITY,
    source=Locator(
        "analyze-gauss",
        "Theorem 4",
        "||A Vhat_k||_F^2 >= ||A V_k||_F^2 - O(k sqrt(n) Delta), Vhat_k the principal rank-k subspace of A^T A + E",
    ),
    statement=Statement(
        "there is a C such that ||A Vhat_k||_F^2 >= ||A V_k||_F^2 - C k sqrt(n) Delta for every A, k and E with "
        "||E||_2 <= 7 sqrt(n) Delta",
        theorem_4_margin,
        given=(*SPECTRA, NORM_EVENT),
        exists=(Chosen("constant", exhibited=2 * NORM_CONSTANT),),
    ),
    verdict=Verdict.HOLDS,
    reading=(
        "O means a constant C, and 14 is exhibited; 'with high probability' is the event ||E||_2 <= 7 sqrt(n) Delta, "
        "of probability at least 1 - exp(-4n/5) by `analyze-gauss.noise-norm`. The first printing has Ahat, which is "
        "not defined, for A; the second has A. The proof is read of the subspace that captures the maximum variance of "
        "A'A + E, as it says: the eigenvectors of largest eigenvalue. It calls it the highest singular subspace, so "
        "that the theorem is judged for the eigenvectors of largest |eigenvalue|, ties in any order, which lose no "
        "less."
    ),
    because=(
        "(2) is the Ky Fan principle for the eigenvectors of largest eigenvalue, and with them the printed proof is "
        "right. A'A + E may be indefinite, and then its top singular subspace is another, which does not maximise "
        "tr(V'(A'A + E)V): diag(1, 0) with E = -I gives diag(0, -1). The conclusion with 2k ||E||_2 survives even for "
        "singular subspaces: an eigenvalue that is preferred wrongly is in [-||E||_2, 0), so what it displaces is at "
        "most ||E||_2, and A'A is not negative on its eigenvector. The 2 is sharp: diag(1, 0) with E = diag(-1/2, 1/2)."
    ),
    steps=(
        Step(
            "1-equation",
            Statement("tr(V_k V_k' (A'A + E)) = tr(V_k V_k' A'A) + sum v_i E v_i'", split_margin, given=FRAMES),
            defect=None,
            note="the v_i are rows here and columns in V_k",
        ),
        Step(
            "1-inequality",
            Statement("that is at least sum sigma_i^2 - k ||E||_2", first_margin, given=FRAMES),
            defect=None,
        ),
        Step(
            "2-inequality",
            Statement(
                "tr(Vhat_k' (A'A + E) Vhat_k) >= tr(V_k' (A'A + E) V_k) for eigenvectors of the k largest eigenvalues",
                second_margin,
                given=(*FRAMES, TOP),
            ),
            defect=None,
            note=(
                "The subspace that captures the maximum variance, as the line before it has it. That of the k largest "
                "singular values of an indefinite matrix is another, for which the line may fail."
            ),
        ),
        Step(
            "3-combined",
            Statement(
                "tr(Vhat_k' (A'A + E) Vhat_k) >= sum sigma_i^2 - k ||E||_2", combined_margin, given=(*FRAMES, TOP)
            ),
            defect=None,
            note="From (1) and (2), for the same eigenvectors.",
        ),
        Step(
            "3-equivalence",
            Statement("the term tr(Vhat_k' E Vhat_k) may be moved to the other side", equivalence_margin, given=FRAMES),
            defect=None,
        ),
        Step(
            "3-noise",
            Statement("tr(Vhat_k' E Vhat_k) <= k ||E||_2", noise_share_margin, given=FRAMES),
            defect=None,
        ),
        Step(
            "3-conclusion",
            Statement("tr(Vhat_k' A'A Vhat_k) >= sum sigma_i^2 - 2k ||E||_2", third_margin, given=SPECTRA),
            defect=None,
            note="Also for the subspace of the k largest |eigenvalues|, by the proof given with the theorem.",
        ),
    ),
    uses=("analyze-gauss.noise-norm",),
)
