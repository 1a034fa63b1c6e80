"""Definitions 3 and 8 of `sliding-window`: what the stated property misses, and what the mended one gives."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import attrs
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.histograms import Histogram, accuracy_margin
from dpmatrix.spec.sliding_window.loewner import between

definition_8 = cite("sliding-window.definition-8@dae08ca8")
definition_3 = cite("sliding-window.definition-3@0853e75c")

HALF = Fraction(1, 2)


def column(*entries) -> fmpq_mat:
    return fmpq_mat([[rational(entry)] for entry in entries])


def tail_sum(entries, stamp, floor=0) -> fmpq_mat:
    return fmpq_mat([[sum((rational(entry) ** 2 for entry in entries[stamp - 1 :]), rational(floor))]])


def line(entries, window, stamps, eta=HALF, floor=0, errors=None) -> Histogram:
    """Build a structure over rows of length 1, with the suffixes' own matrices."""
    matrices = tuple(tail_sum(entries, stamp, floor) for stamp in stamps)
    factors = errors or (1,) * len(stamps)
    near = tuple(rational(factor) * matrix for factor, matrix in zip(factors, matrices, strict=True))
    return Histogram(column(*entries), window, tuple(stamps), matrices, eta, near, floor)


VACUOUS = line((10, 0, 1, 1, 1), 3, (1, 3, 5))
GOOD = line((2, 1, 1, 2), 3, (1, 3, 4))
ADJACENT = line((9, 1, 1, 2), 3, (2, 3, 4))
ALONE = line((3,), 1, (1,))
SHORT = line((2, 1), 5, (1, 2))
RAISED = line((0, 0, 0, 0), 4, (1, 3, 4), floor=1)
MATRICES = "a symmetric d x d matrix for each stamp"
NEAR = "symmetric d x d matrices S_i and S~_i for each stamp"
SCALARS = {
    "window >= 1, an integer": attrs.evolve(GOOD, window=0),
    "eta > 0": attrs.evolve(GOOD, eta=0),
    "eta < 1": attrs.evolve(GOOD, eta=1),
    "floor >= 0": attrs.evolve(GOOD, floor=Fraction(-1, 20)),
}
LONE = {MATRICES: attrs.evolve(GOOD, matrices=GOOD.matrices[:2])}
LONE_NEAR = {NEAR: attrs.evolve(GOOD, approximations=GOOD.approximations[:2])}
# Each breaks one part of the property as read.
BROKEN = {
    "order": attrs.evolve(GOOD, stamps=(1, 4, 3), matrices=(GOOD.matrices[0], GOOD.matrices[2], GOOD.matrices[1])),
    "a stamp before the stream": Histogram(
        column(2, 1), 5, (0, 2), (tail_sum((2, 1), 1), tail_sum((2, 1), 2)), Fraction(9, 10), (), 0
    ),
    "a stamp after the stream": Histogram(
        column(2, 1, 2), 5, (1, 2, 3, 4), (*line((2, 1, 2), 5, (1, 2, 3)).matrices, fmpq_mat([[0]])), HALF, (), 0
    ),
    "not a suffix": attrs.evolve(GOOD, matrices=(GOOD.matrices[0], GOOD.matrices[1], fmpq_mat([[fmpq(401, 100)]]))),
    "the window is not covered": line((1, 1, 1, 2), 3, (3, 4)),
    "two checkpoints cover the window": line((0, 1, 1, 2), 2, (1, 3, 4)),
    "one checkpoint, before the window": line((10, 0), 1, (1,)),
    "one checkpoint, after the start": line((1, 1), 2, (2,)),
    "neither adjacent nor close": line((3, 1, 1, 2), 3, (1, 3, 4)),
    "a superfluous checkpoint": line((0, 0, 2, 1), 4, (1, 2, 3, 4)),
}


def check_property(statement, says, *, approximate: bool) -> None:
    """Compare the property as read with the same written out for numbers; and try structures that break one part."""
    given = {condition.says: condition for condition in statement.given}[says]
    for good in (GOOD, ADJACENT, ALONE, SHORT, RAISED, line((2, 1, 1, 2), 4, (1, 3, 4))):
        assert given.at(good) is Truth.TRUE
    for name, bad in BROKEN.items():
        near = bad.approximations or bad.matrices
        assert given.at(attrs.evolve(bad, approximations=near)) is Truth.FALSE, name
    drop = (lambda e: e / 2) if approximate else (lambda e: e)
    seen = set()
    for entries, size in product(product((0, 1, 2), repeat=5), (1, 2, 4, 5)):
        for stamps in combinations(range(1, 6), size):
            eta, window = Fraction(1 + sum(entries) % 9, 10), 1 + sum(stamps) % 6
            kept = [sum(entry**2 for entry in entries[stamp - 1 :]) for stamp in stamps]
            start = max(1, 5 - window + 1)
            parts = (
                stamps[0] <= start < stamps[1] if size > 1 else stamps == (start,),
                all(stamps[i + 1] == stamps[i] + 1 or (1 - eta) * kept[i] <= kept[i + 1] for i in range(size - 1)),
                all((1 - drop(eta)) * kept[i] > kept[i + 2] for i in range(size - 3)),
            )
            assert (given.at(line(entries, window, stamps, eta=eta)) is Truth.TRUE) == all(parts)
            seen.add(parts)
    assert len(seen) >= 7, "all cases but the worst occur"


@definition_8.refutes(grade="symbolic", region="rows 10, 0, 1, 1, 1; stamps 1, 3, 5; W = 3; eta = 1/2")
def test_the_printed_property_is_vacuous_between_distant_stamps(statement) -> None:
    assert statement.at(VACUOUS) is Truth.FALSE
    printed = "items 2 and 3 as stated"
    outside = line((1, 1, 1, 1), 4, (1, 2, 3, 4))
    for inside in (VACUOUS, ALONE, attrs.evolve(VACUOUS, eta=Fraction(1, 50))):
        bind_hypotheses(statement, inside, SCALARS | LONE | {printed: outside})
    check_printed_property({each.says: each for each in statement.given}[printed], lambda eta: eta)
    check_accuracy(statement)


def check_accuracy(statement) -> None:
    values = []
    for a, b, k in product(range(4), range(1, 4), (1, 3)):
        p = line((a, 1, b, 2), 3, (1, 3), eta=Fraction(k, 7), floor=1)
        kept, inside = a * a + b * b + 6, b * b + 6
        values.append((p, min(1, inside - (1 - Fraction(k, 7)) * kept, kept - inside)))
        short = line((a, 1, b, 2), 3, (3, 4), eta=Fraction(k, 7), floor=1)
        values.append((short, min(1, inside - (1 - Fraction(k, 7)) * (b * b + 5), -1)))
    bind(statement, values)
    assert not statement.strict


def check_printed_property(condition, drop) -> None:
    """Items 2 and 3 written out for numbers, over all rows in {0, 1, 2}, stamps, and several eta and windows."""
    seen = set()
    for entries, size in product(product((0, 1, 2), repeat=4), (1, 2, 3, 4)):
        for stamps in combinations(range(1, 5), size):
            eta, window = Fraction(1 + sum(entries) % 9, 10), 1 + sum(stamps) % 4
            p = line(entries, window, stamps, eta=eta)
            kept = [sum(entry**2 for entry in entries[stamp - 1 :]) for stamp in stamps]
            inside = sum(entry**2 for entry in entries[max(0, 4 - window) :])
            second = all(
                (1 - eta) * kept[h] <= kept[h + 1] and (1 - drop(eta)) * kept[h] > kept[h + 2] for h in range(size - 2)
            )
            first = [stamps[i + 1] != stamps[i] + 1 or (1 - drop(eta)) * kept[i] > kept[i + 1] for i in range(size - 1)]
            item_3 = inside <= kept[0] and (size == 1 or kept[1] <= inside)
            expected = all(one or second for one in first) and item_3
            assert (condition.at(p) is Truth.TRUE) == expected
            seen.add((all(first), second, item_3))
    assert len(seen) == 8, "every case occurs"


PROPERTY = "the spectral histogram property, as read"


def every_structure(longest=4):
    """Give every increasing set of stamps over short streams, with the suffixes' own matrices."""
    for total in range(1, longest + 1):
        subsets = [stamps for size in range(1, total + 1) for stamps in combinations(range(1, total + 1), size)]
        streams = [fmpq_mat([[entry] for entry in entries]) for entries in product((0, 1, 10), repeat=total)]
        if total < 4:
            streams += [fmpq_mat(rows) for rows in product(((1, 0), (0, 1), (2, 1)), repeat=total)]
        for rows, stamps in product(streams, subsets):
            exact = tuple(between(rows, stamp, total) for stamp in stamps)
            for window in range(1, total + 2):
                yield Histogram(rows, window, stamps, exact, HALF, exact, 0)


def check_every_structure(statement, longest: int = 4) -> None:
    """Where the property holds the accuracy does, for structures of one, two and more matrices."""
    sizes = Counter()
    for p in every_structure(longest):
        if statement.applies(p) is Truth.TRUE:
            assert statement.conclusion(p) is Truth.TRUE
            sizes[len(p.stamps)] += 1
    assert sizes[1] >= 30
    assert min(sizes[size] for size in range(2, longest + 1)) >= 30
    lonely = line((10, 0), 1, (1,))
    assert statement.applies(lonely) is Truth.FALSE
    assert statement.conclusion(lonely) is Truth.FALSE, "(1 - 1/2) 100 is not below an empty window"


@definition_8.supports_repair(
    grade="derived",
    region="every structure, d, W, eta, f: a derivation; its cases decided exactly on every set of stamps of its core",
)
def test_the_mended_property_gives_the_accuracy(statement) -> None:
    """A_W'A_W is the Gram matrix of the rows from s = max(1, T - W + 1) on, and t_1 <= s < t_2.

    Sums of more squares are larger: K_2 <= A_W'A_W + f I <= K_1. If (1 - eta) K_1 <= K_2 this is the claim. If not,
    the stamps are adjacent, so t_1 = s and K_1 is A_W'A_W + f I itself. A single checkpoint is at s.
    The core: every increasing set of stamps, whether an algorithm makes it or not, over the rows {0, 1, 10} in
    dimension 1 for T <= 4, and three vectors in dimension 2 for T <= 3, with W <= T + 1.
    """
    check_every_structure(statement)
    for p in (GOOD, ADJACENT, ALONE, SHORT, RAISED):
        assert statement.at(p) is Truth.TRUE
    check_property(statement, PROPERTY, approximate=False)
    check_accuracy(statement)
    for inside in (GOOD, ALONE, RAISED):
        bind_hypotheses(statement, inside, SCALARS | LONE | {PROPERTY: BROKEN["not a suffix"]})


@definition_8.controls(
    "+repair", grade="symbolic", region="an expired row of length 3 kept by a late expiry; eta/2 for eta"
)
def test_late_expiry_is_noticed(statement) -> None:
    """The property with t_2 <= T - W + 1 allowed: the checkpoint of the row 3 stays, and K_1 = 10 for a window of 1."""
    late = line((3, 0, 1), 2, (1, 2, 3))
    assert statement.applies(late) is Truth.FALSE
    assert statement.without(PROPERTY).at(late) is Truth.FALSE
    assert statement.at(GOOD) is Truth.TRUE

    def half_the_price(p: Histogram):
        return accuracy_margin(attrs.evolve(p, eta=p.eta / 2))

    assert statement.nudged(margin=half_the_price).at(GOOD) is Truth.FALSE, "3/4 of 10 exceeds 6"


APPROXIMATE = "the approximate spectral histogram property, as read"
FOUR = "(4): S~_i is an eta/4 approximation of S_i"


@definition_3.refutes(grade="symbolic", region="rows 10, 0, 1, 1, 1; stamps 1, 3, 5; W = 3; eta = 1/2; S~ = S")
def test_the_printed_approximate_property_is_vacuous_too(statement) -> None:
    assert statement.at(VACUOUS) is Truth.FALSE
    printed = "items 2 and 3 as stated, for S and S~"
    outside = SCALARS | LONE_NEAR | {FOUR: WRONG, printed: line((0, 0, 0, 0), 4, (1, 2, 3, 4))}
    bind_hypotheses(statement, VACUOUS, outside)
    check_printed_property({each.says: each for each in statement.given}[printed], lambda eta: eta / 2)
    check_approximate_accuracy(statement)


def twisted() -> Histogram:
    """Rows (1/10, 1/10), 0, 0 with W = 2 and floor 1; S~_1 is not symmetric."""
    tenth = fmpq(1, 100)
    exact = (fmpq_mat([[1 + tenth, tenth], [tenth, 1 + tenth]]), fmpq_mat([[1, 0], [0, 1]]))
    near = (fmpq(7, 8) * exact[0] + fmpq_mat([[0, 1], [0, 0]]), exact[1])
    rows = fmpq_mat([[fmpq(1, 10), fmpq(1, 10)], [0, 0], [0, 0]])
    return Histogram(rows, 2, (1, 3), exact, HALF, near, 1)


WRONG = line((2, 1, 1, 2), 3, (1, 3, 4), errors=(1, 1, Fraction(57, 50)))


def check_approximate_accuracy(statement) -> None:
    values = []
    for a, b, k, e in product(range(3), range(1, 3), (1, 3), (Fraction(9, 10), 1, Fraction(11, 10))):
        eta = Fraction(k, 7)
        p = line((a, 1, b, 2), 3, (1, 3), eta=eta, floor=1, errors=(e, 1))
        near, inside = e * (a * a + b * b + 6), b * b + 6
        values.append((p, min(1, near - (1 - eta / 4) * inside, (1 + eta / 4) / (1 - eta) * inside - near)))
    bind(statement, values)
    low, high = line((1, 1), 2, (1, 2), errors=(Fraction(7, 8), 1)), line((1, 1), 2, (1, 2), errors=(Fraction(9, 8), 1))
    four = {condition.says: condition for condition in statement.given}[FOUR]
    assert four.at(low) is Truth.TRUE
    assert four.at(high) is Truth.TRUE
    for error in (Fraction(87, 100), Fraction(113, 100)):
        assert four.at(line((1, 1), 2, (1, 2), errors=(error, 1))) is Truth.FALSE
        assert four.at(line((1, 1), 2, (1, 2), errors=(1, error))) is Truth.FALSE
    assert not statement.strict


@definition_3.supports_repair(
    grade="derived",
    region="every stream, d, W, eta and f: Definition 8 as mended and (4), composed as in the docstring",
)
def test_the_mended_approximate_property_gives_the_accuracy(statement) -> None:
    """The first structure's S_1 satisfies (1 - eta) S_1 <= A_W'A_W <= S_1, by the argument for Definition 8.

    Hence S~_1 >= (1 - eta/4) S_1 >= (1 - eta/4) A_W'A_W, and S~_1 <= (1 + eta/4) S_1 <= (1 + eta/4)/(1 - eta) A_W'A_W.
    The chains are checked exactly for errors at both ends of (4), and without error, over every structure of three
    rows.
    """
    check_every_structure(statement, 3)
    for p, error in product(every_structure(3), (Fraction(7, 8), Fraction(9, 8))):
        q = attrs.evolve(p, approximations=tuple(rational(error) * matrix for matrix in p.matrices))
        if statement.applies(q) is Truth.TRUE:
            assert statement.conclusion(q) is Truth.TRUE
    for p in (GOOD, ADJACENT, ALONE, SHORT, RAISED):
        assert statement.at(p) is Truth.TRUE
    check_property(statement, APPROXIMATE, approximate=True)
    check_approximate_accuracy(statement)
    for inside in (GOOD, ALONE, RAISED):
        bind_hypotheses(
            statement, inside, SCALARS | {NEAR: twisted(), FOUR: WRONG, APPROXIMATE: BROKEN["not a suffix"]}
        )


@definition_3.controls("+repair", grade="symbolic", region="an error beyond eta/4")
def test_a_worse_approximation_is_noticed(statement) -> None:
    assert statement.at(GOOD) is Truth.TRUE
    bad = line((1, 1), 2, (1, 2), errors=(Fraction(43, 50), 1))
    assert statement.applies(bad) is Truth.FALSE
    assert statement.without(FOUR).at(bad) is Truth.FALSE, "86/100 is below 7/8"
    skew = twisted()
    assert statement.applies(skew) is Truth.FALSE
    assert statement.without(NEAR).at(skew) is Truth.FALSE, "the order is none for S~ that are not symmetric"


@definition_3.refutes("stamps", grade="symbolic", region="GOOD: t = 1, 3, 4, T - W + 1 = 2")
def test_equation_2_reverses_the_stamps(statement) -> None:
    assert statement.at(GOOD) is Truth.FALSE
    assert statement.margin(GOOD) == -1
    values = []
    for first, second, window in product((1, 2, 3), (4, 5, 6), (2, 4, 5)):
        p = Histogram(column(*range(1, 7)), window, (first, second), (), HALF)
        values.append((p, min(7 - window - second, first - (7 - window))))
    bind(statement, values)
    assert not statement.strict
    bind_hypotheses(statement, GOOD, SCALARS | LONE | {PROPERTY: BROKEN["order"]})
