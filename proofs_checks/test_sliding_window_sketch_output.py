"""Lemma 2 and Corollary 1 of `sliding-window` as repaired: the output of Algorithm 2 with enough rows."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.sketch_output import SketchedRun
from dpmatrix.spec.sliding_window.sketched_stream import SketchedStream, meant

lemma_2 = cite("sliding-window.lemma-2@03ddba13")
corollary_1 = cite("sliding-window.corollary-1@691d8e5e")


HALF, QUARTER, MILLIONTH = Fraction(1, 2), Fraction(1, 4), Fraction(1, 10**6)
BOTH = ("sliding-window.lemma-2+repair", "sliding-window.corollary-1+repair")


def suffix(rows, stamp: int, time: int, floor) -> fmpq_mat:
    """Sum of a'a over the rows from the stamp to the time, plus the floor."""
    width = len(rows[0])
    return fmpq_mat(
        [
            [
                rational(floor) * int(i == j)
                + sum((rational(row[i]) * rational(row[j]) for row in rows[stamp - 1 : time]), fmpq(0))
                for j in range(width)
            ]
            for i in range(width)
        ]
    )


def run(rows, window, eta, errors, floor=1, size=10**6, beta=HALF) -> SketchedRun:
    """Build a run whose sketches are off by the given factors, repeated as often as needed."""
    places = [(time, stamp) for time in range(1, len(rows) + 1) for stamp in range(1, time + 1)]
    sketches = tuple(
        rational(errors[k % len(errors)]) * suffix(rows, stamp, time, floor) for k, (time, stamp) in enumerate(places)
    )
    return SketchedRun(
        fmpq_mat([[rational(entry) for entry in row] for row in rows]),
        window,
        eta,
        floor,
        sketches,
        size,
        beta,
        1,
        MILLIONTH,
    )


def output_by_hand(p: SketchedRun) -> Fraction:
    """Run Algorithms 1 to 3 as repaired in one dimension, and return the first sketch after the last row."""
    sketch = {}
    for k, (time, stamp) in enumerate((t, s) for t in range(1, p.rows.nrows() + 1) for s in range(1, t + 1)):
        sketch[time, stamp] = p.approximations[k][0, 0]
    stamps: list[int] = []
    for time in range(1, p.rows.nrows() + 1):
        stamps = [*stamps, time]
        if len(stamps) >= 2 and stamps[1] <= time - p.window + 1:
            stamps = stamps[1:]
        place = 0
        while place <= len(stamps) - 3:
            near = [
                other
                for other in range(place + 1, len(stamps) - 1)
                if (1 - rational(p.eta) / 2) * sketch[time, stamps[place]] <= sketch[time, stamps[other]]
            ]
            if near:
                stamps = [*stamps[: place + 1], *stamps[near[-1] :]]
            place += 1
    return sketch[p.rows.nrows(), stamps[0]]


def expected(p: SketchedRun, high, low):
    """Compute ``beta - T(T+1) 9^d exp(-m eta^2/384)`` and, where (4) holds, the slacks of low X <= output <= high X."""
    total, eta = p.rows.nrows(), rational(p.eta)
    with mpmath.workdps(60):
        exponent = mpmath.mpf(p.size * int(eta.p) ** 2) / (384 * int(eta.q) ** 2)
        slack = real(p.beta)
        slack -= total * (total + 1) * mpmath.mpf(9) * mpmath.exp(-exponent)
    rows = [[entry] for entry in p.rows.entries()]
    exact = [suffix(rows, s, t, p.floor)[0, 0] for t in range(1, total + 1) for s in range(1, t + 1)]
    if any(abs(near[0, 0] - far) > eta / 4 * far for near, far in zip(p.approximations, exact, strict=True)):
        return slack
    inside = suffix(rows, max(1, total - p.window + 1), total, p.floor)[0, 0]
    output = output_by_hand(p)
    margin = min(output - low(eta) * inside, high(eta) * inside - output)
    with mpmath.workdps(60):
        return min(slack, real(margin))


def narrow_runs():
    """Give runs in one dimension, some with too few rows and some with a sketch beyond eta/4."""
    streams = ([[1]], [[0], [QUARTER]], [[1], [0], [0]], [[0], [2], [0], [0]], [[HALF], [0], [QUARTER], [0], [0]])
    patterns = ((Fraction(15, 16), Fraction(17, 16)), (Fraction(17, 16), 1, Fraction(15, 16)), (Fraction(9, 8),))
    for rows, errors, eta, size in product(streams, patterns, (QUARTER, HALF), (10**3, 10**6)):
        yield run(rows, 2 + len(rows) % 2, eta, errors, floor=Fraction(1, 10), size=size, beta=Fraction(3, 5))


def well_drawn(rows, window, eta, errors, beta=HALF, size=None) -> SketchedRun:
    """Give the run the rows that the union asks for, rounded up, and the least whole sigma^2."""
    total, width = len(rows), len(rows[0])
    with mpmath.workdps(30):
        odds = mpmath.log(total * (total + 1) * mpmath.mpf(beta.denominator) / beta.numerator)
        least = 384 * (width * mpmath.log(9) + odds) * (eta.denominator / mpmath.mpf(eta.numerator)) ** 2
        size = int(mpmath.ceil(least)) if size is None else size
        log = mpmath.log(4 * 10**6)
        floor = int(mpmath.ceil((4 * mpmath.sqrt(size * log) + log) ** 2))
    return run(rows, window, eta, errors, floor, size, beta)


GOOD = well_drawn([[3], [1]], 2, QUARTER, (Fraction(15, 16), Fraction(17, 16)))
LEAST = {
    "m >= 384 (d log 9 + log(T(T+1)/beta))/eta^2": attrs.evolve(GOOD, size=GOOD.size - 1),
    "sigma >= w, the w of Theorem 12 for m rows": attrs.evolve(GOOD, floor=GOOD.floor - 1),
}
OUTSIDE = LEAST | {
    "one symmetric A~'A~ for every time and stamp": attrs.evolve(GOOD, approximations=GOOD.approximations[1:]),
    "window >= 2, an integer": attrs.evolve(GOOD, window=1),
    "eta > 0": attrs.evolve(GOOD, eta=0),
    "eta < 1": attrs.evolve(GOOD, eta=1),
    "beta > 0": attrs.evolve(GOOD, beta=0),
    "beta < 1": attrs.evolve(GOOD, beta=1),
    "epsilon > 0": attrs.evolve(GOOD, epsilon=0),
    "delta > 0": attrs.evolve(GOOD, delta=0),
    "delta < 1": attrs.evolve(GOOD, delta=1),
    "size >= 1, an integer": attrs.evolve(GOOD, size=0),
}


def check_union() -> None:
    """M as in the hypothesis makes T(T+1)/2 times 2 9^d exp(-m (eta/4)^2/24) equal to beta."""
    d, total, beta, eta = sympy.symbols("d T beta eta", positive=True)
    rows = 384 * (d * sympy.log(9) + sympy.log(total * (total + 1) / beta)) / eta**2
    bound = sympy.log(total * (total + 1) / 2) + sympy.log(2) + d * sympy.log(9) - rows * (eta / 4) ** 2 / 24
    assert sympy.simplify(sympy.expand_log(bound - sympy.log(beta), force=True)) == 0


def check_sketch_identity() -> None:
    """Check that sigma Phi + sum of g_u'a_u is (Phi g_s' ... g_t')(sigma I; A): what is stored is a Gaussian sketch."""
    rows = fmpq_mat([[1, 2], [-3, 5], [4, fmpq(1, 2)]])
    base, coins = fmpq_mat([[2, 7], [1, -1], [0, 3]]), fmpq_mat([[1, 4, 2], [8, 5, -7], [3, 3, 1]])
    stream = SketchedStream(rows, base, coins, fmpq(7, 3), 2)
    for stamp, time in ((1, 1), (1, 3), (2, 3)):
        chosen = range(stamp - 1, time)
        wide = fmpq_mat([[*base.tolist()[k], *(coins[u, k] for u in chosen)] for k in range(3)])
        tall = fmpq_mat([[fmpq(7, 3), 0], [0, fmpq(7, 3)], *(rows.tolist()[u] for u in chosen)])
        assert wide * tall == meant(stream, stamp, time)
        assert tall.rank() == 2, "d, whatever the rank of the rows"


@lemma_2.supports_repair(
    grade="derived",
    region="every d, T, W, eta, beta, stream: derivation; union and identities checked, 79 short streams decided",
)
@corollary_1.supports_repair(
    grade="derived",
    region="every d, T, W, eta <= 3/8, beta, stream: derivation; as for lemma-2, with the factor 1 + 2 eta",
)
def test_the_output_of_enough_rows_is_accurate(statements) -> None:
    """Fix a time t and a stamp s. What is stored for them is (Phi g_s' ... g_t') times (sigma I; A_[s,t]).

    The left factor has m rows of independent N(0, 1/m), the right one rank d and Gram matrix K + sigma^2 I. So by
    Theorem 9 as repaired the sketch is within 1 +- eta/4 of it but for probability 2 9^d exp(-m eta^2/384), and all
    T(T+1)/2 of them are but for beta: the variates of one pair have this law whether or not the algorithm keeps it.
    Where they all are, (4) holds at every time for every stamp. Lemma 1 as repaired then gives the approximate
    property after every row, with floor sigma^2, and Definition 3 as repaired both bounds of Lemma 2; Corollary 1
    follows by 1 - eta/4 >= 1 - eta and (1+eta/4)/(1-eta) <= 1 + 2 eta for eta <= 3/8, its own step.
    The output is the first sketch of this structure: Algorithm 2 as repaired.
    """
    check_union()
    check_sketch_identity()
    lemma, corollary = (statements[name] for name in BOTH)
    count = 0
    for total in (1, 2, 3):
        entries = ((0,), (1,), (300,)) if total > 1 else ((0,), (5,))
        for k, (rows, window) in enumerate(product(product(entries, repeat=total), (2, 3))):
            errors = [Fraction(31, 32) if (k * 2654435761 >> bit) & 1 else Fraction(33, 32) for bit in range(5, 11)]
            p = well_drawn([list(row) for row in rows], window, Fraction(1, 8), errors)
            assert lemma.at(p) is Truth.TRUE
            assert corollary.at(p) is Truth.TRUE
            count += 1
    for rows in ([[1, 0], [0, 500]], [[700, 1], [1, 1], [2, -1]], [[900, 0], [0, 0], [0, 0], [0, 0]]):
        p = well_drawn(rows, 2, QUARTER, (Fraction(17, 16), Fraction(15, 16), 1))
        assert lemma.at(p) is Truth.TRUE
        assert corollary.at(p) is Truth.TRUE
    assert count > 70
    check_formulas(lemma, lambda e: (1 + e / 4) / (1 - e), lambda e: 1 - e / 4)
    check_formulas(corollary, lambda e: 1 + 2 * e, lambda e: 1 - e)
    for inside in (GOOD, attrs.evolve(GOOD, beta=Fraction(49, 50), size=GOOD.size)):
        bind_hypotheses(lemma, inside, OUTSIDE)
        bind_hypotheses(corollary, inside, OUTSIDE | {"eta <= 3/8": attrs.evolve(GOOD, eta=HALF)})
    edge = well_drawn([[3], [1]], 2, Fraction(3, 8), (1,))
    assert corollary.at(edge) is Truth.TRUE
    lopsided = (*GOOD.approximations[:2], fmpq_mat([[1, 2]]))
    for p in (attrs.evolve(GOOD, approximations=lopsided), attrs.evolve(GOOD, size=GOOD.size + 1)):
        assert lemma.applies(p) is Truth.FALSE, "another shape; a sigma that is too small for one row more"
    bare = SketchedRun(GOOD.rows, GOOD.window, GOOD.eta)
    assert (bare.size, bare.beta, bare.epsilon, bare.delta) == (1, 1, 1, 1), "beta and delta have to be given"
    assert lemma.applies(bare) is Truth.FALSE
    skew = well_drawn([[1, 0]], 2, QUARTER, (1,))
    bent = fmpq_mat([[skew.floor + 1, 1], [0, skew.floor]])
    assert lemma.applies(skew) is Truth.TRUE
    assert lemma.applies(attrs.evolve(skew, approximations=(bent,))) is Truth.FALSE


def check_formulas(statement, high, low) -> None:
    bind_formula(statement, narrow_runs(), lambda p: expected(p, high, low))
    assert not statement.strict


@lemma_2.controls("+repair", grade="symbolic", region="4r/eta rows; no union")
@corollary_1.controls("+repair", grade="symbolic", region="4r/eta rows; no union")
def test_fewer_rows_and_smaller_bounds_are_noticed(statements) -> None:
    rows = "m >= 384 (d log 9 + log(T(T+1)/beta))/eta^2"
    for name in BOTH:
        statement = statements[name]
        assert statement.at(GOOD) is Truth.TRUE
        for size in (16, GOOD.size - 1, GOOD.size * 2 // 3):
            few = well_drawn([[3], [1]], 2, QUARTER, (1,), size=size)
            assert statement.applies(few) is Truth.FALSE
            assert statement.without(rows).at(few) is Truth.FALSE, "4r/eta = 16, one row less, no union"
        assert statement.nudged(lambda margin: margin - 1).at(GOOD) is Truth.FALSE
