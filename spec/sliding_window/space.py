"""Theorem 19 and the conjectures: bounds on space, against an algorithm that stores the window."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Chosen, Claim, Defect, Kind, Locator, Statement, Verdict
from dpmatrix.exact import Exact, ball, square
from dpmatrix.spec.common.conditions import at_least, below, exceeds, positive, whole
from dpmatrix.spec.sliding_window.checkpoint_counts import NEEDED_CHECKPOINTS
from dpmatrix.spec.sliding_window.distinguished_windows import OUTPUT_SPACE, STATIC_SPACE
from dpmatrix.spec.sliding_window.lower_bound_construction import CONSTRUCTION
from dpmatrix.spec.sliding_window.lower_bound_entries import ENTRIES
from dpmatrix.spec.sliding_window.lower_bound_proof import INEQUALITIES
from dpmatrix.spec.sliding_window.planted_coefficients import PLANTED_COEFFICIENTS
from dpmatrix.spec.sliding_window.planted_entries import PLANTED_ENTRIES
from dpmatrix.spec.sliding_window.recovered_windows import LOG_BITS
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


def spectral_bits(p: SpacePoint) -> arb:
    """``c d^2 log2(W) / eta``."""
    return _claimed(p, square(arb(p.columns)) / ball(p.eta))


def principal_bits(p: SpacePoint) -> arb:
    """``c d k log2(W) / eta^2``."""
    return _claimed(p, p.columns * p.rank / square(ball(p.eta)))


def spectral_space_margin(p: SpacePoint) -> arb:
    """Bits of the window stored as it is, minus c d^2 log2(W) / eta."""
    return window_bits(p) - spectral_bits(p)


def principal_space_margin(p: SpacePoint) -> arb:
    """Bits of the window stored as it is, minus c d k log2(W) / eta^2."""
    return window_bits(p) - principal_bits(p)


def rank_margin(p: SpacePoint) -> arb:
    """``d - k``."""
    return arb(p.columns - p.rank)


@attrs.frozen
class LongWindow:
    """The h of a window of W = 2^h rows, columns d, rank k, bits b per entry, eta, and the constant c of Omega."""

    height: int
    columns: int
    rank: int
    entry_bits: int
    eta: Exact
    constant: Exact


def stored_row_margin(p: LongWindow) -> arb:
    """``d b - c k h/eta``: the bits of the window stored as it is, minus c W k log2(W)/eta, divided by W."""
    return p.columns * p.entry_bits - ball(p.constant) * p.rank * p.height / ball(p.eta)


def narrow_margin(p: LongWindow) -> arb:
    """``d - k``."""
    return arb(p.columns - p.rank)


SIZES = (
    whole("window", 2),
    whole("columns", 1),
    whole("rank", 1),
    whole("entry_bits", 1),
    positive("eta"),
)
SPACE = (*SIZES, exceeds("k <= d", rank_margin, strict=False))
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
        "for all d, k, b and eta there is a constant c with which, for every W, a power of 2, the algorithm that "
        "stores the window as it is uses at least c W k log2(W)/eta bits",
        stored_row_margin,
        given=(
            whole("height", 1),
            whole("columns", 1),
            whole("rank", 1),
            whole("entry_bits", 1),
            positive("eta"),
            exceeds("k <= d", narrow_margin, strict=False),
        ),
        exists=(Chosen("constant", after=("columns", "rank", "entry_bits", "eta")),),
    ),
    verdict=Verdict.REFUTED,
    defect=Defect.CONCLUSION,
    headline=(
        "It is false for every eta: storing the window takes W d b bits and is exact, while the stated bound grows "
        "faster than W, and without limit as eta falls."
    ),
    reading=(
        "Omega is a constant c for all W, d, k and eta; it is refuted even if c may depend on d, k, eta and the bits "
        "of an entry. The statement is the theorem for one algorithm, which is exact: entries of b bits, rows stored "
        "as they come."
    ),
    because=(
        "Storing W rows of d entries of b bits takes W d b bits and gives the best approximation of any rank, "
        "whatever eta is. For every c the bound exceeds that once log2(W)/eta > d b/(c k): for long windows whatever "
        "eta is, and for small eta whatever W is. With c = 1, d = k = b = 1 and eta = 1/2 a window of 4 rows takes 4 "
        "bits, and the bound asks for 16.\n\n"
        "What is left is W k log W for entries of log2(W) bits and more, "
        "for every eta and every additive error: a window with only k columns that are not 0 has least cost 0, so that "
        "the answer lies within tau of it, and rounding its entries to multiples of a G > 2 tau gives the window "
        "back.\n\n"
        "Some seed of an algorithm that succeeds with probability 2/3 serves two thirds of the 2^(W k b) windows, and "
        "its states after W rows tell them apart. For a tau that is polynomial in W so are the entries, as the proof "
        "has them; only the factor 1/eta is lost. It is a bound for algorithms that give the approximation itself; "
        "a projection of rank k in d dimensions takes d k numbers only.\n\n"
        "The proof assumes a = k log(W)/(20 eta^2) <= d/2 'without loss of generality', which is the "
        "missing restriction; with l = log(W)/eta its count of bits would even give 1/eta^2, and its entries are as "
        "large as 10^l = W^(2.3/eta). Its blocks partition columns, so that no row of Alice's expires and the window "
        "plays no role. The count of signs does not follow either: Psi leaves far more than 100^theta k (W-a)/5 for "
        "the columns of C, and a fifth of wrong signs would be too many."
    ),
    repair=LOG_BITS,
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


def small_error_margin(p: KeptSpace) -> arb:
    """``sqrt(W) - zeta``: fixed blocks of the order of eta zeta rows are then sqrt(W)/eta of them and more."""
    return arb(p.window).sqrt() - ball(p.additive)


def long_window_margin(p: KeptSpace) -> arb:
    """``W - (zeta/eta)^4``: fixed blocks of the order of zeta^2 rows are then sqrt(W)/eta^2 of them and more."""
    return p.window - (ball(p.additive) / ball(p.eta)) ** 4


CONJECTURE_1 = Claim(
    id="sliding-window.conjecture-1",
    kind=Kind.CONJECTURE,
    source=Locator(
        "sliding-window",
        "Conjecture 1",
        "differentially private spectral approximation needs Theta((d^2/eta) log W) space",
    ),
    statement=Statement(
        "there is a constant c with which, where the window itself takes c d^2 log2(W)/eta bits and the additive error "
        "is at most sqrt(W), what a private algorithm keeps takes as many",
        spectral_kept_margin,
        given=(
            *SPACE,
            below("eta", 1),
            whole("kept_bits", 0),
            at_least("additive", 0),
            exceeds("W d b >= c d^2 log2(W)/eta", spectral_space_margin, strict=False),
            exceeds("zeta <= sqrt(W)", small_error_margin, strict=False),
        ),
        exists=SOME,
    ),
    verdict=Verdict.OPEN,
    reading=(
        "The lower half of Theta, with one constant c; the upper half, that some private algorithm needs no more, is "
        "open as well: the repaired histogram keeps a factor d more. The regime is where the bound is below the W d b "
        "bits of the window itself, and zeta, the additive error of theorem-3, at most sqrt(W): else fixed blocks of "
        "the order of eta zeta rows, each released once with noise, may keep less. A point names the bits that an "
        "algorithm keeps, for any private algorithm with the accuracy of theorem-3: that it exists is a premise in "
        "words. A point is evidence only with an algorithm beside it that is private, is as accurate and keeps so many "
        "bits; in this regime none is known."
    ),
    because=(
        "Open. The regime leaves out what any bound on space for this task must: the window stored as it is, and "
        "released once with noise, takes W d b bits for every eta, and is private, as Definition 1 is about outputs; "
        "and for rows of norm at most 1 an additive error of the order of W/eta is met by a constant, and one a little "
        "below by a few fixed blocks.\n\n"
        "The repaired histogram of Lemma 10 uses O((d^3/eta) log(W/f)) numbers. That an "
        "algorithm without privacy needs the product of its two bounds as well is itself conjectured. For eta small "
        "against k/d the upper half and Conjecture 2 cannot both hold, as a spectral approximation gives components."
    ),
    steps=(
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
        "there is a constant c with which, for k < d, where the window itself takes c d k log2(W)/eta^2 bits and W is "
        "at least (zeta/eta)^4, what a private algorithm keeps takes as many",
        principal_kept_margin,
        given=(
            *SIZES,
            exceeds("k < d", rank_margin),
            below("eta", 1),
            whole("kept_bits", 0),
            at_least("additive", 0),
            exceeds("W d b >= c d k log2(W)/eta^2", principal_space_margin, strict=False),
            exceeds("W >= (zeta/eta)^4", long_window_margin, strict=False),
        ),
        exists=SOME,
    ),
    verdict=Verdict.OPEN,
    reading=(
        "With one constant c, for k < d, as for k = d the projection is I; in the regime where the bound is below the "
        "W d b bits of the window itself, and W at least (zeta/eta)^4, zeta the additive error of theorem-6: else "
        "fixed blocks of the order of zeta^2 rows may keep less. A point names the bits that an algorithm keeps, for "
        "any private algorithm with the accuracy of theorem-6: that it exists is a premise in words. A point is "
        "evidence only with an algorithm beside it that is private, is as accurate and keeps so many bits; in this "
        "regime none is known."
    ),
    because=(
        "Open. For rows of norm at most 1 a fixed projection errs by at most sqrt(W) and keeps nothing, and fixed "
        "blocks, whose noisy second moments are released once, err by about the root of their length; the regime "
        "leaves both out, and the window stored as it is, as for Conjecture 1."
    ),
    steps=(
        OUTPUT_SPACE,
        SKETCH_DIMENSION,
    ),
)
