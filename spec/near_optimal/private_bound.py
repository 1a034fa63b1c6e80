"""Theorem 8: how many samples every private approximation of the top eigenvector needs (section 4.3)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Condition, Defect, Kind, Locator, Repair, Statement, Verdict
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.common.conditions import below, exceeds, positive, whole
from dpmatrix.spec.near_optimal.packing_number import Lines, packing_share
from dpmatrix.spec.near_optimal.private_bound_proof import PROOF
from dpmatrix.spec.near_optimal.private_bound_setting import printed_complement


@attrs.frozen
class SampleSize:
    """Dimension d, number of records n, epsilon, the eigengap Delta and the expected correlation rho."""

    dimension: int
    records: int
    epsilon: Exact
    gap: Exact
    rho: Exact


def complement(dimension: int) -> arb:
    """``1 - sqrt(1 - E)`` with the printed E = 1 - phi: Lemma 11 in dimension d - 1 has 1 - phi^2 where E stands."""
    printed = printed_complement(dimension)
    return printed / (1 + (1 - printed).sqrt())


def moved_records(p: SampleSize) -> int:
    """``floor(d/eps)``: two databases that differ in so many points are private at distance d at most."""
    return int((p.dimension / rational(p.epsilon)).floor())


def family_loss(p: SampleSize) -> arb:
    """What every private mechanism loses, ``1 - E|<v^, v_1>|``, on one of the databases built for m = floor(d/eps).

    For Delta <= 1/2, so that their points have norm at most 1; from Lemma 12 with 1/8 for 1/16.
    ``(complement/8) m^2/(m^2 + (sqrt((n Delta)^2 - m^2) + n Delta)^2)`` for m <= n Delta, else ``complement/8``.
    """
    moved, scaled = moved_records(p), p.records * rational(p.gap)
    whole_loss = complement(p.dimension) / 8
    if moved > scaled:
        return whole_loss
    root = arb(scaled * scaled - moved * moved).sqrt()
    return whole_loss * moved**2 / (moved**2 + square(root + arb(scaled)))


def net_loss(p: SampleSize) -> arb:
    """What one private mechanism loses at most, on every database: it answers from a net of lines.

    Take lines pairwise at least the angle r apart until none can be added, r = exp(-eps/(d+1)). There are at most
    1/share of them, share the measure of a double cap of radius r/2, and each line is within r of one of them. Publish
    the one next to v_1 with exp(eps) times the probability of each other one.
    """
    radius = (-ball(p.epsilon) / (p.dimension + 1)).exp()
    share = packing_share(Lines(p.dimension, radius.cos()))
    return 1 - radius.cos() / (1 + (1 / share - 1) * (-ball(p.epsilon)).exp())


def theorem_8_margin(p: SampleSize) -> arb:
    """The least loss on the worst database minus ``1 - rho``, by the bound that decides; otherwise undetermined."""
    allowed, needed, enough = arb(1 - rational(p.rho)), family_loss(p), net_loss(p)
    if needed > allowed:
        return needed - allowed
    return enough - allowed if enough < allowed else arb.nan()


def improvement(p: SampleSize) -> arb:
    """``max(1, sqrt((1-phi)/(80 (1-rho))))``."""
    return arb(1).max((printed_complement(p.dimension) / (80 * arb(1 - rational(p.rho)))).sqrt())


def printed_size_margin(p: SampleSize) -> arb:
    """``(d/(eps Delta)) max(1, sqrt((1-phi)/(80 (1-rho)))) - n``."""
    return p.dimension / (ball(p.epsilon) * ball(p.gap)) * improvement(p) - p.records


def whole_size_margin(p: SampleSize) -> arb:
    """``(floor(d/eps)/Delta) max(1, sqrt((1-phi)/(80 (1-rho)))) - n``."""
    return moved_records(p) / ball(p.gap) * improvement(p) - p.records


def rho_margin(p: SampleSize) -> arb:
    """``rho - (1 - (1-phi)/16)``."""
    return printed_complement(p.dimension) / 16 - arb(1 - rational(p.rho))


def gap_margin(p: SampleSize) -> arb:
    """``1/2 - Delta``."""
    return arb(fmpq(1, 2) - rational(p.gap))


SETTING = (
    whole("dimension", 3),
    whole("records", 1),
    positive("epsilon"),
    positive("gap"),
    Condition("Delta <= 1/2", gap_margin, of="gap"),
    below("rho", 1),
    Condition("rho >= 1 - (1-phi)/16", rho_margin),
)

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
        given=(
            *SETTING,
            exceeds("n < (d/(eps Delta)) max(1, sqrt((1-phi)/(80 (1-rho))))", printed_size_margin),
        ),
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.FORMULA,
    headline=(
        "It fails for epsilon much larger than d, as databases differ in whole records; with floor(d/eps) for d/eps "
        "it holds."
    ),
    reading=(
        "Delta > 0, rho < 1; replace-one adjacency; a database has points of norm at most 1. The least loss that a "
        "private mechanism has on its worst database is not computed: it is enclosed between what every mechanism "
        "loses on the databases of the proof and what one mechanism loses on any database, and where neither decides "
        "the statement is undecided."
    ),
    because=(
        "For epsilon > d the databases would have to differ in less than one point, and for epsilon much larger than "
        "d it is false: at d = 3, epsilon = 100, n = 1, Delta = 1/2 and rho = 1 - 1e-9 a mechanism that publishes the"
        " nearest of a net of lines with exp(epsilon) times the weight of the others loses less than 1e-20. "
        "For epsilon between d and there nothing is decided: floor(d/eps) is 0, and the repair says nothing.\n\n"
        "With floor(d/eps) in place of d/eps the theorem holds with its constants, though its proof does not: Lemma 11 "
        "has 1 - phi^2 where the proof has 1 - phi, and at d = 450, 500 and 1000 the packing that it asks for does not "
        "exist. What is lost, a factor of less than 2, is regained in Lemma 12, which holds with 1/8 for 1/16; and "
        "(18) holds with 4 for 5."
    ),
    repair=Repair(
        "floor(d/eps) in place of d/eps",
        Statement(
            "for n < (floor(d/eps)/Delta) max(1, sqrt((1-phi)/(80 (1-rho)))) no epsilon-private mechanism has E|<v^, "
            "v_1>| > rho on all databases of n points with eigengap Delta",
            theorem_8_margin,
            given=(
                *SETTING,
                exceeds("n < (floor(d/eps)/Delta) max(1, sqrt((1-phi)/(80 (1-rho))))", whole_size_margin),
            ),
        ),
    ),
    steps=PROOF,
    uses=("near-optimal.lemma-11", "near-optimal.lemma-12", "near-optimal.definition-3"),
)
