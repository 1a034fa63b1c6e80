"""`wishart.theorem-7`: a proof for every rho, the sign that refutes the printed form, and the printed proof."""

from __future__ import annotations

import random
from fractions import Fraction

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real, real_matrix
from dpmatrix.exact import ball, rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import frobenius_norm, projector_difference, trace
from dpmatrix.spec.wishart.closeness_proof import (
    TopVectorRun,
    sample_size,
    scale_eigenvalue,
    tail_factor,
    tail_parameter,
)
from dpmatrix.spec.wishart.wishart_tail import WishartTail, printed_threshold
from proofs_checks.exact_matrices import conjugated, diagonal, rotation

theorem_7 = cite("wishart.theorem-7@bc303e85")

ENTRIES = random.Random(20160214)
EVERY_D = "every d >= 2, A, W >= 0 and choice of eigenvectors, by the docstring's derivation; "


@attrs.frozen
class Numbers:
    """The quantities of the theorem at 60 digits, computed without the specification."""

    d: int
    n: int
    epsilon: mpmath.mpf
    rho: mpmath.mpf
    eta: mpmath.mpf
    gap: mpmath.mpf
    noise: mpmath.mpf
    cosine: mpmath.mpf
    frobenius: mpmath.mpf

    @property
    def tail(self) -> mpmath.mpf:
        """Factor ``d + 1 + sqrt(2 (d+1)(d+2) log(d/eta)) + 2 d log(d/eta)``."""
        theta = mpmath.log(self.d / self.eta)
        return self.d + 1 + mpmath.sqrt(2 * (self.d + 1) * (self.d + 2) * theta) + 2 * self.d * theta

    @property
    def enough(self) -> mpmath.mpf:
        """The printed sample size."""
        return 3 * self.tail / (2 * self.epsilon * (1 - self.rho**2) * self.gap)


def numbers(p: TopVectorRun) -> Numbers:
    frame, other = real_matrix(p.frame), real_matrix(p.perturbed_frame)
    values = [real(x) for x in p.values]
    change = (
        other * mpmath.diag([real(x) for x in p.perturbed_values]) * other.T - frame * mpmath.diag(values) * frame.T
    )
    difference = frame[:, 0] * frame[:, 0].T - other[:, 0] * other[:, 0].T
    return Numbers(
        len(values),
        p.records,
        real(p.epsilon),
        real(p.rho),
        real(p.eta),
        values[0] - values[1],
        max(mpmath.svd_r(change, compute_uv=False)),
        sum(frame[i, 0] * other[i, 0] for i in range(len(values))),
        mpmath.sqrt(sum(x**2 for x in difference)),
    )


def drawn_runs() -> list[TopVectorRun]:
    """Draw runs inside the hypotheses: a small turn, a shift that makes W >= 0, the least n that is enough."""
    runs = []
    for number in range(24):
        d = 2 + number % 3
        values = (ENTRIES.randint(10, 12), *sorted((ENTRIES.randint(0, 2) for _ in range(d - 1)), reverse=True))
        frame = rotation(ENTRIES, d, 3)
        turned = frame * rotation(ENTRIES, d, 800)
        size = sum(float(x) ** 2 for x in (conjugated(values, turned) - conjugated(values, frame)).entries()) ** 0.5
        shift = Fraction(int(64 * size) + 1, 64)
        if number % 2:
            turned = turned * diagonal([-1] + [1] * (d - 1))
        rho, eta = Fraction(ENTRIES.randint(71, 80), 100), Fraction(1, ENTRIES.choice((3, 10, 1000)))
        perturbed = tuple(value + shift for value in values)
        run = TopVectorRun(values, frame, perturbed, turned, 1, 1, Fraction(1, ENTRIES.randint(10, 99)), rho, eta)
        runs.append(attrs.evolve(run, records=int(mpmath.ceil(numbers(run).enough))))
    return runs


with mpmath.workdps(60):
    RUNS = drawn_runs()


def bind_numbers(statement, formula) -> None:
    """Bind a formula in `Numbers` at runs that meet the hypotheses, of either sign."""
    bind_formula(statement, RUNS, lambda run: formula(numbers(run)))


ONE = diagonal([1, 1])
TURN = fmpq_mat([[fmpq(3, 5), fmpq(-4, 5)], [fmpq(4, 5), fmpq(3, 5)]])
SHIFTED = TopVectorRun(
    (1, 0), ONE, (Fraction(11, 10), Fraction(1, 10)), ONE, 1, 100, 1, Fraction(3, 4), Fraction(1, 10)
)
"""A = diag(1, 0), W = I/10, n = 100 where 80.4 are enough; the bound of Lemma 1 is 0.35."""
REVERSED = attrs.evolve(SHIFTED, perturbed_frame=diagonal([-1, 1]))
TURNED = TopVectorRun((1, 0), ONE, (3, 2), TURN, 1, 100, 1, Fraction(3, 4), Fraction(1, 10))
"""A turn by 53 degrees, with noise of norm 2.8."""


EXACT = attrs.evolve(SHIFTED, records=3, eta=2, perturbed_values=(Fraction(5, 2), Fraction(3, 2)))
"""Outside the hypotheses: theta = 0, the tail factor is 3, lambda_1(C) = 1/2 and ||W|| = 3/2, all without rounding."""
ENOUGH_EXACTLY = attrs.evolve(EXACT, records=6, rho=Fraction(1, 2))
"""The same with rho = 1/2, where 6 records are the printed sample size."""
WIDE = diagonal([1, 1, 1])
LINE = diagonal([1])
SWAP = fmpq_mat([[0, 1], [1, 0]])
SECOND_OF_THREE = attrs.evolve(
    SHIFTED,
    values=(1, 1, 0),
    frame=WIDE,
    perturbed_values=(Fraction(11, 10), Fraction(11, 10), Fraction(1, 10)),
    perturbed_frame=fmpq_mat([[0, 1, 0], [0, 0, 1], [1, 0, 0]]),
    k=2,
    records=200,
)
"""A turn of the first vector by a right angle that costs no noise: k = 2, or eigenvalues out of order."""
TOP = {
    "k = 1": attrs.evolve(SECOND_OF_THREE, perturbed_frame=fmpq_mat([[0, 1, 0], [1, 0, 0], [0, 0, 1]])),
    "the eigenvectors are orthonormal": attrs.evolve(
        SHIFTED, perturbed_values=(Fraction(22, 5), Fraction(1, 10)), perturbed_frame=diagonal([Fraction(1, 2), 1])
    ),
}
GAP_OF_TOP = {
    "lambda_1 > lambda_2": attrs.evolve(SHIFTED, values=(1, 1), perturbed_values=(1, 1), perturbed_frame=SWAP),
}
NOISY_TOP = (
    TOP
    | GAP_OF_TOP
    | {
        "k < d": TopVectorRun((1,), LINE, (1,), LINE, 1, 100, 1, Fraction(3, 4), Fraction(1, 10)),
        "the eigenvalues are in decreasing order": attrs.evolve(SECOND_OF_THREE, values=(1, 0, 1), k=1),
        "W is positive semidefinite": attrs.evolve(
            SHIFTED,
            perturbed_values=(Fraction(3, 5), Fraction(2, 5)),
            perturbed_frame=SWAP,
            records=40,
            rho=Fraction(1, 4),
        ),
    }
)
SEMIDEFINITE = {"A is positive semidefinite": attrs.evolve(SHIFTED, values=(1, Fraction(-1, 99)))}
PARAMETERS = {
    "records >= 1, an integer": attrs.evolve(SHIFTED, records=0),
    "epsilon > 0": attrs.evolve(SHIFTED, epsilon=0),
    "eta > 0": attrs.evolve(SHIFTED, eta=0),
    "eta < 1": attrs.evolve(SHIFTED, eta=1),
}
RHO = {"rho >= sqrt(2)/2": attrs.evolve(SHIFTED, rho=-2), "rho < 1": attrs.evolve(SHIFTED, rho=2)}
NOT_ONE = {"rho < 1": attrs.evolve(SHIFTED, rho=1)}
ENOUGH = (
    "n >= 3 (d + 1 + sqrt(2 (d+1)(d+2) log(d/eta)) + 2 d log(d/eta)) / (2 epsilon (1 - rho^2)(lambda_1 - lambda_2))"
)
EVENT = "||W||_2 is at most the bound of Lemma 1 for theta = log(d/eta)"
SAMPLE_SIZE = {ENOUGH: attrs.evolve(TURNED, records=12)}
TAIL_EVENT = {EVENT: TURNED}
GAP = {"sigma_k - sigma_{k+1} >= 2 ||W||_2": TURNED}


def hypothesis(statement, says: str):
    return next(condition for condition in statement.given if condition.says == says)


def bind_names(statement, *groups: dict[str, TopVectorRun]) -> None:
    """Check that the hypotheses are exactly those of the groups, and that each excludes its run."""
    bind_hypotheses(statement, SHIFTED, {name: run for group in groups for name, run in group.items()})


def check_equality(statement) -> None:
    """'At most the bound' and 'n at least' include equality: 3 (1/2) = 3/2, and 9/(2 (1 - 1/4)) = 6 records."""
    assert hypothesis(statement, EVENT).at(EXACT) is Truth.TRUE
    for records, truth in ((6, Truth.TRUE), (5, Truth.FALSE)):
        assert hypothesis(statement, ENOUGH).at(attrs.evolve(ENOUGH_EXACTLY, records=records)) is truth


@theorem_7.refutes(grade="interval", region="d = 2, W = I/10, the other sign of the eigenvector")
def test_printed_theorem_fails_for_one_sign(statement) -> None:
    """vhat_1 = -e1 is as much a top eigenvector of diag(1, 0) + I/10 as e1; 80.4 records are enough, there are 100."""
    assert statement.at(REVERSED) is Truth.FALSE
    assert statement.at(SHIFTED) is Truth.TRUE
    assert abs(sample_size(REVERSED) - arb("80.4")) < arb("0.05")
    bind_numbers(statement, lambda n: n.cosine - n.rho)
    assert statement.conclusion(attrs.evolve(TURNED, rho=Fraction(3, 5))) is Truth.TRUE, "equality"
    bind_names(statement, NOISY_TOP, SEMIDEFINITE, PARAMETERS, RHO, SAMPLE_SIZE, TAIL_EVENT)
    check_equality(statement)
    quiet = attrs.evolve(SHIFTED, records=1000, perturbed_values=(Fraction(101, 100), Fraction(1, 100)))
    for bound, truth in ((707, Truth.FALSE), (708, Truth.TRUE)):
        assert statement.applies(attrs.evolve(quiet, rho=Fraction(bound, 1000))) is truth, "sqrt(2)/2 is 0.7071"


@theorem_7.supports_repair(
    grade="derived",
    region=EVERY_D
    + "the sum machine-checked for d <= 6, the chain exactly at 24 runs; the event's probability is Lemma 1",
)
def test_repaired_theorem(statement) -> None:
    """Derivation, for every d >= 2; c = <v_1, vhat_1>, g the gap, K the factor of Lemma 1 and w = ||W||_2.

    With c_i = <v_i, vhat_1> and sum c_i^2 = 1: lambda_1 - vhat'A vhat - g(1 - c^2) = sum_{i>=2} (lambda_2 - lambda_i)
    c_i^2 >= 0 (1). As vhat maximises the form of A + W, vhat'(A + W) vhat >= lambda_1 + v_1'W v_1 (2), so g(1 - c^2)
    <= vhat'W vhat - v_1'W v_1 <= w, because W >= 0 (3). On the event w <= 3K/(2 n epsilon), and n >= 3K/(2 epsilon (1
    - rho^2) g) makes that at most (1 - rho^2) g (4). So c^2 >= rho^2. Lemma 1 with m = d + 1, C = 3/(2 n epsilon) I,
    hence r = d, and theta = log(d/eta) says that the event fails with probability at most d exp(-theta) = eta (5).
    """
    for d in range(2, 7):
        values, squares = sympy.symbols(f"l1:{d + 1}"), list(sympy.symbols(f"c2:{d + 1}"))
        first = 1 - sum(squares)
        form = values[0] * first + sum(x * c for x, c in zip(values[1:], squares, strict=True))
        rest = sum((values[1] - x) * c for x, c in zip(values[1:], squares, strict=True))
        assert sympy.expand(values[0] - form - (values[0] - values[1]) * (1 - first) - rest) == 0, "(1)"
    K, n, epsilon, rho, g = sympy.symbols("K n epsilon rho g", positive=True)
    enough = 3 * K / (2 * epsilon * (1 - rho**2) * g)
    assert sympy.simplify((3 * K / (2 * n * epsilon)).subs(n, enough) - (1 - rho**2) * g) == 0, "(4)"
    for run in RUNS:
        assert statement.at(run) is Truth.TRUE
        noisy, plain = conjugated(run.perturbed_values, run.perturbed_frame), conjugated(run.values, run.frame)
        top, turned = (fmpq_mat([row[:1] for row in frame.tolist()]) for frame in (run.frame, run.perturbed_frame))
        cosine = (top.transpose() * turned)[0, 0]
        forms = [(turned.transpose() * m * turned)[0, 0] - (top.transpose() * m * top)[0, 0] for m in (plain, noisy)]
        gap = rational(run.values[0]) - rational(run.values[1])
        assert -forms[0] >= gap * (1 - cosine * cosine), "(1)"
        assert forms[1] >= 0, "(2)"
        assert gap * (1 - cosine * cosine) <= forms[1] - forms[0], "(3)"
        d = len(run.values)
        scale = ball(scale_eigenvalue(run))
        lemma = printed_threshold(WishartTail((scale,) * d, d + 1, tail_parameter(run)))
        assert lemma.overlaps(tail_factor(run) * scale), "(5): the bound of Lemma 1 is the one used here"
        assert (lemma - tail_factor(run) * scale).rad() < 2**-20
    bind_numbers(statement, lambda n: abs(n.cosine) - n.rho)
    bind_names(statement, NOISY_TOP, PARAMETERS, NOT_ONE, SAMPLE_SIZE, TAIL_EVENT)


@theorem_7.controls("+repair", grade="interval", region="d = 2, a turn by 53 degrees and its noise")
def test_repaired_theorem_needs_its_hypotheses(statement) -> None:
    """Noise outside the event, or too few records with the same noise inside it, turns the eigenvector too far."""
    assert statement.without(EVENT).at(TURNED) is Truth.FALSE
    assert statement.without(ENOUGH).at(attrs.evolve(TURNED, records=12)) is Truth.FALSE
    assert statement.conclusion(attrs.evolve(TURNED, rho=Fraction(3, 5))) is Truth.TRUE, "equality"
    check_equality(statement)
    for run, truth in (
        (attrs.evolve(SHIFTED, records=81), Truth.TRUE),
        (attrs.evolve(SHIFTED, records=80), Truth.FALSE),
    ):
        assert statement.applies(run) is truth, "80.4 records are enough"
    for shift, truth in ((Fraction(34, 100), Truth.TRUE), (Fraction(37, 100), Truth.FALSE)):
        run = attrs.evolve(SHIFTED, perturbed_values=(1 + shift, shift))
        assert statement.applies(run) is truth, "the bound of Lemma 1 is 0.35"
    for bound in (Fraction(708, 1000), Fraction(9, 10)):
        run = attrs.evolve(SHIFTED, rho=bound, records=1000, perturbed_values=(Fraction(101, 100), Fraction(1, 100)))
        assert statement.applies(run) is Truth.TRUE


@theorem_7.refutes("frobenius-is-trace", grade="interval", region="d = 2, a turn by 53 degrees")
def test_norm_is_not_its_square(statement) -> None:
    """For cos = 3/5 the trace is 2 - 18/25 = 32/25, the norm its root, 1.13."""
    assert statement.at(TURNED) is Truth.FALSE
    assert statement.at(SHIFTED) is Truth.TRUE, "0 is its own square"
    difference = projector_difference(TURNED)
    assert trace(difference * difference.transpose()) == fmpq(32, 25)
    assert abs(frobenius_norm(difference) - arb("1.13")) < arb("0.005")
    bind_names(statement, TOP)
    bind_numbers(statement, lambda n: -abs(n.frobenius - n.frobenius**2))


@theorem_7.supports("trace-value", grade="derived", region="every d: expansion in the docstring; exactly at 24 runs")
def test_trace_value(statement) -> None:
    """tr[(vv' - ww')^2] = |v|^4 + |w|^4 - 2 <v, w>^2, by the cyclic property; both norms are 1."""
    v, w = sympy.symbols("v1:5"), sympy.symbols("w1:5")
    difference = sympy.Matrix(4, 4, lambda i, j: v[i] * v[j] - w[i] * w[j])
    inner = sum(x * y for x, y in zip(v, w, strict=True))
    norms = sum(x**2 for x in v) ** 2 + sum(x**2 for x in w) ** 2
    assert sympy.expand((difference * difference).trace() - norms + 2 * inner**2) == 0
    for run in RUNS:
        assert statement.at(run) is Truth.TRUE
    assert statement.margin(attrs.evolve(SHIFTED, frame=ONE + ONE)) == -15, "tr (3 e1 e1')^2 = 9, and 2 - 2 (2^2) = -6"
    bind_names(statement, TOP)
    bind_numbers(statement, lambda n: n.gap - n.gap)


@theorem_7.supports(
    "twice-squared-sine",
    grade="derived",
    region=EVERY_D + "its sum is machine-checked in the proof of the repaired theorem",
)
def test_twice_sine(statement) -> None:
    """2 - 2c^2 = 2 sin^2 <= 2w/g, which is twice (3) in the proof of the repaired theorem."""
    for run in [*RUNS, TURNED]:
        assert statement.at(run) is Truth.TRUE
    assert statement.conclusion(attrs.evolve(SHIFTED, perturbed_values=(1, 0))) is Truth.TRUE, "equality"
    bind_names(statement, NOISY_TOP)
    bind_numbers(statement, lambda n: 2 * n.noise / n.gap - (2 - 2 * n.cosine**2))


@theorem_7.supports(
    "last-term-at-most-one", grade="derived", region="every gap g and norm w with g >= 2w: the margin is (g - 2w)/g"
)
def test_last_term(statement) -> None:
    """1 - 2w/g = (g - 2w)/g, and g >= 2w is a hypothesis."""
    w, g = sympy.symbols("w g", positive=True)
    assert sympy.simplify(1 - 2 * w / g - (g - 2 * w) / g) == 0
    assert statement.at(SHIFTED) is Truth.TRUE
    assert (
        statement.conclusion(attrs.evolve(SHIFTED, perturbed_values=(Fraction(3, 2), Fraction(1, 2)))) is Truth.TRUE
    ), "equality"
    bind_names(statement, GAP_OF_TOP, GAP)
    bind_numbers(statement, lambda n: 1 - 2 * n.noise / n.gap)


@theorem_7.supports("cosine-at-least-root-half", grade="derived", region=EVERY_D + "from the two steps before")
def test_root_half(statement) -> None:
    """2 - 2c^2 <= 1 is c^2 >= 1/2."""
    c = sympy.Symbol("c")
    assert sympy.solve(2 - 2 * c**2 - 1, c) == [-sympy.sqrt(2) / 2, sympy.sqrt(2) / 2]
    assert statement.at(SHIFTED) is Truth.TRUE
    assert statement.at(REVERSED) is Truth.TRUE
    says = "W is positive semidefinite"
    tied = attrs.evolve(SHIFTED, perturbed_values=(Fraction(1, 2), Fraction(1, 2)), perturbed_frame=SWAP)
    assert statement.without(says).at(tied) is Truth.FALSE, "W = diag(-1, 1)/2 leaves a tie, in which e2 may come first"
    bind_names(statement, NOISY_TOP, GAP, {says: tied})
    bind_numbers(statement, lambda n: abs(n.cosine) - mpmath.sqrt(2) / 2)


@theorem_7.supports("tail-parameter", grade="derived", region="every d and eta in (0, 1), by the docstring")
def test_tail_parameter(statement) -> None:
    """At theta = log(d/eta) the tail bound of Lemma 1 is d exp(-theta) = d (eta/d) = eta."""
    d, eta = sympy.symbols("d eta", positive=True)
    assert sympy.simplify(d * sympy.exp(-sympy.log(d / eta)) - eta) == 0
    assert statement.conclusion(EXACT) is Truth.TRUE, "equality"
    bind_names(statement, {"eta > 0": PARAMETERS["eta > 0"]})
    bind_numbers(statement, lambda n: n.gap - n.gap)
    assert statement.at(SHIFTED) is not Truth.FALSE


@theorem_7.supports(
    "squared-cosine",
    grade="derived",
    region=EVERY_D + "its sum is machine-checked in the proof of the repaired theorem",
)
def test_squared_cosine(statement) -> None:
    """That c^2 >= 1 - w/g is (3) in the proof of the repaired theorem, divided by the gap."""
    for run in [*RUNS, TURNED, REVERSED]:
        assert statement.at(run) is Truth.TRUE
    assert statement.conclusion(attrs.evolve(SHIFTED, perturbed_values=(1, 0))) is Truth.TRUE, "equality"
    bind_names(statement, NOISY_TOP)
    bind_numbers(statement, lambda n: n.cosine**2 - (1 - n.noise / n.gap))


@theorem_7.refutes("norm-is-bound", grade="interval", region="d = 2, W = I/10, where the bound is 0.35")
def test_random_norm_is_not_its_bound(statement) -> None:
    assert statement.at(SHIFTED) is Truth.FALSE
    assert statement.conclusion(EXACT) is Truth.TRUE, "equality"
    bind_names(statement, NOISY_TOP, PARAMETERS)
    bind_numbers(statement, lambda n: -abs(n.noise / n.gap - n.tail * 3 / (2 * n.n * n.epsilon) / n.gap))


@theorem_7.supports(
    "scale-inserted", grade="derived", region="every tail factor, n, epsilon and gap: substitution of lambda_1(C)"
)
def test_scale(statement) -> None:
    """At lambda_1(C) = c = 3/(2 n epsilon) the line 1 - Kc/g is 1 - 3K/(2 n epsilon g), K the tail factor."""
    K, n, epsilon, g, scale = sympy.symbols("K n epsilon g c", positive=True)
    substituted = (1 - K * scale / g).subs(scale, sympy.Rational(3, 2) / (n * epsilon))
    assert sympy.simplify(substituted - (1 - 3 * K / (2 * n * epsilon * g))) == 0
    assert statement.at(SHIFTED) is not Truth.FALSE
    assert statement.conclusion(EXACT) is Truth.TRUE, "equality"
    bind_names(statement, GAP_OF_TOP, PARAMETERS)
    assert statement.applies(attrs.evolve(SHIFTED, records=1)) is Truth.TRUE
    bind_numbers(statement, lambda n: n.gap - n.gap)


@theorem_7.supports(
    "enough-records",
    grade="derived",
    region="every tail factor, n, epsilon, rho and gap: the margin is (1 - rho^2)(1 - N/n)",
)
def test_enough_records(statement) -> None:
    """1 - 3K/(2 n epsilon g) - rho^2 = (1 - rho^2)(1 - N/n) with N the printed sample size, and n >= N."""
    K, n, epsilon, rho, g = sympy.symbols("K n epsilon rho g", positive=True)
    enough = 3 * K / (2 * epsilon * (1 - rho**2) * g)
    assert sympy.simplify(1 - 3 * K / (2 * n * epsilon * g) - rho**2 - (1 - rho**2) * (1 - enough / n)) == 0
    assert statement.at(SHIFTED) is Truth.TRUE
    assert statement.conclusion(ENOUGH_EXACTLY) is Truth.TRUE, "equality"
    bind_names(statement, GAP_OF_TOP, PARAMETERS, RHO, SAMPLE_SIZE)
    bind_numbers(statement, lambda n: 1 - 3 * n.tail / (2 * n.n * n.epsilon * n.gap) - n.rho**2)


@theorem_7.refutes("root-of-the-square", grade="interval", region="d = 2, vhat_1 = -v_1, rho = 3/4")
def test_root_drops_a_sign(statement) -> None:
    """For c = -1 and rho = 3/4, c^2 >= rho^2, but not c >= rho."""
    assert statement.at(REVERSED) is Truth.FALSE
    half_turn = attrs.evolve(TURNED, rho=Fraction(3, 5))
    assert statement.conclusion(half_turn) is Truth.TRUE, "equality"
    squares = hypothesis(statement, "(v_1'vhat_1)^2 >= rho^2")
    assert squares.at(half_turn) is Truth.TRUE, "equality"
    bind_names(statement, TOP, RHO, {"(v_1'vhat_1)^2 >= rho^2": attrs.evolve(TURNED, rho=Fraction(71, 100))})
    bind_numbers(statement, lambda n: n.cosine - n.rho)
