"""Theorem 19 and the conjectures: bounds on space, against an algorithm that stores the window."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Claim, Defect, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, ball, square
from dpmatrix.spec.conditions import exceeds, positive, whole
from dpmatrix.spec.sliding_window.lower_bound_construction import CONSTRUCTION
from dpmatrix.spec.sliding_window.lower_bound_entries import ENTRIES
from dpmatrix.spec.sliding_window.lower_bound_proof import INEQUALITIES


@attrs.frozen
class SpacePoint:
    """Window W, columns d, rank k, bits b per entry, eta, and the constant c of Omega."""

    window: int
    columns: int
    rank: int
    entry_bits: int
    eta: Exact
    constant: Exact


def stored_window_margin(p: SpacePoint) -> arb:
    """Bits of the window stored as it is, minus c W k log2(W) / eta."""
    log = arb(p.window).log() / arb(2).log()
    claimed = ball(p.constant) * p.window * p.rank * log / ball(p.eta)
    return arb(p.window * p.columns * p.entry_bits) - claimed


def spectral_space_margin(p: SpacePoint) -> arb:
    """Bits of the window stored as it is, minus c d^2 log2(W) / eta."""
    log = arb(p.window).log() / arb(2).log()
    claimed = ball(p.constant) * square(arb(p.columns)) * log / ball(p.eta)
    return arb(p.window * p.columns * p.entry_bits) - claimed


def principal_space_margin(p: SpacePoint) -> arb:
    """Bits of the window stored as it is, minus c d k log2(W) / eta^2."""
    log = arb(p.window).log() / arb(2).log()
    claimed = ball(p.constant) * p.columns * p.rank * log / square(ball(p.eta))
    return arb(p.window * p.columns * p.entry_bits) - claimed


SPACE = (
    whole("window", 2),
    whole("columns", 1),
    whole("rank", 1),
    whole("entry_bits", 1),
    positive("eta"),
    positive("constant"),
)

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
        "the algorithm that stores the window as it is uses at least c W k log2(W)/eta bits",
        stored_window_margin,
        given=SPACE,
    ),
    verdict=Verdict.REFUTED,
    defect=Defect.CONCLUSION,
    headline=(
        "It is false for small eta: storing the window takes W d b bits and is exact, while the stated bound grows "
        "without limit as eta falls."
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
    steps=(*CONSTRUCTION, *INEQUALITIES, *ENTRIES),
)


@attrs.frozen
class KeptSpace(SpacePoint):
    """The same, and the bits that some private algorithm with the conjectured accuracy keeps.

    Which numbers of bits such an algorithm can have is what the conjectures ask; no condition here says it.
    """

    kept_bits: int = 0


def spectral_kept_margin(p: KeptSpace) -> arb:
    """Bits that are kept, minus c d^2 log2(W) / eta."""
    return p.kept_bits + spectral_space_margin(p) - p.window * p.columns * p.entry_bits


def principal_kept_margin(p: KeptSpace) -> arb:
    """Bits that are kept, minus c d k log2(W) / eta^2."""
    return p.kept_bits + principal_space_margin(p) - p.window * p.columns * p.entry_bits


CONJECTURE_1 = Claim(
    id="sliding-window.conjecture-1",
    kind=Kind.CONJECTURE,
    source=Locator(
        "sliding-window",
        "Conjecture 1",
        "differentially private spectral approximation needs Theta((d^2/eta) log W) space",
    ),
    statement=Statement(
        "where the window itself takes c d^2 log2(W)/eta bits, what a private algorithm keeps takes as many",
        spectral_kept_margin,
        given=(
            *SPACE,
            whole("kept_bits", 0),
            exceeds("W d b >= c d^2 log2(W)/eta", spectral_space_margin, strict=False),
        ),
    ),
    verdict=Verdict.OPEN,
    reading=(
        "The lower half of Theta, with a constant c; in the regime where the bound is below the W d b bits of the "
        "window itself. A point names the bits that an algorithm keeps, for any private algorithm with the accuracy of "
        "theorem-3: that it exists is a premise in words. So the predicate is false at kept_bits = 0, and no point of "
        "it is evidence either way."
    ),
    because=(
        "Open where W is also large against the additive error zeta of Theorem 3: for rows of norm at most 1 and W <="
        " zeta (eta/4)/(1 - eta/4) the constant output zeta I meets both bounds and keeps nothing. Without a regime "
        "it is false: the window stored as it is, and released once with noise, takes W d b bits for every eta, and "
        "is private, as Definition 1 is about outputs; so a relation like W >= (d/eta) log W has to be assumed. The "
        "repaired histogram of Lemma 10 uses O((d^3/eta) log(W/f)) numbers."
    ),
    steps=(
        Step(
            "every-eta",
            Statement(
                "for every eta the window stored as it is takes at least c d^2 log2(W)/eta bits",
                spectral_space_margin,
                given=SPACE,
            ),
            sound=False,
            note="Not for eta < c d log2(W)/(W b).",
        ),
    ),
)

CONJECTURE_2 = Claim(
    id="sliding-window.conjecture-2",
    kind=Kind.CONJECTURE,
    source=Locator("sliding-window", "Conjecture 2", "differentially private PCA needs Omega((d k/eta^2) log W) space"),
    statement=Statement(
        "where the window itself takes c d k log2(W)/eta^2 bits, what a private algorithm keeps takes as many",
        principal_kept_margin,
        given=(
            *SPACE,
            whole("kept_bits", 0),
            exceeds("W d b >= c d k log2(W)/eta^2", principal_space_margin, strict=False),
        ),
    ),
    verdict=Verdict.OPEN,
    reading=(
        "In the regime where the bound is below the W d b bits of the window itself; a point names the bits that an "
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
                "for every eta the window stored as it is takes at least c d k log2(W)/eta^2 bits",
                principal_space_margin,
                given=SPACE,
            ),
            sound=False,
            note="Not for eta^2 < c k log2(W)/(W b).",
        ),
    ),
)
