"""Definition 2.3: differential privacy for restricted neighbours, on finitely many databases (section 2).

A mechanism with finitely many databases and outputs is a table of probabilities, and the notions of section 2 are
finite comparisons of rationals; what such a table refutes is refuted in general.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Condition, Kind, Locator, Statement, Step, Verdict
from dpmatrix.spec.compression.definitions import event_excess, laws_margin


@attrs.frozen
class FiniteMechanism:
    """Finitely many databases with their outputs' laws, and what the notions of section 2 ask about them.

    Parameters
    ----------
    kernel
        For each database the law of its output.
    rows_changed
        d(D, E), the number of rows in which two databases differ.
    distances
        V(D, E).
    chosen
        Which databases form S_n.
    exponential
        E = e^alpha.
    constraint
        delta.
    """

    kernel: tuple[tuple[fmpq, ...], ...]
    rows_changed: tuple[tuple[int, ...], ...]
    distances: tuple[tuple[fmpq, ...], ...]
    chosen: tuple[bool, ...]
    exponential: fmpq
    constraint: fmpq


def database_pairs(p: FiniteMechanism) -> Iterator[tuple[int, int]]:
    """All ordered pairs of different databases."""
    yield from ((i, j) for i in range(len(p.kernel)) for j in range(len(p.kernel)) if i != j)


def least_slack(p: FiniteMechanism, pairs: list[tuple[int, int]], exponential: fmpq) -> arb:
    """Least ``E q - p`` over pairs of databases and outputs; infinite when there is no pair."""
    slack = [exponential * q - a for i, j in pairs for a, q in zip(p.kernel[i], p.kernel[j], strict=True)]
    return arb(min(slack)) if slack else arb("inf")


def constrained_neighbours(p: FiniteMechanism) -> list[tuple[int, int]]:
    """Pairs with d(D, E) = 1 and V(D, E) <= delta."""
    return [(i, j) for i, j in database_pairs(p) if p.rows_changed[i][j] == 1 and p.distances[i][j] <= p.constraint]


def chosen_pairs(p: FiniteMechanism, constraint: fmpq) -> list[tuple[int, int]]:
    """Pairs of databases of S_n with V(D, E) <= constraint, however many rows they differ in."""
    return [(i, j) for i, j in database_pairs(p) if p.chosen[i] and p.chosen[j] and p.distances[i][j] <= constraint]


def least_event_slack(p: FiniteMechanism, pairs: list[tuple[int, int]]) -> arb:
    """Minus the largest ``P(S) - E Q(S)`` over pairs of databases and events S; infinite when there is no pair."""
    excess = [event_excess(p.kernel[i], p.kernel[j], p.exponential) for i, j in pairs]
    return -arb(max(excess)) if excess else arb("inf")


def constrained_margin(p: FiniteMechanism) -> arb:
    """P(S) <= e^alpha Q(S) for every event S and every constrained pair of neighbours."""
    return least_event_slack(p, constrained_neighbours(p))


def derivative_margin(p: FiniteMechanism) -> arb:
    """(2) as printed: dP/dQ <= e^alpha wherever dP/dQ exists, which is where q > 0."""
    slack = [
        p.exponential * q - a
        for i, j in constrained_neighbours(p)
        for a, q in zip(p.kernel[i], p.kernel[j], strict=True)
        if q > 0
    ]
    return arb(min(slack)) if slack else arb("inf")


def absolutely_continuous_margin(p: FiniteMechanism) -> arb:
    """0 when p = 0 wherever q = 0, for every constrained pair of neighbours; else minus the mass in the way."""
    pairs = constrained_neighbours(p)
    return -arb(sum(a for i, j in pairs for a, q in zip(p.kernel[i], p.kernel[j], strict=True) if not q > 0))


def all_neighbours_margin(p: FiniteMechanism) -> arb:
    """P(S) <= e^alpha Q(S) for every pair with d(D, E) = 1, whatever V is: Definition 2.1."""
    return least_event_slack(p, [(i, j) for i, j in database_pairs(p) if p.rows_changed[i][j] == 1])


def within_constraint_margin(p: FiniteMechanism) -> arb:
    """Least ``delta - V(D, E)`` over the pairs with d(D, E) = 1; infinite when there is none."""
    distances = [p.distances[i][j] for i, j in database_pairs(p) if p.rows_changed[i][j] == 1]
    return arb(p.constraint - max(distances)) if distances else arb("inf")


def table_margin(p: FiniteMechanism) -> arb:
    """Zero or more exactly when every database has a probability law."""
    return laws_margin(p.kernel)


TABLE = Condition("every database has a probability law", table_margin)
PRINTED_2 = Condition("dP/dQ <= e^alpha where it exists, for d(D, E) = 1 and V(D, E) <= delta", derivative_margin)
CONTINUOUS = Condition("P << Q for d(D, E) = 1 and V(D, E) <= delta", absolutely_continuous_margin)

DEFINITION_2_3 = Claim(
    id="compression.definition-2-3",
    kind=Kind.DEFINITION,
    source=Locator(
        "compression", "Definition 2.3", "sup over d(D,E) = 1, V(D,E) <= delta of ess sup dP_D/dP_E <= e^alpha"
    ),
    statement=Statement(
        "(2) gives P_D(S) <= e^alpha P_E(S) for all events S and the pairs that it constrains",
        constrained_margin,
        given=(TABLE, PRINTED_2, CONTINUOUS),
    ),
    verdict=Verdict.WELL_POSED,
    because=(
        "Where q > 0 (2) bounds p by e^alpha q, where q = 0 also p = 0, and sums over S keep that. P << Q goes unsaid, "
        "and matters: were (2) asked only where dP/dQ exists, mutually singular laws would meet it with alpha = 0, "
        "such as the database published in the clear. Section 1 wants every outcome nearly as probable for either "
        "database, so that is not meant.\n\n"
        "V is left open by design; max |Sigma_D - Sigma_E|, which the proofs use, is no metric, since X and OX have "
        "distance 0. By design too (2) asks nothing of neighbours with V above delta: with delta below every V(D, E) "
        "the identity satisfies it with alpha = 0, and with delta above all of them it is Definition 2.1."
    ),
    reading=(
        "A bound on dP/dQ says that dP/dQ exists, P << Q; a pair without it does not meet (2). The essential supremum "
        "is with respect to Q. V(D, E) = max |Sigma_D - Sigma_E|, a pseudometric. The notion is a guarantee about "
        "restricted neighbours, not (eps, delta)-DP. Judged on finite tables of laws, in which d and V are any numbers."
    ),
    steps=(
        Step(
            "a-form-of-differential-privacy",
            Statement(
                "with a delta that no distance of neighbours exceeds, a mechanism that meets (2), P << Q included, "
                "meets P_D(S) <= e^alpha P_E(S) for all D, E that differ in one row, as Definition 2.1 has it",
                all_neighbours_margin,
                given=(
                    TABLE,
                    PRINTED_2,
                    CONTINUOUS,
                    Condition("V(D, E) <= delta for all D, E with d(D, E) = 1", within_constraint_margin),
                ),
            ),
            defect=None,
            note=(
                "Section 1 announces a form of differential privacy with one more parameter; this is the case in which "
                "the parameter asks nothing. A smaller delta protects the pairs within it alone."
            ),
        ),
    ),
)
