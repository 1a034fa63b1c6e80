"""Definition 2.4 and Theorem 2.5: distributional privacy on a set of databases (section 2)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Condition, Kind, Locator, Statement, Step, Verdict
from dpmatrix.spec.common.conditions import exceeds
from dpmatrix.spec.compression.definitions import event_excess
from dpmatrix.spec.compression.restricted_neighbours import (
    TABLE,
    FiniteMechanism,
    chosen_pairs,
    least_event_slack,
    least_slack,
)


@attrs.frozen
class DensityVersions:
    """Two densities in two versions each, on finitely many outputs with base weights that may be zero.

    Parameters
    ----------
    weights
        Base measure of each output; versions of one density agree wherever it is positive.
    first, second
        Densities of the outputs of X_1 and X_2.
    other_first, other_second
        Other versions of the same two densities.
    exponential
        E = e^alpha.
    """

    weights: tuple[fmpq, ...]
    first: tuple[fmpq, ...]
    second: tuple[fmpq, ...]
    other_first: tuple[fmpq, ...]
    other_second: tuple[fmpq, ...]
    exponential: fmpq


def _laws_keep_alpha(p: DensityVersions) -> bool:
    """Whether P_1(S) <= e^alpha P_2(S) for every event S; the laws are computed from the other versions."""
    first, second = (
        tuple(weight * value for weight, value in zip(p.weights, density, strict=True))
        for density in (p.other_first, p.other_second)
    )
    return event_excess(first, second, p.exponential) <= 0


def almost_every_output_margin(p: DensityVersions) -> arb:
    """0 when (3) for almost all outputs has the answer of the laws, -1 when it does not."""
    rows = zip(p.weights, p.first, p.second, strict=True)
    answer = all(first <= p.exponential * second for weight, first, second in rows if weight > 0)
    return -arb(int(answer != _laws_keep_alpha(p)))


def versions_margin(p: DensityVersions) -> arb:
    """Zero exactly when the versions agree wherever the base measure is positive."""
    rows = zip(p.weights, p.first, p.other_first, p.second, p.other_second, strict=True)
    return -arb(sum(weight * (abs(a - b) + abs(c - d)) for weight, a, b, c, d in rows))


def weights_margin(p: DensityVersions) -> arb:
    """Least weight of the base measure."""
    return arb(min(p.weights))


VERSIONS = (
    Condition("the base measure is not negative", weights_margin),
    Condition("the versions agree wherever the base measure is positive", versions_margin),
)


def distributional_margin(p: FiniteMechanism) -> arb:
    """(3): p <= e^alpha q for every pair of S_n with V <= delta, in any number of rows."""
    return least_slack(p, chosen_pairs(p, p.constraint), p.exponential)


def composed_margin(p: FiniteMechanism) -> arb:
    """Bound p by e^(2 alpha) q for two databases of S_n that are both within delta of a third."""
    near = chosen_pairs(p, p.constraint)
    ends = [(i, j) for i, middle in near for other, j in near if middle == other and i != j]
    return least_slack(p, ends, p.exponential * p.exponential)


def neighbours_in_chosen_margin(p: FiniteMechanism) -> arb:
    """P(S) <= e^alpha Q(S) for every event S and pairs of S_n with d = 1 and V <= delta."""
    return least_event_slack(p, [(i, j) for i, j in chosen_pairs(p, p.constraint) if p.rows_changed[i][j] == 1])


DISTRIBUTIONAL = exceeds("(3) on S_n with delta", distributional_margin, strict=False)

DEFINITION_2_4 = Claim(
    id="compression.definition-2-4",
    kind=Kind.DEFINITION,
    source=Locator(
        "compression", "Definition 2.4", "f_X1(x) <= e^alpha f_X2(x) for all outputs x, all X1, X2 in S_n, V <= delta"
    ),
    statement=Statement(
        "(3) at almost all outputs, for any version of the densities, is P_1(S) <= e^alpha P_2(S) for all events S",
        almost_every_output_margin,
        given=VERSIONS,
    ),
    verdict=Verdict.WELL_POSED,
    because=(
        "Where the base measure is positive the versions of a density agree, and (3) there adds up to every event. A "
        "density is defined up to null sets, so that 'for all outputs' is said of one version, such as the printed "
        "(11) and (14), or of almost all. N(0, Sigma_j) has no density on all of R^(m x p) when Sigma_j is singular, "
        "which Lemma 3.3 is there to exclude. Delta_max is 'specified' and not used. The notion speaks of S_n alone: "
        "with S_n = {X_1} every mechanism has it."
    ),
    reading="Densities with respect to one base measure; (3) for almost all outputs; pairs from S_n with V <= delta.",
    steps=(
        Step(
            "composes",
            Statement(
                "with (alpha, delta) on S_n, two databases within delta of a third one of S_n have a loss of at most 2 "
                "alpha",
                composed_margin,
                given=(TABLE, DISTRIBUTIONAL),
            ),
            defect=None,
            note="It takes a database between that belongs to S_n; V <= 2 delta alone gives nothing.",
        ),
    ),
)

THEOREM_2_5 = Claim(
    id="compression.theorem-2-5",
    kind=Kind.PRIVACY,
    source=Locator(
        "compression", "Theorem 2.5", "(alpha, delta)-distributional privacy on S_n gives (alpha, delta)-DP on S"
    ),
    statement=Statement(
        "(3) on S_n with delta gives P_D(S) <= e^alpha P_E(S) for D, E in S_n with d(D, E) = 1 and V(D, E) <= delta",
        neighbours_in_chosen_margin,
        given=(TABLE, DISTRIBUTIONAL),
    ),
    verdict=Verdict.HOLDS,
    because=(
        "A condition on all pairs of S_n with V <= delta includes the pairs that also have d = 1, and a bound at every "
        "output adds up to one for every event. That is all: a database outside S_n, or a neighbour with V > delta, is "
        "not protected, so it is no protection of all neighbours."
    ),
    reading=(
        "'for all X_j in S' means S_n: Definition 2.3 is asked of the pairs of S_n alone, with the delta that the "
        "proof fixes. Judged on finite tables of laws."
    ),
    steps=(
        Step(
            "necessary",
            Statement(
                "the bound for neighbours of S_n with V <= delta is necessary for distributional privacy",
                neighbours_in_chosen_margin,
                given=(TABLE, DISTRIBUTIONAL),
            ),
            defect=None,
        ),
    ),
)
