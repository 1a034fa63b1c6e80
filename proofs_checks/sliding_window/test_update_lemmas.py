"""Lemma 10 of `sliding-window`: what the histogram keeps after an update."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import update_lemmas as module
from dpmatrix.spec.sliding_window.update_lemmas import ExactRun, StreamRun, maintained
from dpmatrix.spec.sliding_window.updates import survivors
from proofs_checks.sliding_window.checkpoints import EQUAL, RUN, RUN_OUTSIDE, VECTORS, check_printed_lemma
from proofs_checks.sliding_window.histogram_by_hand import checkpoints

lemma_10 = cite("sliding-window.lemma-10@2a6685a9")

HALF = Fraction(1, 2)


@lemma_10.refutes(grade="symbolic", region="three zero matrices, stamps 1, 2, 3")
def test_one_update_does_not_give_the_property(statement) -> None:
    assert statement.at(EQUAL) is Truth.FALSE
    check_printed_lemma(statement, lambda eta: eta)


def count_by_hand(entries, window, eta, floor):
    """Stamps and the count's margin for numbers, written out with an explicit list."""
    held = checkpoints(entries, window, 1 - eta, floor)
    ratio = sympy.Rational(held[0][1]) / sympy.Rational(held[-1][1])
    margin = 3 + 2 * sympy.log(ratio) / -sympy.log(1 - sympy.Rational(eta)) - len(held)
    return [stamp for stamp, _ in held], margin


@lemma_10.supports_repair(
    grade="derived",
    region="every stream: induction over rows, in the docstring; its core exactly: 476 streams, d <= 2, T <= 6",
)
def test_the_property_holds_along_every_stream(statement) -> None:
    """Induction over the rows.

    Closeness: K'_i = K_i + a'a, and (1 - eta)(K + a'a) <= K' + a'a follows from (1 - eta) K <= K', as eta a'a >= 0.
    Update deletes only between i and a j with (1 - eta) K_i <= K_j. Without a deletion ever, i and its successor
    were inserted one after the other. Non-closeness: j is the largest close p <= l - 1, or there is none, so whatever
    follows j and is not last is not close to i. Window: before the row t_1 <= T - W < t_2, or T <= W and t_1 = 1;
    so at most one stamp expires, and deletions never touch t_1 and move t_2 to the right only.
    Count: for 0 < K' <= K the eigenvalues of K^(-1/2) K' K^(-1/2) are at most 1, and one is below 1 - eta if (1 - eta)
    K does not precede K'; hence det K' < (1 - eta) det K. With m = floor((l - 2)/2) jumps by two among the first l - 1
    checkpoints, m <= log(det K_1/det K_l)/-log(1 - eta), and l <= 2m + 3.
    """
    for l in range(1, 50):
        assert l <= 2 * max(0, (l - 2) // 2) + 3
        assert 1 + 2 * max(0, (l - 2) // 2) <= max(1, l - 1)
    count = 0
    for total in (1, 3, 4, 6):
        streams = [[(entry,) for entry in entries] for entries in product((0, 1, 3), repeat=total)][::3]
        streams += [list(choice) for choice in product(VECTORS, repeat=total)][:: max(1, 4 ** (total - 3))]
        for place, rows in enumerate(streams):
            window, eta = 1 + place % (total + 1), Fraction(1 + place % 4, 5)
            assert statement.at(ExactRun(fmpq_mat(rows), window, eta, Fraction(1 + place % 3, 2))) is Truth.TRUE
            count += 1
    assert count > 400
    values = []
    for entries in product((0, 1, 3), repeat=3):
        entries = (*entries, 1, 1, 2, 1)
        for window, eta, floor in ((3, HALF, 1), (7, Fraction(1, 3), Fraction(1, 2))):
            p = StreamRun(fmpq_mat([[entry] for entry in entries]), window, eta, floor)
            exact = ExactRun(p.rows, window, eta, floor)
            stamps, margin = count_by_hand(entries, window, eta, Fraction(floor))
            assert maintained(p, eta) == stamps
            values.append((exact, margin.evalf(50)))
    bind(statement, values)
    outside = RUN_OUTSIDE | {"floor > 0": attrs.evolve(RUN, floor=0)}
    for inside in (RUN, attrs.evolve(RUN, window=1, eta=Fraction(1, 50), floor=Fraction(1, 100))):
        bind_hypotheses(statement, inside, outside)
    assert not statement.strict


@lemma_10.controls(
    "+repair", grade="interval", region="no expiry; one checkpoint more deleted; 2 for 3; a misled Update"
)
def test_planted_mistakes_are_noticed(statement) -> None:
    """Stamps that are maintained wrongly lose the property on a stream of three rows; a smaller count fails as well."""
    late = ExactRun(fmpq_mat([[3], [0], [0]]), 2, HALF, 1)
    assert statement.at(late) is Truth.TRUE

    def maintain_late(p: StreamRun, drop) -> list[int]:
        return list(range(1, p.rows.nrows() + 1))

    assert redefined(statement, module, "maintained", maintain_late).at(late) is Truth.FALSE

    def fewer(count: int, close) -> list[int]:
        kept = survivors(count, close)
        return kept[:1] + kept[2 - (count < 3) :]

    steep = ExactRun(fmpq_mat([[3], [0], [0]]), 5, HALF, 1)
    assert redefined(statement, module, "survivors", fewer).at(steep) is Truth.FALSE, "10 next to 1, two stamps later"
    assert statement.at(steep) is Truth.TRUE
    still = ExactRun(fmpq_mat([[0], [0], [0]]), 3, HALF, 1)
    assert statement.at(still) is Truth.TRUE
    assert statement.nudged(lambda margin: margin - 1).at(still) is Truth.FALSE, "2 for 3: l = 3, equal determinants"
    rows = fmpq_mat([[10], [10], [0], [0]])
    blind = StreamRun(rows, 4, HALF, 1, tuple(fmpq_mat([[1]]) for _ in range(10)))

    def misled(p: ExactRun):
        return module.structure(attrs.evolve(blind, rows=p.rows), p.eta)

    assert statement.at(ExactRun(rows, 4, HALF, 1)) is Truth.TRUE
    misleading = redefined(statement, module, "exact_structure", misled)
    assert misleading.at(ExactRun(rows, 4, HALF, 1)) is Truth.FALSE, "all look equal, 201 and 101 and 1 do not"
