"""Theorem 8: how many samples every private approximation of the top eigenvector needs (section 4.3)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Condition, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.common.conditions import below, exceeds, positive, whole
from dpmatrix.spec.near_optimal.packing_number import Lines, covering_share
from dpmatrix.spec.near_optimal.private_bound_proof import PROOF
from dpmatrix.spec.near_optimal.private_bound_setting import printed_complement
from dpmatrix.spec.near_optimal.spheres import Cap, cap_measure
from dpmatrix.spec.near_optimal.sulq_worst import random_correlation

APART = tuple(fmpq(5, 6) ** step for step in range(15, 23))
"""What the inner products of lines differ from 1 by."""


@attrs.frozen
class SampleSize:
    """Dimension d, number of records n, epsilon, the eigengap Delta and the expected correlation rho."""

    dimension: int
    records: int
    epsilon: Exact
    gap: Exact
    rho: Exact


def root_complement(squared: arb) -> arb:
    """``1 - sqrt(1 - E)``: Lemma 11 in dimension d - 1 has 1 - phi^2 where E stands."""
    return squared / (1 + (1 - squared).sqrt())


def complement(dimension: int) -> arb:
    """``1 - sqrt(1 - E)`` with the printed E = 1 - phi."""
    return root_complement(printed_complement(dimension))


def whole_records(p: SampleSize) -> int:
    """``ceil(d/eps)``: the points of at least d/eps that may differ."""
    return int((p.dimension / rational(p.epsilon)).ceil())


def mended_complement(p: SampleSize) -> arb:
    """``exp(-2 (ln 8 + ln(1 + exp(D)))/(d-2))``, D = eps ceil(d/eps), which is at least d and below d + eps."""
    distance = (whole_records(p) * ball(p.epsilon)).exp()
    return (-2 * (arb(8).log() + (1 + distance).log()) / (p.dimension - 2)).exp()


def moved_records(p: SampleSize) -> int:
    """``floor(d/eps)``: two databases that differ in so many points are private at distance d at most."""
    return int((p.dimension / rational(p.epsilon)).floor())


def loss_of_family(p: SampleSize, moved: int, share: arb) -> arb:
    """What every private mechanism loses, ``1 - E|<v^, v_1>|``, on one of the databases that differ in m points.

    For Delta <= 1/2, so that their points have norm at most 1, and 1 + exp(m eps) lines or more with ``1 - max |<w_i,
    w_j>|`` at least the share; from Lemma 12 with 1/8 in the place of 1/16.
    ``(share/8) m^2/(m^2 + (sqrt((n Delta)^2 - m^2) + n Delta)^2)`` for m <= n Delta, else ``share/8``.
    """
    scaled = p.records * rational(p.gap)
    if moved > scaled:
        return share / 8
    root = arb(scaled * scaled - moved * moved).sqrt()
    return share / 8 * moved**2 / (moved**2 + square(root + arb(scaled)))


def family_loss(p: SampleSize) -> arb:
    """What is lost with floor(d/eps) points that differ, and the printed number of lines."""
    return loss_of_family(p, moved_records(p), complement(p.dimension))


def mended_family_loss(p: SampleSize) -> arb:
    """What is lost with ceil(d/eps) points that differ, and 1 + exp(eps ceil(d/eps)) lines."""
    return loss_of_family(p, whole_records(p), root_complement(mended_complement(p)))


def crowded_share(dimension: int, exponential: arb) -> arb:
    """``2 M (1 - max |<w_i, w_j>|)``, M = (K-1)/(W+K-1), for the best of several families of K lines of R^(d-1).

    For laws within W of each other, so that the misses of Lemma 12 are M at least on average: the d - 1 axes, a family
    that cannot grow at each of some angles, and that of Lemma 11 with K = 1 + 20 W.
    """
    near = 20 * exponential
    found = 2 * (dimension - 2) / (exponential + dimension - 2)
    found = found.max(fmpq(40, 21) * root_complement((8 * (1 + near)) ** fmpq(-2, dimension - 2)))
    for share in APART:
        more = 1 / covering_share(Lines(dimension - 1, 1 - share)) - 1
        found = found.max(2 * more / (exponential + more) * share)
    return found


def crowded_loss(p: SampleSize) -> arb:
    """What is lost with ceil(d/eps) points that differ, and as many lines as are good."""
    moved = whole_records(p)
    return loss_of_family(p, moved, crowded_share(p.dimension, (moved * ball(p.epsilon)).exp()))


def cap_loss(p: SampleSize) -> arb:
    """What one private mechanism loses, on every database: a line near v_1 is exp(eps) times as likely as another.

    Its density is proportional to exp(eps) where ``|<v, v_1>| >= h = 1 - exp(-2 eps/(d+1))``, and to 1 elsewhere.
    A uniform unit vector has ``E|U_1| = r``, and ``E|U_1| 1{|U_1| >= h} = r (1 - h^2)^((d-1)/2)``.
    """
    weight = ball(p.epsilon).exp() - 1
    height = 1 - (-2 * ball(p.epsilon) / (p.dimension + 1)).exp()
    inside = (1 - square(height)) ** fmpq(p.dimension - 1, 2)
    share = 2 * cap_measure(Cap(p.dimension, height))
    return 1 - random_correlation(p.dimension) * (weight * inside + 1) / (weight * share + 1)


def theorem_8_margin(p: SampleSize) -> arb:
    """The least loss on the worst database minus ``1 - rho``, by the bound that decides; otherwise undetermined."""
    allowed, enough = arb(1 - rational(p.rho)), cap_loss(p)
    needed = family_loss(p).max(mended_family_loss(p)).max(crowded_loss(p))
    if needed > allowed:
        return needed - allowed
    return enough - allowed if enough < allowed else arb.nan()


def factor(p: SampleSize, share: arb) -> arb:
    """``max(1, sqrt((1-phi)/(80 (1-rho))))`` for a value of 1 - phi."""
    return arb(1).max((share / (80 * arb(1 - rational(p.rho)))).sqrt())


def improvement(p: SampleSize) -> arb:
    """``max(1, sqrt((1-phi)/(80 (1-rho))))``."""
    return factor(p, printed_complement(p.dimension))


def printed_size_margin(p: SampleSize) -> arb:
    """``(d/(eps Delta)) max(1, sqrt((1-phi)/(80 (1-rho)))) - n``."""
    return p.dimension / (ball(p.epsilon) * ball(p.gap)) * improvement(p) - p.records


def whole_size_margin(p: SampleSize) -> arb:
    """``(floor(d/eps)/Delta) max(1, sqrt((1-phi)/(80 (1-rho)))) - n``."""
    return moved_records(p) / ball(p.gap) * improvement(p) - p.records


def mended_size_margin(p: SampleSize) -> arb:
    """``(d/(eps Delta)) max(1, sqrt((1-phi)/(80 (1-rho)))) - n`` with the mended 1 - phi."""
    return p.dimension / (ball(p.epsilon) * ball(p.gap)) * factor(p, mended_complement(p)) - p.records


def rho_margin(p: SampleSize) -> arb:
    """``rho - (1 - (1-phi)/16)``."""
    return printed_complement(p.dimension) / 16 - arb(1 - rational(p.rho))


def mended_rho_margin(p: SampleSize) -> arb:
    """``rho - (1 - (1-phi)/16)`` with the mended 1 - phi."""
    return mended_complement(p) / 16 - arb(1 - rational(p.rho))


def gap_margin(p: SampleSize) -> arb:
    """``1/2 - Delta``."""
    return arb(fmpq(1, 2) - rational(p.gap))


def near_margin(p: SampleSize) -> arb:
    """``5 d/4 - eps ceil(d/eps)``."""
    return arb(fmpq(5 * p.dimension, 4) - whole_records(p) * rational(p.epsilon))


INPUTS = (
    whole("dimension", 3),
    whole("records", 1),
    positive("epsilon"),
    positive("gap"),
    Condition("Delta <= 1/2", gap_margin, of="gap"),
    below("rho", 1),
)
SETTING = (*INPUTS, Condition("rho >= 1 - (1-phi)/16", rho_margin))
PRINTED_SIZE = exceeds("n < (d/(eps Delta)) max(1, sqrt((1-phi)/(80 (1-rho))))", printed_size_margin)

THEOREM_8 = Claim(
    id="near-optimal.theorem-8",
    kind=Kind.LOWER_BOUND,
    source=Locator(
        "near-optimal",
        "Theorem 8",
        "1 - phi = exp(-2 (ln 8 + ln(1 + exp(d)))/(d-2)), rho >= 1 - (1-phi)/16: no eps-DP algorithm has expected "
        "utility above rho for n < (d/(eps Delta)) max(1, sqrt((1-phi)/(80 (1-rho))))",
    ),
    statement=Statement(
        "for n < (d/(eps Delta)) max(1, sqrt((1-phi)/(80 (1-rho)))) no epsilon-private mechanism has E|<v^, v_1>| > "
        "rho on all databases of n points with eigengap Delta",
        theorem_8_margin,
        given=(*SETTING, PRINTED_SIZE),
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.FORMULA,
    headline=(
        "True as printed for epsilon <= d/4, false for every d at epsilon >= 9 d, as whole records differ; with "
        "exp(eps ceil(d/eps)) for exp(d) in phi it holds for every epsilon."
    ),
    reading=(
        "Delta > 0, rho < 1; replace-one adjacency; a database has points of norm at most 1. The least loss that a "
        "private mechanism has on its worst database is not computed: it is enclosed between what every mechanism "
        "loses on the databases of the proof and what one mechanism loses on any database, and where neither decides "
        "the statement is undecided."
    ),
    because=(
        "For epsilon > d the databases would have to differ in less than one point, and for epsilon >= 9 d it is false "
        "in every dimension d >= 3: one record is enough for a mechanism that draws a line near v_1 with exp(epsilon) "
        "times the density of the others. At d = 3, epsilon = 27, n = 1 and Delta = 1/10 it loses less than 1.4e-6, "
        "where the theorem demands up to 2.2e-6.\n\n"
        "Databases that differ in t = ceil(d/eps) points need 1 + exp(t eps) lines. With that number in phi, where d "
        "<= t eps < d + eps, the theorem holds for every epsilon. As printed it holds for t eps <= 5d/4, so for eps "
        "<= d/4 and from d to 5d/4; with floor(d/eps) for d/eps in the bound on n it holds with the printed phi. "
        "For larger epsilon, up to 9 d, nothing is decided with the printed phi and d/eps.\n\n"
        "The proof does not hold as printed: Lemma 11 has 1 - phi^2 where it has 1 - phi, and at d = 450, 500 and 1000 "
        "the packing that it asks for does not exist. What is lost, a factor of less than 2, is regained in Lemma 12, "
        "which holds with 1/8 in the place of 1/16; and (18) holds with 4 in the place of 5."
    ),
    repair=Repair(
        "exp(eps ceil(d/eps)) in place of exp(d) in phi",
        Statement(
            "with 1 - phi = exp(-2 (ln 8 + ln(1 + exp(eps ceil(d/eps))))/(d-2)), for n < (d/(eps Delta)) max(1, "
            "sqrt((1-phi)/(80 (1-rho)))) no epsilon-private mechanism has E|<v^, v_1>| > rho on all databases of n "
            "points with eigengap Delta",
            theorem_8_margin,
            given=(
                *INPUTS,
                Condition("rho >= 1 - (1-phi)/16, phi mended", mended_rho_margin),
                exceeds("n < (d/(eps Delta)) max(1, sqrt((1-phi)/(80 (1-rho)))), phi mended", mended_size_margin),
            ),
        ),
    ),
    steps=(
        *PROOF,
        Step(
            "whole-records",
            Statement(
                "for n < (floor(d/eps)/Delta) max(1, sqrt((1-phi)/(80 (1-rho)))) no epsilon-private mechanism has "
                "E|<v^, v_1>| > rho on all databases of n points with eigengap Delta",
                theorem_8_margin,
                given=(
                    *SETTING,
                    exceeds("n < (floor(d/eps)/Delta) max(1, sqrt((1-phi)/(80 (1-rho))))", whole_size_margin),
                ),
            ),
            defect=None,
            note="Not printed: with the printed phi, and a whole number of points. For eps > d it says nothing.",
        ),
        Step(
            "as-printed",
            Statement(
                "if eps ceil(d/eps) <= 5 d/4, as for eps <= d/4, then for n < (d/(eps Delta)) max(1, sqrt((1-phi)/(80 "
                "(1-rho)))) no epsilon-private mechanism has E|<v^, v_1>| > rho on all databases of n points with "
                "eigengap Delta",
                theorem_8_margin,
                given=(*SETTING, exceeds("eps ceil(d/eps) <= 5 d/4", near_margin, strict=False), PRINTED_SIZE),
            ),
            defect=None,
            note="The sentence of the document, within a range of epsilon.",
        ),
    ),
    uses=("near-optimal.lemma-11", "near-optimal.lemma-12", "near-optimal.definition-3"),
)
