"""Checkpoints of numbers and a short stream, and the printed lemma about them written out."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.spec.sliding_window.update_lemmas import Checkpoints, StreamRun
from dpmatrix.spec.sliding_window.updates import survivors

HALF = Fraction(1, 2)

ZERO = fmpq_mat([[0]])
EQUAL = Checkpoints((1, 2, 3), (ZERO, ZERO, ZERO), HALF)
ORDER = "K(1) >= ... >= K(l) >= 0"
ORDERED_OUTSIDE = {
    "stamps increase": attrs.evolve(EQUAL, stamps=(1, 3, 3)),
    ORDER: Checkpoints((1, 2), (fmpq_mat([[1]]), fmpq_mat([[fmpq(21, 20)]])), HALF),
    "eta > 0": attrs.evolve(EQUAL, eta=0),
    "eta < 1": attrs.evolve(EQUAL, eta=1),
}


def numbers(*values, stamps=None, eta=HALF) -> Checkpoints:
    matrices = tuple(fmpq_mat([[rational(value)]]) for value in values)
    return Checkpoints(stamps or tuple(range(1, len(values) + 1)), matrices, eta)


def check_printed_lemma(statement, drop, outside=ORDERED_OUTSIDE) -> None:
    """Compare with Update and item 2 written out for numbers, over decreasing quadruples and their stamps."""
    seen = set()
    for values, gap in product(product(range(7, -1, -2), repeat=4), (1, 2)):
        if list(values) != sorted(values, reverse=True):
            continue
        for eta in (Fraction(1, 4), HALF, Fraction(4, 5)):
            p = numbers(*values, stamps=(1, 1 + gap, 2 + gap, 3 + gap), eta=eta)
            kept = [i - 1 for i in survivors(4, lambda i, q, v=values, e=eta: (1 - drop(e)) * v[i - 1] <= v[q - 1])]
            left, stamps = [values[i] for i in kept], [p.stamps[i] for i in kept]
            second = all(
                (1 - eta) * left[h] <= left[h + 1] and (1 - drop(eta)) * left[h] > left[h + 2]
                for h in range(len(left) - 2)
            )
            expected = all(
                second or stamps[i + 1] != stamps[i] + 1 or (1 - drop(eta)) * left[i] > left[i + 1]
                for i in range(len(left) - 1)
            )
            assert statement.at(p) is (Truth.TRUE if expected else Truth.FALSE)
            seen.add(expected)
    assert seen == {True, False}
    one = fmpq_mat([[1]])
    for inside in (EQUAL, numbers(3, 2, 2), Checkpoints((1,), (one,), Fraction(1, 50))):
        bind_hypotheses(statement, inside, outside)
    assert statement.at(Checkpoints((1,), (one,), HALF)) is Truth.TRUE, "nothing to compare"
    assert statement.applies(numbers(1, Fraction(-1, 20))) is Truth.FALSE
    assert statement.applies(numbers(2, 1, Fraction(11, 10))) is Truth.FALSE


VECTORS = ((0, 0), (1, 0), (0, 1), (2, 1))
RUN = StreamRun(fmpq_mat([[2], [1], [1], [2]]), 3, HALF, 1)
RUN_OUTSIDE = {
    "window >= 1, an integer": attrs.evolve(RUN, window=0),
    "eta > 0": attrs.evolve(RUN, eta=0),
    "eta < 1": attrs.evolve(RUN, eta=1),
}
