"""Theorem 9: how many samples MOD-SULQ needs (sections 3.4 and 5.2)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Condition, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, Real, ball, rational, square
from dpmatrix.spec.conditions import at_least, at_most, below, equality, exceeds, positive, whole
from dpmatrix.spec.near_optimal.noise import INPUTS, REAL_NOISE, ModSulq, printed_deviation
from dpmatrix.spec.near_optimal.sulq_bound import SETTING, SulqBound, basis_end, bracket, divergence_bound, threshold


@attrs.frozen
class SulqSamples(ModSulq):
    """Inputs of MOD-SULQ, the correlation rho, and the constants c and c' of the theorem."""

    rho: Exact
    small: Exact
    large: Exact


def allowed(p: SulqSamples) -> arb:
    """``1 - rho``."""
    return arb(1 - rational(p.rho))


def proved_loss(p: SulqSamples) -> arb:
    """``((1-phi)/4) bracket^2`` of (21) at ``1 - phi^2 = exp(-8)``, where the bracket is positive; 0 for d = 1.

    For d = 1 the only unit vectors are 1 and -1.
    """
    if p.dimension == 1:
        return arb(0)
    share = arb(-8).exp()
    log_count = 4 * (p.dimension - 1) - arb(8).log()
    part = 1 - threshold(p) / log_count
    return share / (1 + (1 - share).sqrt()) / 4 * square(part) if part > 0 else arb(0)


def theorem_9_margin(p: SulqSamples) -> arb:
    """The loss on the worst data set minus ``1 - rho``: exact for d = 1; else undetermined where it is not proved."""
    margin = proved_loss(p) - allowed(p)
    return margin if p.dimension == 1 or margin > 0 else arb.nan()


def size_margin(p: SulqSamples) -> arb:
    """``c (d^(3/2) sqrt(log(d/delta))/eps) (1 - c' (1-rho)) - n``."""
    scale = arb(p.dimension) ** fmpq(3, 2) * (p.dimension / ball(p.delta)).log().sqrt() / ball(p.epsilon)
    return ball(p.small) * scale * (1 - ball(p.large) * allowed(p)) - p.records


def chosen_phi(p: ModSulq) -> arb:
    """``phi`` with ``log K = 2 (1/beta^2 + log 2)``."""
    return (1 - (-2 * (2 * threshold(p) + arb(8).log()) / (p.dimension - 1)).exp()).sqrt()


def at_chosen(p: ModSulq) -> arb:
    """``sqrt(1-phi) bracket`` at the chosen phi."""
    phi = chosen_phi(p)
    return (1 - phi).sqrt() * bracket(SulqBound(p.dimension, p.records, p.epsilon, p.delta, phi))


def minimum_margin(p: ModSulq) -> arb:
    """The infimum of ``sqrt(1-phi) bracket`` over Phi, which is 0 as phi tends to 1, minus its value as chosen."""
    return 0 - at_chosen(p)


def admissible_margin(p: ModSulq) -> arb:
    """The chosen phi minus ``sqrt(1 - exp(-2 log(8d)/(d-1)))``."""
    return chosen_phi(p) - basis_end(p.dimension)


def quarter_margin(p: ModSulq) -> arb:
    """``2 sqrt(1-phi) bracket = sqrt(1-phi)`` as chosen."""
    return equality(2 * at_chosen(p), (1 - chosen_phi(p)).sqrt())


def ratio(p: ModSulq) -> arb:
    """``1/(beta^2 d)``."""
    return divergence_bound(p) / p.dimension


def rate_margin(p: ModSulq) -> arb:
    """The smaller of ``log(1/sqrt(1-phi^2)) - 2/(beta^2 d)`` and ``11/(beta^2 d) - log(1/sqrt(1-phi^2))``."""
    log = (1 / (1 - square(chosen_phi(p))).sqrt()).log()
    return (log - 2 * ratio(p)).min(11 * ratio(p) - log)


def large_data_margin(p: ModSulq) -> arb:
    """``1/beta^2 - 1``."""
    return divergence_bound(p) - 1


@attrs.frozen
class PhiRate(ModSulq):
    """With a constant k."""

    constant: Exact


def phi_rate_margin(p: PhiRate) -> arb:
    """``phi - k sqrt(1/(beta^2 d))``."""
    return chosen_phi(p) - ball(p.constant) * ratio(p).sqrt()


def noise_margin(p: ModSulq) -> arb:
    """``beta^2 - (1/2) d^2 log(d/delta)/(n eps)^2``."""
    scale = p.dimension / (p.records * ball(p.epsilon))
    return square(printed_deviation(p)) - scale * scale * (p.dimension / ball(p.delta)).log() / 2


@attrs.frozen
class Rearranged:
    """Numbers phi and rho."""

    phi: Real
    rho: Real


def squared_margin(p: Rearranged) -> arb:
    """``phi^2 - (1 - 32 (1-rho))``."""
    return square(ball(p.phi)) - (1 - 32 * (1 - ball(p.rho)))


def linear_margin(p: Rearranged) -> arb:
    """``phi - (1 - 16 (1-rho))``."""
    return ball(p.phi) - (1 - 16 * (1 - ball(p.rho)))


@attrs.frozen
class Root:
    """Numbers x and y."""

    x: Real
    y: Real


def root_margin(p: Root) -> arb:
    """``x - (1 - y)``."""
    return ball(p.x) - (1 - ball(p.y))


def square_root_margin(p: Root) -> arb:
    """``x^2 - (1 - y)``."""
    return square(ball(p.x)) - (1 - ball(p.y))


SAMPLES = (
    REAL_NOISE,
    below("rho", 1),
    exceeds("n < c (d^(3/2) sqrt(log(d/delta))/eps) (1 - c' (1-rho))", size_margin),
)

PROOF = (
    Step(
        "minimum",
        Statement(
            "2 sqrt(1-rho) >= min over Phi of sqrt(1-phi) bracket gives the same for the chosen phi",
            minimum_margin,
            given=SETTING,
        ),
        sound=False,
        note="The minimum is 0. (21) gives the maximum over Phi, from which the chosen phi follows.",
    ),
    Step(
        "admissible",
        Statement("phi with log K = 2 (1/beta^2 + log 2) lies in Phi", admissible_margin, given=SETTING),
        sound=False,
        note="For small n it is below the second end of (22).",
    ),
    Step("quarter", Statement("there 2 sqrt(1-phi) bracket = sqrt(1-phi)", quarter_margin, given=SETTING), sound=True),
    Step(
        "rate",
        Statement(
            "log(1/sqrt(1-phi^2)) is of the order of 1/(beta^2 d): between 2 and 11 times it",
            rate_margin,
            given=(*SETTING, Condition("1/beta^2 >= 1", large_data_margin)),
        ),
        sound=True,
        note="'Large d and n' is read as 1/beta^2 >= 1. For small n the left side stays at 5 log 2/(d-1).",
    ),
    Step(
        "phi-rate",
        Statement(
            "phi is of the order of sqrt(1/(beta^2 d)): at least k times it",
            phi_rate_margin,
            given=(*SETTING, positive("constant")),
        ),
        sound=False,
        note="phi < 1 and the root grows with n. Only the upper half is used: phi^2 <= 22/(beta^2 d).",
    ),
    Step(
        "noise",
        Statement("beta^2 > (1/2) d^2 log(d/delta)/(n eps)^2", noise_margin, given=SETTING, strict=True),
        sound=True,
    ),
    Step(
        "squared",
        Statement(
            "phi >= 1 - 16 (1-rho) gives phi^2 >= 1 - 32 (1-rho)",
            squared_margin,
            given=(at_least("phi", 0), Condition("phi >= 1 - 16 (1-rho)", linear_margin)),
        ),
        sound=True,
        note="So c' is at least 32, and the theorem speaks of rho > 31/32 only.",
    ),
    Step(
        "root",
        Statement(
            "x^2 >= 1 - y gives x >= 1 - y",
            root_margin,
            given=(at_least("x", 0), at_least("y", 0), Condition("x^2 >= 1 - y", square_root_margin)),
        ),
        sound=True,
    ),
)

THEOREM_9 = Claim(
    id="near-optimal.theorem-9",
    kind=Kind.LOWER_BOUND,
    source=Locator(
        "near-optimal",
        "Theorem 9",
        "constants c, c': n < c (d^(3/2) sqrt(log(d/delta))/eps) (1 - c' (1-rho)) implies E|<v^_1, v_1>| <= rho on "
        "some data set",
    ),
    statement=Statement(
        "for n < c (d^(3/2) sqrt(log(d/delta))/eps) (1 - c' (1-rho)) some data set has E|<v^, v>| <= rho",
        theorem_9_margin,
        given=(*INPUTS, positive("small"), positive("large"), *SAMPLES),
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.HYPOTHESIS,
    headline=(
        "It fails for d = 1, where the output is always the top eigenvector; for d >= 2 it holds with c = 1/4 and c' "
        "= 100,000."
    ),
    reading="c > 0 and c' > 0 do not depend on d, n, epsilon, delta and rho < 1; 0 < delta < 1.",
    because=(
        "For d = 1 the output is always the top eigenvector, and for small epsilon some n >= 1 meets the condition, "
        "whatever c and c' are. For d >= 2 it holds with c = 1/4 and c' = 100,000, by (21) at one phi, 1 - phi^2 = "
        "exp(-8). The printed proof takes a minimum for a maximum and a phi that may lie outside Phi; repaired it "
        "gives c' = 32 for large d. With 1 - rho < 1/c' the theorem speaks of correlations near 1 only, and of the "
        "noise (5), of the order of d times what privacy needs, not of input perturbation. Its data set has eigengap 1."
    ),
    repair=Repair(
        "d >= 2, with c = 1/4 and c' = 100,000",
        Statement(
            "for d >= 2, c <= 1/4, c' >= 100,000 and n < c (d^(3/2) sqrt(log(d/delta))/eps) (1 - c' (1-rho)) some data "
            "set has E|<v^, v>| <= rho",
            theorem_9_margin,
            given=(
                whole("dimension", 2),
                *INPUTS[1:],
                positive("small"),
                at_most("small", fmpq(1, 4)),
                at_least("large", 100000),
                *SAMPLES,
            ),
        ),
    ),
    steps=PROOF,
    uses=("near-optimal.theorem-15",),
)
