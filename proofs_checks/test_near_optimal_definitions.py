"""Definitions 1 to 4 of `near-optimal`, the identity after (4), and the example of section 3.3."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.examples import Copies
from dpmatrix.spec.near_optimal.utility import CapturedEnergy, Decomposition, TopEigenvectors
from dpmatrix.spec.wishart.definitions import DataSetPair, EventPoint

definition_1 = cite("near-optimal.definition-1@70c6ef0f")
definition_2 = cite("near-optimal.definition-2@bc859364")
definition_3 = cite("near-optimal.definition-3@c2eb5356")
definition_4 = cite("near-optimal.definition-4@62055399")
utility_identity = cite("near-optimal.utility-identity@2ab90a38")
sensitivity_example = cite("near-optimal.sensitivity-example@b254b85a")


HALF, FIFTH = Fraction(1, 2), Fraction(1, 5)
DISTINCT, GAP = "l_1, ..., l_k distinct", "l_k > l_{k+1}"
SWAPPED = CapturedEnergy((2, 1, 1), (1, 0, 1), 2)
ENERGY = {
    "1 <= k < d": attrs.evolve(SWAPPED, rank=3),
    "l_1 >= ... >= l_d >= 0": attrs.evolve(SWAPPED, eigenvalues=(2, 1, Fraction(11, 10))),
    "0 <= |V'v_i|^2 <= 1": attrs.evolve(SWAPPED, weights=(Fraction(11, 10), 0, Fraction(9, 10))),
    "sum |V'v_i|^2 = k": attrs.evolve(SWAPPED, weights=(1, HALF, 1)),
    "V does not span v_1, ..., v_k": attrs.evolve(SWAPPED, weights=(1, 1, 0)),
}
ENERGIES = [
    CapturedEnergy(
        tuple(Fraction(i + j * k, 3) for j in range(d, 0, -1)), tuple(Fraction(j + i, 9) for j in range(d)), rank
    )
    for d, rank in ((2, 1), (3, 1), (3, 2), (5, 3))
    for i, k in product((0, 1, 4), (1, 2))
]


def bind_condition(statement: Statement, says: str, values, *, strict: bool = False) -> None:
    given = next(given for given in statement.given if given.says == says)
    assert given.strict is strict
    bind(Statement(says, given.margin), values)


def bind_energy(statement: Statement) -> None:
    def captured(p: CapturedEnergy) -> Fraction:
        inside = sum(a * (1 - w) for a, w in list(zip(p.eigenvalues, p.weights, strict=True))[: p.rank])
        return inside - sum(a * w for a, w in list(zip(p.eigenvalues, p.weights, strict=True))[p.rank :])

    bind(statement, [(p, captured(p)) for p in ENERGIES])
    ends = [(p, (*p.eigenvalues, 0)) for p in ENERGIES]
    bind_condition(
        statement,
        "l_1 >= ... >= l_d >= 0",
        [(p, min(values[i] - values[i + 1] for i in range(len(values) - 1))) for p, values in ends],
    )
    bind_condition(statement, "1 <= k < d", [(p, Fraction(min(p.rank, len(p.weights) - p.rank) - 1)) for p in ENERGIES])
    inner = [(p, min(min(w, 1 - w) for w in p.weights)) for p in ENERGIES]
    bind_condition(statement, "0 <= |V'v_i|^2 <= 1", inner)
    bind_condition(statement, "sum |V'v_i|^2 = k", [(p, -abs(sum(p.weights) - p.rank)) for p in ENERGIES])
    left = [(p, sum(p.weights) - sum(p.weights[: p.rank])) for p in ENERGIES]
    bind_condition(statement, "V does not span v_1, ..., v_k", left, strict=True)


@definition_1.refutes(grade="symbolic", region="eigenvalues 2, 1, 1 and k = 2")
def test_distinct_eigenvalues_do_not_determine_the_subspace(statement) -> None:
    assert statement.at(SWAPPED) is Truth.FALSE
    assert statement.strict
    bind_energy(statement)
    bind_hypotheses(statement, SWAPPED, ENERGY | {DISTINCT: attrs.evolve(SWAPPED, eigenvalues=(2, 2, 1))})
    first = [(p, p.eigenvalues[0] - p.eigenvalues[1] if p.rank > 1 else p.eigenvalues[0]) for p in ENERGIES]
    bind_condition(statement, DISTINCT, first, strict=True)
    uneven = attrs.evolve(SWAPPED, eigenvalues=(5, 4, 4, 1), weights=(1, 1, 0, 1), rank=3)
    assert statement.applies(uneven) is Truth.FALSE, "the second and the third agree"


@definition_1.supports_repair(
    grade="derived",
    region="every d, k < d and spectrum: derivation in the docstring, its identity machine-checked for d <= 5",
)
def test_a_gap_determines_the_subspace(statement) -> None:
    """The margin is sum_{i<=k} (l_i - l_k)(1 - w_i) + sum_{i>k} (l_{k+1} - l_i) w_i + Delta_k T, T = sum_{i>k} w_i.

    The first two sums are not negative and Delta_k T > 0; T = 0 says that V'v_i = 0 for i > k.
    """
    for d in range(2, 6):
        values, weights = sympy.symbols(f"l:{d}"), sympy.symbols(f"w:{d}")
        for k in range(1, d):
            last = k - sum(weights[:-1])
            w = [*weights[:-1], last]
            margin = sum(values[:k]) - sum(a * b for a, b in zip(values, w, strict=True))
            terms = sum((values[i] - values[k - 1]) * (1 - w[i]) for i in range(k))
            terms += sum((values[k] - values[i]) * w[i] for i in range(k, d))
            terms += (values[k - 1] - values[k]) * sum(w[k:])
            assert sympy.expand(margin - terms) == 0
    bind_energy(statement)
    assert statement.strict
    inside = attrs.evolve(SWAPPED, eigenvalues=(2, 2, 1))
    moved = {says: attrs.evolve(p, eigenvalues=(2, 2, 1)) for says, p in ENERGY.items()}
    moved["l_1 >= ... >= l_d >= 0"] = attrs.evolve(inside, eigenvalues=(2, Fraction(21, 10), 1))
    assert statement.at(inside) is Truth.TRUE
    bind_hypotheses(statement, inside, moved | {GAP: SWAPPED})
    bind_hypotheses(statement, CapturedEnergy((1, 0), (0, 1), 1), moved | {GAP: SWAPPED})
    bind_condition(
        statement, GAP, [(p, p.eigenvalues[p.rank - 1] - p.eigenvalues[p.rank]) for p in ENERGIES], strict=True
    )


@definition_1.controls("+repair", grade="symbolic", region="2, 1, 1 and k = 2")
def test_without_a_gap_two_subspaces_tie(statement) -> None:
    assert statement.without(GAP).at(SWAPPED) is Truth.FALSE
    unordered = attrs.evolve(SWAPPED, eigenvalues=(2, 1, Fraction(1, 2), 3), weights=(1, 0, 0, 1))
    assert statement.without("l_1 >= ... >= l_d >= 0").at(unordered) is Truth.FALSE


TIE = TopEigenvectors(HALF, HALF, 0, 1)
TOP = {
    "first >= second >= 0, first + second <= 1": TopEigenvectors(HALF, Fraction(3, 5), 1, 0),
    "(cosine, sine) has norm 1": TopEigenvectors(HALF, HALF, 1, FIFTH),
    "(cosine, sine) is a top eigenvector": TopEigenvectors(HALF, FIFTH, 3 * FIFTH, 4 * FIFTH),
}
TOPS = [
    TopEigenvectors(Fraction(i, 10), Fraction(j, 10), Fraction(k, 5), Fraction(i - k, 7))
    for i, j, k in product((2, 5, 9), (1, 2, 4), (-4, 0, 3))
]


def bind_top(statement: Statement) -> None:
    bind(statement, [(p, -abs(1 - abs(p.cosine))) for p in TOPS])
    assert not statement.strict
    spectrum = [(p, min(p.first - p.second, p.second, 1 - p.first - p.second)) for p in TOPS]
    bind_condition(statement, "first >= second >= 0, first + second <= 1", spectrum)
    bind_condition(statement, "(cosine, sine) has norm 1", [(p, -abs(p.cosine**2 + p.sine**2 - 1)) for p in TOPS])
    vector = [(p, -abs((p.first - p.second) * p.sine)) for p in TOPS]
    bind_condition(statement, "(cosine, sine) is a top eigenvector", vector)


@definition_2.refutes(grade="symbolic", region="records e1 and e2: A = I/2")
def test_without_an_eigengap_closeness_has_two_values(statement) -> None:
    assert statement.at(TIE) is Truth.FALSE
    bind_top(statement)
    bind_hypotheses(statement, TIE, TOP)


@definition_2.supports_repair(
    grade="derived", region="every A with an eigengap: the docstring; its equations solved for a gap of 1/2"
)
def test_an_eigengap_makes_closeness_well_defined(statement) -> None:
    """(second - first) sine = 0 with first > second gives sine = 0, so cosine^2 = 1 and |cosine| = 1."""
    cosine, sine, gap = sympy.symbols("cosine sine gap", real=True)
    assert sympy.solve([gap * sine, cosine**2 + sine**2 - 1, gap - HALF], [cosine, sine, gap]) == [
        (-1, 0, HALF),
        (1, 0, HALF),
    ]
    bind_top(statement)
    unit = TopEigenvectors(HALF, 0, -1, 0)
    assert statement.at(unit) is Truth.TRUE
    bind_hypotheses(statement, unit, TOP | {"first > second": TIE})
    bind_condition(statement, "first > second", [(p, p.first - p.second) for p in TOPS], strict=True)


@definition_2.controls("+repair", grade="symbolic", region="A = I/2")
def test_the_eigengap_is_needed(statement) -> None:
    assert statement.without("first > second").at(TIE) is Truth.FALSE


ZERO, HALVES = fmpq_mat(2, 1, [0, 0]), fmpq_mat(2, 1, [fmpq(1, 2), fmpq(1, 2)])
TWO_COLUMNS = DataSetPair(fmpq_mat(1, 2, [0, 0]), fmpq_mat(1, 2, [1, 1]))


@definition_3.refutes(grade="symbolic", region="d = 2, n = 1: (0,0) and (1/2,1/2)")
def test_a_single_entry_has_two_readings(statement) -> None:
    assert statement.at(DataSetPair(ZERO, HALVES)) is Truth.FALSE
    assert statement.at(DataSetPair(ZERO, fmpq_mat(2, 1, [0, 1]))) is Truth.TRUE
    assert statement.given == ()


@definition_3.supports_repair(
    grade="derived",
    region="every data set with d, n <= 3, symbolically; every d, n, as XX' is the sum over its columns",
)
def test_one_column_changes_two_outer_products(statement) -> None:
    for d, n in product((1, 2, 3), repeat=2):
        left, right = (sympy.MatrixSymbol(name, d, n).as_explicit().as_mutable() for name in "XY")
        other = left.copy()
        other[:, n - 1] = right[:, n - 1]
        outer = left[:, n - 1] * left[:, n - 1].T - right[:, n - 1] * right[:, n - 1].T
        assert (left * left.T - other * other.T - outer).expand() == sympy.zeros(d, d)
    for k in range(1, 25):
        data = fmpq_mat(3, 2, [fmpq(i * k % 7, 5) for i in range(6)])
        other = fmpq_mat(3, 2, [data[i, j] if j == 0 else fmpq(k, 9) + i for i in range(3) for j in range(2)])
        assert statement.at(DataSetPair(data, other)) is Truth.TRUE
    bind_hypotheses(statement, DataSetPair(ZERO, HALVES), {"exactly one column differs": TWO_COLUMNS})
    assert not statement.strict


@definition_3.controls("+repair", grade="symbolic", region="two columns differ")
def test_two_replaced_records_are_noticed(statement) -> None:
    assert statement.without("exactly one column differs").at(TWO_COLUMNS) is Truth.FALSE


def events() -> list[EventPoint]:
    laws = [(fmpq(1, 2), fmpq(1, 3), fmpq(1, 6)), (fmpq(0), fmpq(1, 4), fmpq(3, 4)), (fmpq(1), fmpq(0), fmpq(0))]
    return [
        EventPoint(first, second, event, exponential, fmpq(0))
        for first, second in product(laws, repeat=2)
        for event in product((False, True), repeat=3)
        for exponential in (fmpq(1), fmpq(3, 2), fmpq(2), fmpq(4))
    ]


@definition_3.supports("ratio", grade="derived", region="every P(S), Q(S): the docstring; 288 events exactly")
def test_ratio_and_product_agree(statement) -> None:
    """For Q(S) > 0 multiply by it. For Q(S) = 0: the ratio is at most E only if P(S) = 0, and so is the product."""
    for point in events():
        assert statement.at(point) is Truth.TRUE
    nowhere = EventPoint((fmpq(1),), (fmpq(1),), (False,), fmpq(1, 2), fmpq(0))
    assert statement.conclusion(nowhere) is Truth.FALSE, "0/0 = 1 exceeds E = 1/2"
    assert statement.margin(nowhere) == -1
    everywhere = EventPoint((fmpq(1),), (fmpq(1),), (True,), fmpq(1, 2), fmpq(0))
    assert statement.conclusion(everywhere) is Truth.TRUE, "1 <= 1/2 fails in both forms"
    bind_hypotheses(statement, events()[0], {"exponential >= 1": attrs.evolve(nowhere, exponential=fmpq(19, 20))})
    assert not statement.strict


CERTAIN = EventPoint((fmpq(1),), (fmpq(0),), (True,), fmpq(2), fmpq(1))
BEST = EventPoint((fmpq(3, 4), fmpq(1, 4)), (fmpq(1, 4), fmpq(3, 4)), (True, False), fmpq(1), fmpq(0))


def excess(point: EventPoint) -> fmpq:
    terms = zip(point.first, point.second, point.event, strict=True)
    return sum((a - point.exponential * b for a, b, inside in terms if inside), fmpq(0))


@definition_4.refutes(grade="symbolic", region="one outcome, S empty, delta = -1/10")
def test_no_algorithm_has_a_negative_delta(statement) -> None:
    assert statement.at(EventPoint((fmpq(1),), (fmpq(1),), (False,), fmpq(2), fmpq(-1, 10))) is Truth.FALSE
    assert statement.at(CERTAIN) is Truth.TRUE, "at delta = 1 even full disclosure qualifies"
    bind(statement, [(point, point.delta - excess(point)) for point in events()])
    assert statement.given == ()
    assert not statement.strict


@definition_4.supports_repair(
    grade="derived", region="every finite pair of laws and event, outcome by outcome; 288 events bound"
)
def test_no_event_exceeds_the_hockey_stick_divergence(statement) -> None:
    """Outcome by outcome max(0, x) - x = max(0, -x) and max(0, x) are not negative."""
    x = sympy.symbols("x", real=True)
    assert sympy.expand((sympy.Max(0, x) - x - sympy.Max(0, -x)).rewrite(sympy.Abs)) == 0

    def whole(point: EventPoint) -> fmpq:
        return sum(
            (max(a - point.exponential * b, fmpq(0)) for a, b in zip(point.first, point.second, strict=True)), fmpq(0)
        )

    bind(statement, [(point, whole(point) - excess(point)) for point in events()])
    assert statement.at(BEST) is Truth.TRUE, "attained"
    assert not statement.strict
    outside = {"delta >= 0": attrs.evolve(BEST, delta=fmpq(-1, 20)), "delta < 1": attrs.evolve(BEST, delta=fmpq(1))}
    bind_hypotheses(statement, BEST, outside)


@definition_4.controls("+repair", grade="symbolic", region="two outcomes: the margin lower by 1/20")
def test_less_than_the_divergence_is_noticed(statement) -> None:
    assert statement.nudged(lambda margin: margin - arb(1) / 20).at(BEST) is Truth.FALSE


ROTATION = fmpq_mat(2, 2, [fmpq(3, 5), fmpq(-4, 5), fmpq(4, 5), fmpq(3, 5)])
ROTATED = Decomposition(ROTATION, (2, 1), (1, 0))


def decompositions() -> list[Decomposition]:
    big = fmpq_mat(3, 3, [fmpq(k, 3) for k in (1, 2, 2, 2, 1, -2, 2, -2, 1)])
    two = [Decomposition(ROTATION, (i, Fraction(1, j)), (Fraction(i, 7), j)) for i in range(1, 5) for j in range(1, 5)]
    return two + [Decomposition(big, (3, Fraction(i, 2), -1), (i, Fraction(1, 3), 1 - i)) for i in range(10)]


@utility_identity.supports(
    grade="derived",
    region="every d: v'V diag(l) V'v is the sum of l_i (V'v)_i^2; expanded for d <= 3, exact at 26 rational bases",
)
def test_energy_of_a_vector_in_the_basis_of_eigenvectors(statement) -> None:
    for d in (1, 2, 3):
        V, v = (sympy.MatrixSymbol(name, d, cols).as_explicit() for name, cols in (("V", d), ("v", 1)))
        values = sympy.symbols(f"l:{d}")
        energy = (v.T * V * sympy.diag(*values) * V.T * v)[0, 0]
        parts = values[0] * v.dot(V[:, 0]) ** 2 + sum(values[i] * v.dot(V[:, i]) ** 2 for i in range(1, d))
        assert sympy.expand(energy - parts) == 0
    for point in decompositions():
        assert statement.at(point) is Truth.TRUE
    bind(statement, [(point, Fraction(0)) for point in decompositions()])
    stretched = attrs.evolve(ROTATED, vectors=ROTATION * fmpq(21, 20))
    bind_hypotheses(statement, ROTATED, {"V is orthogonal": stretched})
    assert not statement.strict
    given = statement.given[0]
    bent = [fmpq_mat(2, 2, [1, fmpq(k, 30), 0, 1]) for k in range(1, 25)]
    sheared = [(attrs.evolve(ROTATED, vectors=matrix), -fmpq(k, 30)) for k, matrix in enumerate(bent, start=1)]
    bind(Statement(given.says, given.margin), sheared)
    assert not given.strict


@utility_identity.controls(grade="symbolic", region="d = 2, one rotated basis")
def test_a_missing_term_is_noticed(statement) -> None:
    """Without the second term the identity is off by l_2 <v, v_2>^2 = 16/25."""
    assert statement.nudged(lambda margin: margin - arb(fmpq(16, 25))).at(ROTATED) is Truth.FALSE
    assert statement.at(ROTATED) is Truth.TRUE


TILTED = Copies(3, (3 * FIFTH, 4 * FIFTH), (4 * FIFTH, -3 * FIFTH))
COPIES = {
    "copies >= 0, an integer": attrs.evolve(TILTED, copies=-1),
    "|u| = |u'| = 1": attrs.evolve(TILTED, u=(0, 0)),
    "<u, u'> = 0": attrs.evolve(TILTED, other=(1, 0)),
}


@sensitivity_example.supports(
    grade="derived", region="every n = 2m + 1, d and pair u, u': the docstring; 24 pairs of data sets exactly"
)
def test_one_record_turns_the_top_eigenvector_by_a_right_angle(statement) -> None:
    """A u = ((m+1) u <u,u> + m u' <u',u>)/n = (m+1)/n u; the trace is 1, so the others sum to m/n; |u -+ u'|^2 = 2."""
    m, a, b, s = sympy.symbols("m a b s")
    n = 2 * m + 1
    along, across = (m + 1) * a / n, m * s / n
    assert sympy.simplify((along - (m + 1) / n).subs(a, 1)) == 0
    assert across.subs(s, 0) == 0
    gap = 2 * (m + 1) / n - ((m + 1) * a + m * b) / n
    assert sympy.simplify(gap.subs({a: 1, b: 1}) - 1 / n) == 0
    assert [(a + b + sign * 2 * s).subs({a: 1, b: 1, s: 0}) for sign in (1, -1)] == [2, 2]
    for copies in range(12):
        for u, other in ((TILTED.u, TILTED.other), ((0, 1, 0), (0, 0, -1))):
            assert statement.at(Copies(copies, u, other)) is Truth.TRUE
    bind(statement, [(attrs.evolve(TILTED, copies=k), Fraction(0)) for k in range(20)])
    bind_hypotheses(statement, attrs.evolve(TILTED, copies=0), COPIES)
    bind_hypotheses(statement, TILTED, COPIES | {"|u| = |u'| = 1": attrs.evolve(TILTED, other=(0, 0))})
    assert not statement.strict
    scaled = [(attrs.evolve(TILTED, u=(Fraction(k, 9), 0)), -abs(Fraction(k, 9) ** 2 - 1)) for k in range(25)]
    bind_condition(statement, "|u| = |u'| = 1", scaled)
    turned = [(attrs.evolve(TILTED, u=(Fraction(k, 9), 0)), -Fraction(4 * k, 45)) for k in range(25)]
    bind_condition(statement, "<u, u'> = 0", turned)


def departure(p: Copies) -> sympy.Rational:
    """Compute the margin with matrices: the trace of A exceeds twice its eigenvalue at u, and the other departures."""
    m, n = p.copies, 2 * p.copies + 1
    u, other = (sympy.Matrix([sympy.Rational(x) for x in vector]) for vector in (p.u, p.other))
    first = ((m + 1) * u * u.T + m * other * other.T) / n
    second = (m * u * u.T + (m + 1) * other * other.T) / n
    top = sympy.Rational(m + 1, n)
    errors = [*(first * u - top * u), *(second * other - top * other)]
    errors += [(u - other).dot(u - other) - 2, (u + other).dot(u + other) - 2]
    return min(-max(map(abs, errors)), 2 * top - first.trace() - sympy.Rational(1, n))


@sensitivity_example.controls(grade="symbolic", region="pairs that are not orthonormal")
def test_other_pairs_are_noticed(statement) -> None:
    """At u = (1, 0), u' = (3/5, 4/5), m = 0 the squared length of the sum is 16/5, not 2."""
    sharp = statement.without("<u, u'> = 0")
    assert sharp.at(Copies(0, (1, 0), (3 * FIFTH, 4 * FIFTH))) is Truth.FALSE
    points = [
        Copies(m, (Fraction(i, 3), Fraction(1, 2)), (Fraction(j, 5), Fraction(-i, 7)))
        for m, i, j in product((0, 1, 4), (-2, 1, 3), (-3, 2, 5))
    ]
    bind(statement, [(p, departure(p)) for p in points])
    assert statement.nudged(lambda margin: margin - arb(1) / 100).at(TILTED) is Truth.FALSE
    free = statement.without("|u| = |u'| = 1")
    assert free.at(attrs.evolve(TILTED, u=(6 * FIFTH, 8 * FIFTH))) is Truth.FALSE
