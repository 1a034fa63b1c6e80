"""`compression`: Proposition D.1 and Example 3.6, on rows of signs."""

from __future__ import annotations

from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import bind_formula
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression import binary_game
from dpmatrix.spec.compression.binary_game import SignData, SignRows
from proofs_checks.steps import by_step

proposition_d_1 = cite("compression.proposition-d-1@7bcd44df")
example_3_6 = cite("compression.example-3-6@a23fa08d")

SIGNS = "x and y are rows of signs, of one length"


def every_pair() -> list[SignRows]:
    """All pairs of rows of up to four signs, in databases of a few sizes."""
    return [
        SignRows(row, flipped, 3 + len(row))
        for size in (1, 2, 3, 4)
        for row in product((1, -1), repeat=size)
        for flipped in product((1, -1), repeat=size)
    ]


def wide_pairs() -> list[SignRows]:
    """Rows of up to 9 signs with every number of flips; only the number matters, up to signs of columns."""
    return [SignRows((1,) * p, (-1,) * k + (1,) * (p - k), 7) for p in range(5, 10) for k in range(p + 1)]


def norms(p: SignRows) -> tuple[mpmath.mpf, mpmath.mpf, mpmath.mpf]:
    """Spectral norm, Frobenius norm, and 2 p sqrt(tau (1 - tau))/n."""
    size = len(p.row)
    change = mpmath.matrix(size, size)
    for i, j in product(range(size), repeat=2):
        change[i, j] = mpmath.mpf(p.row[i] * p.row[j] - p.flipped[i] * p.flipped[j]) / p.records
    tau = mpmath.mpf(changed(p)) / size
    spectral = max(abs(value) for value in mpmath.eigsy(change, eigvals_only=True))
    frobenius = mpmath.sqrt(sum(value**2 for value in change))
    return spectral, frobenius, 2 * size * mpmath.sqrt(tau * (1 - tau)) / p.records


def changed(p: SignRows) -> int:
    return sum(a != b for a, b in zip(p.row, p.flipped, strict=True))


def outer(left, right) -> fmpq_mat:
    return fmpq_mat([[a * b for b in right] for a in left])


def assert_signs(statement, sized: bool = True) -> None:
    inside = SignRows((1, -1), (1, 1), 1)
    numbers = (SignRows((1, 2), (1, 1), 1), SignRows((1, 1), (0, 1), 1), SignRows((1, 1, 1), (1, 1, -3), 1))
    records = {"records >= 1, an integer": attrs.evolve(inside, records=0)} if sized else {}
    for outside in (*numbers, SignRows((1, 1), (1,), 1)):
        bind_hypotheses(statement, inside, {SIGNS: outside} | records)
    assert not statement.strict


@proposition_d_1.refutes(grade="interval", region="p = 2, one sign: ||Delta||_F = 2.83/n > p/n = 2/n")
@proposition_d_1.refutes("counting", grade="interval", region="every proper flip of up to four signs")
def test_the_root_of_two_is_lost(statements) -> None:
    whole, counting = statements["compression.proposition-d-1"], statements["compression.proposition-d-1/counting"]
    assert whole.at(SignRows((1, 1), (1, -1), 10)) is Truth.FALSE
    shown = SignRows((1, 1), (1, -1), 1)
    proposition_d_1.tells("y = (1, -1) it is {}/n, and p/n", norms(shown)[1])
    for p in every_pair():
        proper = 0 < changed(p) < len(p.row)
        assert (counting.at(p) is Truth.FALSE) is proper

    def chain(p: SignRows) -> mpmath.mpf:
        spectral, frobenius, printed = norms(p)
        return min(frobenius - spectral, printed - frobenius, mpmath.mpf(len(p.row)) / p.records - printed)

    points = [*every_pair()[::9], *wide_pairs()[::5]]
    bind_formula(whole, points, chain)
    bind_formula(counting, points, lambda p: -abs(norms(p)[1] - norms(p)[2]))
    for statement in (whole, counting):
        assert_signs(statement)


@proposition_d_1.supports_repair(
    grade="derived",
    region="every p, n, tau: the docstring; all 340 pairs of up to four signs and every tau for p <= 9 exactly",
)
def test_proposition_d_1_for_the_spectral_norm(statement) -> None:
    """On the span of x and y, with x'y = p - 2k, the form xx' - yy' has trace 0 and determinant (x'y)^2 - p^2.

    So its eigenvalues are +-sqrt(p^2 - (p - 2k)^2) = +-2 sqrt(k (p - k)), at most p, and all others vanish.
    """
    p, k, t = sympy.symbols("p k t")
    form = sympy.Matrix([[p, p - 2 * k], [-(p - 2 * k), -p]])
    assert sympy.expand(form.charpoly(t).as_expr() - (t**2 - 4 * k * (p - k))) == 0
    assert sympy.expand(p**2 - 4 * k * (p - k) - (p - 2 * k) ** 2) == 0
    for point in (*every_pair(), *wide_pairs()):
        assert statement.at(point) is Truth.TRUE
        size = len(point.row)
        inner = sum(a * b for a, b in zip(point.row, point.flipped, strict=True))
        assert abs(statement.margin(point) - min(0, inner**2)) < arb(2) ** -40
    bind(statement, ((point, fmpq(0)) for point in wide_pairs()))
    for point in wide_pairs():
        spectral, frobenius, printed = norms(point)
        assert abs(spectral - printed) < 1e-12
        assert abs(frobenius - mpmath.sqrt(2) * printed) < 1e-12
        assert printed <= mpmath.mpf(len(point.row)) / point.records + 1e-12
    assert size == 9
    assert_signs(statement)


@proposition_d_1.controls("+repair", grade="symbolic", region="rows that are no signs; 2 tau for tau")
def test_rows_that_are_no_signs_have_other_eigenvalues(statement) -> None:
    numbers = SignRows((2, 1), (1, 1), 5)
    assert statement.without(SIGNS).at(numbers) is Truth.FALSE
    assert abs(statement.formula(numbers) + fmpq(153, 25)) < arb(2) ** -40, "t^2 - 3 t - 1 for t^2 - 4, 11/25 for 8/25"
    whole = binary_game.flips
    doubled = redefined(statement, binary_game, "flips", lambda p: 2 * whole(p))
    assert statement.at(SignRows((1, 1, 1), (1, 1, -1), 5)) is Truth.TRUE
    assert doubled.at(SignRows((1, 1, 1), (1, 1, -1), 5)) is Truth.TRUE, "k and p - k give one Delta"
    assert doubled.at(SignRows((1, 1), (1, -1), 5)) is Truth.FALSE


@proposition_d_1.supports(
    "split",
    grade="derived",
    region="every x, y: entry by entry, symbolically for two; all 340 pairs of up to four signs exactly",
)
@proposition_d_1.supports(
    "at-most-p-over-n",
    grade="derived",
    region="every p, tau: the docstring; all 340 pairs of up to four signs and every tau for p <= 9 exactly",
)
@proposition_d_1.supports(
    "other-signs-flipped",
    grade="derived",
    region="every x, y: (-y)(-y)' = yy'; all 340 pairs of up to four signs exactly",
)
def test_the_sound_steps_of_proposition_d_1(statements) -> None:
    """(x - y)x' + y(x - y)' = xx' - yy'; p^2 - 4k(p - k) = (p - 2k)^2; (-y)(-y)' = yy'."""
    x1, x2, y1, y2 = sympy.symbols("x1 x2 y1 y2")
    x, y = sympy.Matrix([x1, x2]), sympy.Matrix([y1, y2])
    assert ((x - y) * x.T + y * (x - y).T - (x * x.T - y * y.T)).expand() == sympy.zeros(2, 2)
    names = by_step(statements)
    points = every_pair()
    for name, statement in names.items():
        for p in points:
            assert statement.at(p) is Truth.TRUE
        assert_signs(statement, sized=name == "other-signs-flipped")
        if name != "at-most-p-over-n":
            bind(statement, ((p, fmpq(0)) for p in points))
    one = SignRows((1, 1, 1), (1, 1, -1), 5)
    other = redefined(names["split"], binary_game, "_outer", lambda left, right: outer(left, [abs(x) for x in right]))
    assert other.at(one) is Truth.FALSE, "no bilinear product"
    bind(other, ((p, fmpq(-2 * len(p.row) * changed(p))) for p in points))
    first = redefined(names["other-signs-flipped"], binary_game, "row_change", lambda p: outer(p.row, p.flipped))
    assert first.at(one) is Truth.FALSE, "xy' changes its sign with y"
    bind(first, ((p, fmpq(-2 * len(p.row) ** 2)) for p in points))
    bind(
        names["at-most-p-over-n"],
        ((p, fmpq(sum(a * b for a, b in zip(p.row, p.flipped, strict=True)) ** 2)) for p in (*points, *wide_pairs())),
    )


def games() -> list[SignData]:
    """All pairs of databases of two rows and two columns that differ in one row at most, and some larger ones."""
    small = [fmpq_mat(2, 2, list(entries)) for entries in product((1, -1), repeat=4)]
    pairs = [SignData(a, b) for a in small for b in small]
    pairs = [p for p in pairs if sum(p.data.tolist()[i] != p.neighbour.tolist()[i] for i in (0, 1)) <= 1]
    large = fmpq_mat([[1, -1, 1], [1, 1, 1], [-1, 1, 1], [1, 1, -1]])
    for flipped in product((1, -1), repeat=3):
        other = fmpq_mat([list(flipped) if i == 2 else row for i, row in enumerate(large.tolist())])
        pairs.append(SignData(large, other))
    return pairs


@example_3_6.supports(
    grade="derived",
    region="every n, p: X'X is the sum of xx' over the rows; all 112 pairs with n = p = 2, and n = 4, p = 3, exactly",
)
def test_example_3_6(statement) -> None:
    """Signs have squares 1, so the diagonal of X'X is n; rows that do not change cancel in the difference."""
    for p in games():
        assert statement.at(p) is Truth.TRUE
    bind(statement, ((p, fmpq(0)) for p in games()))
    inside = games()[1]
    two = SignData(fmpq_mat([[1, 1], [1, 1]]), fmpq_mat([[1, -1], [-1, 1]]))
    says, signs, one = "both databases are n x p", "all entries are signs", "at most one row differs"
    for longer in (fmpq_mat([[1, 1], [1, 1], [1, 1]]), fmpq_mat([[1, 1, 1], [1, 1, 1]])):
        shapes = (SignData(two.data, longer), SignData(longer, two.data))
        for number, shape in zip((fmpq_mat([[1, 2], [1, 1]]), fmpq_mat([[1, 0], [1, 1]])), shapes, strict=True):
            bind_hypotheses(statement, inside, {says: shape, signs: SignData(number, number), one: two})
    other = SignData(fmpq_mat([[1, 1], [1, 1]]), fmpq_mat([[1, 1], [1, 3]]))
    assert statement.applies(other) is Truth.FALSE
    same = SignData(inside.data, inside.data)
    assert statement.applies(same) is Truth.TRUE, "tau = 0"
    assert not statement.strict


@example_3_6.controls(grade="symbolic", region="two rows differ; no signs")
def test_two_rows_are_not_one_neighbour(statement) -> None:
    two = SignData(fmpq_mat([[1, 1], [1, 1], [1, 1]]), fmpq_mat([[1, -1], [-1, 1], [1, 1]]))
    assert statement.without("at most one row differs").at(two) is Truth.FALSE
    numbers = SignData(fmpq_mat([[2, 1]]), fmpq_mat([[1, 1]]))
    assert statement.without("all entries are signs").at(numbers) is Truth.FALSE
    assert statement.margin(numbers) == -3
