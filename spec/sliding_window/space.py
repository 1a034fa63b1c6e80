"""Theorem 19 and the conjectures: bounds on space, against an algorithm that stores the window."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Chosen, Claim, Defect, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, ball, square
from dpmatrix.spec.common.conditions import at_least, below, exceeds, positive, whole
from dpmatrix.spec.sliding_window.checkpoint_counts import NEEDED_CHECKPOINTS
from dpmatrix.spec.sliding_window.distinguished_windows import OUTPUT_SPACE, STATIC_SPACE
from dpmatrix.spec.sliding_window.lower_bound_construction import CONSTRUCTION
from dpmatrix.spec.sliding_window.lower_bound_entries import ENTRIES
from dpmatrix.spec.sliding_window.lower_bound_proof import INEQUALITIES
from dpmatrix.spec.sliding_window.planted_coefficients import PLANTED_COEFFICIENTS
from dpmatrix.spec.sliding_window.planted_entries import PLANTED_ENTRIES
from dpmatrix.spec.sliding_window.revealed_signs import LEAST_ERROR
from dpmatrix.spec.sliding_window.sketched_direction import SKETCH_DIMENSION


@attrs.frozen
class SpacePoint:
    """Window W, columns d, rank k, bits b per entry, eta, and the constant c of Omega."""

    window: int
    columns: int
    rank: int
    entry_bits: int
    eta: Exact
    constant: Exact


def window_bits(p: SpacePoint) -> arb:
    """``W d b``, the bits of the window stored as it is."""
    return arb(p.window * p.columns * p.entry_bits)


def _claimed(p: SpacePoint, numbers: arb) -> arb:
    return ball(p.constant) * numbers * arb(p.window).log() / arb(2).log()


def low_rank_bits(p: SpacePoint) -> arb:
    """``c W k log2(W) / eta``."""
    return _claimed(p, p.window * p.rank / ball(p.eta))


def spectral_bits(p: SpacePoint) -> arb:
    """``c d^2 log2(W) / eta``."""
    return _claimed(p, square(arb(p.columns)) / ball(p.eta))


def principal_bits(p: SpacePoint) -> arb:
    """``c d k log2(W) / eta^2``."""
    return _claimed(p, p.columns * p.rank / square(ball(p.eta)))


def stored_window_margin(p: SpacePoint) -> arb:
    """Bits of the window stored as it is, minus c W k log2(W) / eta."""
    return window_bits(p) - low_rank_bits(p)


def spectral_space_margin(p: SpacePoint) -> arb:
    """Bits of the window stored as it is, minus c d^2 log2(W) / eta."""
    return window_bits(p) - spectral_bits(p)


def principal_space_margin(p: SpacePoint) -> arb:
    """Bits of the window stored as it is, minus c d k log2(W) / eta^2."""
    return window_bits(p) - principal_bits(p)


def rank_margin(p: SpacePoint) -> arb:
    """``d - k``."""
    return arb(p.columns - p.rank)


SPACE = (
    whole("window", 2),
    whole("columns", 1),
    whole("rank", 1),
    whole("entry_bits", 1),
    positive("eta"),
    exceeds("k <= d", rank_margin, strict=False),
)
SOME = (Chosen("constant"),)

THEOREM_19 = Claim(
    id="sliding-window.theorem-19",
    kind=Kind.LOWER_BOUND,
    source=Locator(
        "sliding-window",
        "Theorem 19",
        "for n, d, k and eta > 0 the space of any randomised single-pass algorithm for low-rank approximation in the "
        "sliding window model is Omega(W k log(W)/eta)",
    ),
    statement=Statement(
        "there is a constant c with which, for all W, d, k, b and eta, the algorithm that stores the window as it is "
        "uses at least c W k log2(W)/eta bits",
        stored_window_margin,
        given=SPACE,
        exists=SOME,
    ),
    verdict=Verdict.REFUTED,
    defect=Defect.CONCLUSION,
    headline=(
        "It is false for small eta: storing the window takes W d b bits and is exact, while the stated bound grows "
        "without limit as eta falls."
    ),
    reading=(
        "Omega is a constant c for all W, d, k and eta. The statement is the theorem for one algorithm, which is "
        "exact: entries of b bits, rows stored as they come."
    ),
    because=(
        "Storing W rows of d entries of b bits takes W d b bits and gives the best approximation of any rank, "
        "whatever eta is; the printed bound grows without limit as eta falls. For every c it fails once eta < c k "
        "log2(W)/(d b). The proof assumes a = k log(W)/(20 eta^2) <= d/2 'without loss of generality', which is the "
        "missing restriction; with l = log(W)/eta its count of bits would even give 1/eta^2, and its entries are as "
        "large as 10^l = W^(2.3/eta). Its blocks partition columns, so that no row of Alice's expires and the window "
        "plays no role. The count of signs does not follow either: Psi leaves far more than 100^theta k (W-a)/5 for "
        "the columns of C, and a fifth of wrong signs would be too many."
    ),
    steps=(*CONSTRUCTION, *INEQUALITIES, *ENTRIES, *PLANTED_ENTRIES, *PLANTED_COEFFICIENTS),
)


@attrs.frozen
class KeptSpace(SpacePoint):
    """The same, and some private algorithm with the conjectured accuracy.

    Which numbers of bits such an algorithm can have is what the conjectures ask; no condition here says it.

    Parameters
    ----------
    kept_bits
        The bits that it keeps.
    additive
        zeta, the additive error that the accuracy allows.
    """

    kept_bits: int
    additive: Exact


def spectral_kept_margin(p: KeptSpace) -> arb:
    """Bits that are kept, minus c d^2 log2(W) / eta."""
    return p.kept_bits - spectral_bits(p)


def principal_kept_margin(p: KeptSpace) -> arb:
    """Bits that are kept, minus c d k log2(W) / eta^2."""
    return p.kept_bits - principal_bits(p)


def long_window_margin(p: KeptSpace) -> arb:
    """``W - zeta (eta/4)/(1 - eta/4)``: up to 0 the constant zeta I has the accuracy for all rows of norm 1."""
    quarter = ball(p.eta) / 4
    return p.window - ball(p.additive) * quarter / (1 - quarter)


def long_root_margin(p: KeptSpace) -> arb:
    """``sqrt(W) - zeta``: up to 0 every projection has the accuracy for all rows of norm 1."""
    return arb(p.window).sqrt() - ball(p.additive)


CONJECTURE_1 = Claim(
    id="sliding-window.conjecture-1",
    kind=Kind.CONJECTURE,
    source=Locator(
        "sliding-window",
        "Conjecture 1",
        "differentially private spectral approximation needs Theta((d^2/eta) log W) space",
    ),
    statement=Statement(
        "there is a constant c with which, where the window itself takes c d^2 log2(W)/eta bits and no constant output "
        "is accurate, what a private algorithm keeps takes as many",
        spectral_kept_margin,
        given=(
            *SPACE,
            below("eta", 1),
            whole("kept_bits", 0),
            at_least("additive", 0),
            exceeds("W d b >= c d^2 log2(W)/eta", spectral_space_margin, strict=False),
            exceeds("W > zeta (eta/4)/(1 - eta/4)", long_window_margin),
        ),
        exists=SOME,
    ),
    verdict=Verdict.OPEN,
    reading=(
        "The lower half of Theta, with one constant c; in the regime where the bound is below the W d b bits of the "
        "window itself, and W is too large for a constant output to have the accuracy of theorem-3 with its additive "
        "error zeta. A point names the bits that an algorithm keeps, for any private algorithm with the accuracy of "
        "theorem-3: that it exists is a premise in words. So the predicate is false at kept_bits = 0, and no point of "
        "it is evidence either way."
    ),
    because=(
        "Open where W is also large against the additive error zeta of Theorem 3: for rows of norm at most 1 and W <="
        " zeta (eta/4)/(1 - eta/4) the constant output zeta I meets both bounds and keeps nothing. Without a regime "
        "it is false: the window stored as it is, and released once with noise, takes W d b bits for every eta, and "
        "is private, as Definition 1 is about outputs; so a relation like W >= (d/eta) log W has to be assumed. The "
        "repaired histogram of Lemma 10 uses O((d^3/eta) log(W/f)) numbers. That an algorithm without privacy needs "
        "the product of its two bounds as well is itself conjectured."
    ),
    steps=(
        Step(
            "every-eta",
            Statement(
                "there is a constant c with which, for every eta, the window stored as it is takes at least c d^2 "
                "log2(W)/eta bits",
                spectral_space_margin,
                given=SPACE,
                exists=SOME,
            ),
            sound=False,
            note="Not for eta < c d log2(W)/(W b).",
        ),
        LEAST_ERROR,
        STATIC_SPACE,
        NEEDED_CHECKPOINTS,
    ),
)

CONJECTURE_2 = Claim(
    id="sliding-window.conjecture-2",
    kind=Kind.CONJECTURE,
    source=Locator("sliding-window", "Conjecture 2", "differentially private PCA needs Omega((d k/eta^2) log W) space"),
    statement=Statement(
        "there is a constant c with which, where the window itself takes c d k log2(W)/eta^2 bits and no fixed "
        "projection is accurate, what a private algorithm keeps takes as many",
        principal_kept_margin,
        given=(
            *SPACE,
            below("eta", 1),
            whole("kept_bits", 0),
            at_least("additive", 0),
            exceeds("W d b >= c d k log2(W)/eta^2", principal_space_margin, strict=False),
            exceeds("sqrt(W) > zeta", long_root_margin),
        ),
        exists=SOME,
    ),
    verdict=Verdict.OPEN,
    reading=(
        "With one constant c, in the regime where the bound is below the W d b bits of the window itself, and sqrt(W) "
        "above the additive error zeta of theorem-6, which any projection has; a point names the bits that an "
        "algorithm keeps, for any private algorithm with the accuracy of theorem-6: that it exists is a premise in "
        "words. So the predicate is false at kept_bits = 0, and no point of it is evidence either way."
    ),
    because=(
        "Open where W is also large against the square of the additive error of Theorem 6: for rows of norm at most 1"
        " a fixed projection errs by at most sqrt(W), and keeps nothing. As for Conjecture 1, the window stored and "
        "released once with noise refutes it for eta^2 < c k log2(W)/(W b)."
    ),
    steps=(
        Step(
            "every-eta",
            Statement(
                "there is a constant c with which, for every eta, the window stored as it is takes at least c d k "
                "log2(W)/eta^2 bits",
                principal_space_margin,
                given=SPACE,
                exists=SOME,
            ),
            sound=False,
            note="Not for eta^2 < c k log2(W)/(W b).",
        ),
        OUTPUT_SPACE,
        SKETCH_DIMENSION,
    ),
)
