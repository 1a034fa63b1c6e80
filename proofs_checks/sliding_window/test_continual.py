"""Theorems 17 and 18 of `sliding-window`: what the sequence of outputs reveals, and dyadic sums in its place."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import real
from dpmatrix.exact import ball, rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import dyadic_release
from dpmatrix.spec.sliding_window.continual import SubWindow, Tree, TreeNoise
from dpmatrix.spec.sliding_window.dyadic_release import WindowCover, signed_cover
from dpmatrix.spec.sliding_window.tree_errors import WindowSize
from dpmatrix.spec.sliding_window.wishart_stream import NoisyStream
from dpmatrix.spec.sliding_window.wishart_window import WishartParameters
from dpmatrix.tracing import bind_expression
from proofs_checks.exact_matrices import scalars
from proofs_checks.sliding_window.chi_square_losses import shifted_delta

theorem_17 = cite("sliding-window.theorem-17@96889bd7")
theorem_18 = cite("sliding-window.theorem-18@ad936cce")

MILLIONTH = Fraction(1, 10**6)


def run(last, noise=(3, 7), window: int = 4) -> NoisyStream:
    """Return a row 1/2, and the last one."""
    return NoisyStream(fmpq_mat([[fmpq(1, 2)], [last]]), scalars(*noise), window)


FIRST = WishartParameters(1, 1, MILLIONTH, 194, 10)
FIRST_OUTSIDE = {
    "dimension >= 1, an integer": attrs.evolve(FIRST, dimension=0),
    "epsilon > 0": attrs.evolve(FIRST, epsilon=0),
    "delta > 0": attrs.evolve(FIRST, delta=0),
    "delta < 1": attrs.evolve(FIRST, delta=1),
    "degrees >= 1, an integer": attrs.evolve(FIRST, degrees=0),
    "row >= 0": attrs.evolve(FIRST, row=-1),
    "tau >= floor(d + 14 log(1/delta)/eps^2)": attrs.evolve(FIRST, degrees=193),
}


@theorem_17.refutes(
    grade="interval", region="d = 1, eps = 1, delta = 10^-6, tau = 194; rows M and M + 1 for M = 2, 10, 50; T = 1"
)
@theorem_18.refutes(
    grade="interval", region="d = 1, eps = 1, delta = 10^-6, tau = 194; rows M and M + 1 for M = 2, 10, 50; T = 1"
)
def test_the_first_output_alone_is_not_private(statements) -> None:
    """R is Wis_1(tau, 1), chi-square, and the data shift it by M^2 or (M + 1)^2: one monotone likelihood ratio.

    For f(x) = x^(a-1) e^(-x/2) with a = tau/2 and a shift by 2M + 1 the events are half-lines, given in closed form.
    """
    values = []
    with mpmath.workdps(60):
        for degrees, row, epsilon in product((16, 40, 194), (0, 2, 10), (1, Fraction(5, 2), 4)):
            p = WishartParameters(1, epsilon, Fraction(1, 20), degrees, row)
            values.append((p, real(p.delta) - shifted_delta(p.degrees, 2 * p.row + 1, epsilon)))
    for statement in statements.values():
        for row, least in ((2, 0.00012), (10, 0.177), (50, 0.98)):
            assert statement.at(attrs.evolve(FIRST, row=row)) is Truth.FALSE
            assert -statement.margin(attrs.evolve(FIRST, row=row)) > least
        assert statement.at(attrs.evolve(FIRST, row=0)) is Truth.TRUE, "a unit row, present or absent"
        short = ball(FIRST.delta) - statement.margin(attrs.evolve(FIRST, row=2))
        long = ball(FIRST.delta) - statement.margin(FIRST)
    theorem_17.tells("the rows 2 and 3 have delta {} for {} at", short, FIRST.delta)
    theorem_17.tells("the rows 2 and 3 have delta = {}, and", short)
    theorem_17.tells("the rows 10 and 11 {}, from the first output alone", long)
    for statement in statements.values():
        with mpmath.workdps(60):
            bind(statement, values)
        assert not statement.strict
        for inside in (FIRST, attrs.evolve(FIRST, row=0, dimension=2, degrees=196)):
            bind_hypotheses(statement, inside, FIRST_OUTSIDE)


SHORT = "2 <= T <= W, and one positive semidefinite noise for each row"
ZERO = "the last row is not zero"


@theorem_17.supports("successive-outputs", grade="derived", region="every last row but zero, and every noise")
@theorem_18.supports("successive-outputs", grade="derived", region="every last row but zero, and every noise")
def test_successive_outputs_differ_by_the_row(statements) -> None:
    """The noise of a checkpoint cancels in the difference of two outputs, which is a'a, of squared norm |a|^4."""
    for statement in statements.values():
        values = [
            (run(fmpq(k, 4), noise), Fraction(k**4, 256))
            for k in range(1, 9)
            for noise in ((0, 0), (3, 7), (fmpq(1, 5), 100))
        ]
        matrices = (fmpq_mat([[4, 1], [1, 2]]), fmpq_mat([[3, 0], [0, 9]]))
        values.append((NoisyStream(fmpq_mat([[1, 0], [2, 1]]), matrices, 2), Fraction(25)))
        values.append((NoisyStream(fmpq_mat([[2], [1], [3]]), scalars(3, 7, 1), 4), Fraction(81)))
        for point, _ in values:
            assert statement.at(point) is Truth.TRUE
        bind(statement, values)
        assert statement.strict
        for inside in (run(1), run(fmpq(1, 50), window=2)):
            bind_hypotheses(statement, inside, {SHORT: run(1, window=1), ZERO: run(0)})
        assert statement.given[0].at(NoisyStream(fmpq_mat([[1]]), scalars(3), 4)) is Truth.FALSE
        assert statement.given[0].at(run(1, (3, fmpq(-1, 20)))) is Truth.FALSE
        assert statement.given[0].at(run(1, (3, 1, 1))) is Truth.FALSE


@theorem_17.controls("successive-outputs", grade="symbolic", region="a last row of zeros")
@theorem_18.controls("successive-outputs", grade="symbolic", region="a last row of zeros")
def test_the_outputs_agree_after_a_zero_row(statements) -> None:
    for statement in statements.values():
        assert statement.without(ZERO).at(run(0)) is Truth.FALSE


PATH = TreeNoise(1, 16, 21, Fraction(7, 2), MILLIONTH)
TREE = {
    "dimension >= 1, an integer": attrs.evolve(PATH, dimension=0),
    "degrees >= 1, an integer": attrs.evolve(PATH, degrees=0),
    "count >= 1, an integer": attrs.evolve(PATH, count=0),
    "epsilon > 0": attrs.evolve(PATH, epsilon=0),
    "delta > 0": attrs.evolve(PATH, delta=0),
    "delta < 1": attrs.evolve(PATH, delta=1),
    "tau >= floor(d + 14 log(1/delta)/eps^2)": attrs.evolve(PATH, degrees=15),
}


def tree_points():
    for d, degrees, count, epsilon in product((1, 2), (9, 16, 40), (1, 3, 8), (1, Fraction(5, 2))):
        yield TreeNoise(d, degrees, count, epsilon, Fraction(1, 20))


@theorem_17.refutes(
    "path-together", grade="interval", region="d = 1, eps = 1, delta = 10^-6, tau = 194, 21 and 31 nodes"
)
@theorem_17.refutes("every-node", grade="interval", region="eps = 7/2, delta = 10^-6, W = 2^20")
@theorem_18.refutes("node-privacy", grade="interval", region="d = 1, eps = 1, delta = 10^-6, four and eight leaves")
def test_noise_for_one_is_not_noise_for_many(statements) -> None:
    path, node = (
        statements["sliding-window.theorem-17/every-node"],
        statements["sliding-window.theorem-18/node-privacy"],
    )
    together = statements["sliding-window.theorem-17/path-together"]
    nodes = TreeNoise(1, 194, 21, 1, MILLIONTH)
    more = attrs.evolve(nodes, count=31)
    assert together.at(nodes) is Truth.FALSE
    assert together.at(more) is Truth.FALSE
    assert together.at(attrs.evolve(nodes, count=2)) is Truth.TRUE
    theorem_17.tells(
        "the sum of {} nodes, for W = 2^20, has delta = {} for a unit row, and the sum of {} has {} delta",
        *(nodes.count, ball(MILLIONTH) - together.margin(nodes)),
        *(more.count, 1 - together.margin(more) / ball(MILLIONTH)),
    )
    assert path.at(PATH) is Truth.FALSE
    assert path.at(attrs.evolve(PATH, count=16)) is Truth.TRUE
    assert path.at(attrs.evolve(PATH, count=17)) is Truth.FALSE
    eight = TreeNoise(1, 194, 8, 1, MILLIONTH)
    assert node.at(eight) is Truth.FALSE
    assert -node.margin(eight) > 0.0048
    theorem_18.tells("Eight leaves give delta = {} for {}", ball(eight.delta) - node.margin(eight), eight.delta)
    one_path = 1 - path.margin(PATH) / ball(PATH.delta)
    theorem_17.tells(
        "eps = {}, delta = 10^-6, tau = 16 and W = 2^20 one node alone gives away the absence of a row with "
        "probability delta/16 and the path to the root with {} delta",
        *(PATH.epsilon, one_path),
    )
    assert node.at(attrs.evolve(eight, count=4)) is Truth.FALSE
    assert node.at(attrs.evolve(eight, count=2)) is Truth.TRUE
    with mpmath.workdps(60):

        def chance(p: TreeNoise):
            return mpmath.gammainc(real(p.degrees - p.dimension + 1) / 2, 0, mpmath.mpf(1) / 2, regularized=True)

        def moved(p: TreeNoise):
            return shifted_delta(p.degrees - p.dimension + 1, p.count, p.epsilon)

        bind(path, ((p, real(p.delta) - (1 - (1 - chance(p)) ** p.count)) for p in tree_points()))
        bind(node, ((p, real(p.delta) - moved(p)) for p in tree_points()))

        def summed(p: TreeNoise):
            return shifted_delta(p.degrees * p.count - p.dimension + 1, p.count, p.epsilon)

        bind(together, ((p, real(p.delta) - summed(p)) for p in tree_points()))
    for statement in statements.values():
        assert not statement.strict
    bind_hypotheses(node, PATH, TREE)
    bind_hypotheses(together, PATH, TREE)
    alone = "one node alone gives away a unit row with probability at most delta"
    bind_hypotheses(path, attrs.evolve(PATH, count=1), TREE | {alone: attrs.evolve(PATH, degrees=13, epsilon=4)})
    assert path.given[-1].strict
    # 14 log(10^6)/eps^2 is 30.95 at eps = 5/2 and 12.09 at eps = 4
    for statement in statements.values():
        (tau,) = (condition for condition in statement.given if condition.says.startswith("tau"))
        assert tau.strict
        assert statement.applies(attrs.evolve(PATH, degrees=31, epsilon=Fraction(5, 2))) is Truth.TRUE
        assert statement.applies(attrs.evolve(PATH, degrees=12, epsilon=4)) is Truth.FALSE
    # Pr(chi^2_2 < 1) = 1 - exp(-1/2) = 0.393, and Pr(chi^2_1 < 1) = 0.683
    for degrees, delta, enough in (
        (2, Fraction(2, 5), True),
        (2, Fraction(39, 100), False),
        (1, Fraction(7, 10), True),
    ):
        point = TreeNoise(1, degrees, 1, 5, delta)
        assert path.applies(point) is (Truth.TRUE if enough else Truth.FALSE)
    assert path.given[-1].at(TreeNoise(2, 1, 1, 5, Fraction(7, 10))) is Truth.FALSE, "fewer degrees than dimensions"


@theorem_17.supports(
    "window",
    grade="derived",
    region="every h and window: derivation below; h <= 4, every window of three blocks exactly",
)
def test_a_window_is_a_signed_sum_of_dyadic_sums(statement) -> None:
    """The binary digits of a length cut a prefix of a block into dyadic parts: at most h of them, or the block itself.

    A window of at most 2^h leaves lies in one block or in two. In one it is a prefix minus a prefix: at most 2h parts,
    or the block and h. In two it is the first block, minus a prefix of it, plus a prefix of the second: 1 + h + h; a
    second prefix that is a whole block leaves no room for the first.
    """
    for height in range(5):
        width = 1 << height
        for begin in range(2 * width):
            for end in range(begin + 1, begin + width + 1):
                point = WindowCover(begin, end, height)
                assert statement.at(point) is Truth.TRUE
                assert statement.margin(point) == 2 * height + 1 - len(signed_cover(point))
    worst = max(len(signed_cover(WindowCover(b, b + n, 4))) for b in range(16) for n in range(1, 17))
    assert worst >= 8
    longest = WindowCover(15, 31, 4)
    shorter = statement.nudged(margin=lambda p: statement.formula(p) - p.height)
    assert shorter.at(longest) is Truth.FALSE, "h + 1 sums are too few"
    middle = WindowCover(1, 3, 1)
    assert statement.at(middle) is Truth.TRUE
    four = [(1, range(4)), (-1, range(1)), (-1, range(3, 4))]
    beyond = [(1, range(1, 2)), (1, range(2, 4))]
    for wrong in ([], [(1, range(1, 2))], [(1, range(1, 3))], four, beyond):
        other = redefined(statement, dyadic_release, "signed_cover", lambda _, found=wrong: found)
        assert other.at(middle) is Truth.FALSE, "another sum, or one of parts that are not dyadic"
    assert not statement.strict
    inside = WindowCover(0, 1, 0)
    outside = {
        "begin >= 0, an integer": WindowCover(-1, 0, 0),
        "height >= 0, an integer": WindowCover(0, 1, fmpq(1, 2)),
        "the window is not empty": WindowCover(1, 1, 0),
        "the window has at most 2^h leaves": WindowCover(0, 2, 0),
    }
    height_only = statement.given[1]
    assert height_only.says == "height >= 0, an integer"
    assert height_only.at(WindowCover(0, 1, -1)) is Truth.FALSE
    del outside["height >= 0, an integer"]
    bind_hypotheses(attrs.evolve(statement, given=(statement.given[0], *statement.given[2:])), inside, outside)
    assert statement.applies(WindowCover(3, 11, 3)) is Truth.TRUE


@theorem_17.supports("space", grade="derived", region="every h: a geometric sum")
def test_a_tree_has_fewer_than_two_nodes_for_each_leaf(statement) -> None:
    """2^h + 2^(h-1) + ... + 1 = 2^(h+1) - 1; counted for h <= 9."""
    for height in range(10):
        assert statement.at(Tree(height)) is Truth.TRUE
        assert statement.margin(Tree(height)) == 1
    assert statement.nudged(lambda margin: margin - 2).at(Tree(3)) is Truth.FALSE, "2W - 2 nodes"
    assert not statement.strict
    assert [condition.says for condition in statement.given] == ["height >= 0, an integer"]
    assert statement.applies(Tree(0)) is Truth.TRUE
    assert statement.applies(Tree(-1)) is Truth.FALSE


@theorem_18.refutes("node-sum", grade="symbolic", region="rows 2 to 8 of up to 8 leaves")
@theorem_18.refutes("logarithmic-loss", grade="derived", region="every c, by growing W")
def test_two_sentences_of_the_construction_fail(statements) -> None:
    """A row after checkpoint p is in p of the sums; every c fails at W = (4c + 2)^2.

    sqrt(W) = 4c + 2 > 4c, and W^(1/4) > log(W)/4, as e^x > x; so W^(3/4) > c log W.
    """
    node, loss = (statements[f"sliding-window.theorem-18/{name}"] for name in ("node-sum", "logarithmic-loss"))
    for leaves, place in product(range(1, 9), repeat=2):
        if place <= leaves:
            assert node.margin(SubWindow(leaves, place)) == 1 - place
            assert node.at(SubWindow(leaves, place)) is (Truth.TRUE if place == 1 else Truth.FALSE)
    bind_hypotheses(
        node,
        SubWindow(1, 1),
        {
            "leaves >= 1, an integer": SubWindow(0, 0),
            "place >= 1, an integer": SubWindow(1, 0),
            "place <= leaves": SubWindow(1, 2),
        },
    )
    loss.refute(lambda constant: WindowSize((4 * int(rational(constant).ceil()) + 2) ** 2, constant))
    assert loss.at(WindowSize(16, 100)) is Truth.TRUE
    window, constant = sympy.symbols("window constant")
    bind_expression(loss, constant * sympy.log(window) - window ** sympy.Rational(3, 4))
    bind_hypotheses(loss, WindowSize(2, 1), {"window >= 2, an integer": WindowSize(1, 1)})
    for statement in statements.values():
        assert not statement.strict
