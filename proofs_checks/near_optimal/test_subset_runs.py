"""Figure 3 of `near-optimal`: recorded runs of PCA on subsets, and counts of eigenproblems."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import scipy.linalg

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.experiments import subspaces
from dpmatrix.experiments.classified import recorded
from dpmatrix.experiments.gibbs import HoffChain, uniform_start
from dpmatrix.experiments.subspaces import mod_sulq
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.classification import TABLE_2
from dpmatrix.spec.near_optimal.data_sets import PRINTED_ROWS, PrintedRow
from dpmatrix.spec.near_optimal.subset_runs import SubsetRuns

figure_3 = cite("near-optimal.figure-3@4cc2ed96")

SHARE = "share >= 1/20"


def recorded_runs():
    return [
        SubsetRuns(one.data_set, Fraction(str(one.share)), tuple(Fraction(str(value)) for value in one.kept))
        for one in recorded()[1]
    ]


@figure_3.supports(
    "subsets", grade="interval", region="the recorded subsets of all four data sets, of two only as far as at hand"
)
@figure_3.controls("subsets", grade="interval", region="a hundredth of insurance")
def test_subsets_of_the_records_have_the_same_subspace(statement):
    """On runs that `tests/experiments` compares with the raw files where they are at hand."""
    found = recorded_runs()
    assert {one.data_set for one in found} == {"kddcup", "census", "localization", "insurance"}
    large = [one for one in found if one.share >= Fraction(1, 20)]
    assert len(large) == 16
    assert all(statement.at(one) is Truth.TRUE for one in large)
    small = next(one for one in found if (one.data_set, one.share) == ("insurance", Fraction(1, 100)))
    assert statement.without(SHARE).at(small) is Truth.FALSE
    hundredth = [min(one.kept) for one in found if one.share == Fraction(1, 100)]
    figure_3.tells("A hundredth of the records keeps at least {above}", min(hundredth))
    figure_3.tells("3 of {} sequences of localization", TABLE_2.statement.data[0].sequences)
    points = [
        SubsetRuns("kddcup", Fraction(1, 2), (Fraction(a, 200), Fraction(b, 200)))
        for a, b in product(range(196, 200), range(195, 200))
    ]
    bind(statement.elsewhere(), [(p, min(p.kept) - Fraction(99, 100)) for p in points])
    bind_hypotheses(statement, large[0], {SHARE: small})
    assert statement.applies(SubsetRuns("kddcup", Fraction(1, 20), (1,))) is Truth.TRUE
    assert statement.applies(SubsetRuns("kddcup", Fraction(49, 1000), (1,))) is Truth.FALSE
    assert not statement.strict


@figure_3.supports("cost", grade="derived", region="the four printed rows; the calls of both programs are counted")
@figure_3.controls("cost", grade="symbolic", region="a row for which the sampler would have less to do")
def test_the_sampler_solves_larger_eigenproblems(statement, monkeypatch):
    """A step of Hoff's sampler calls for k sets of eigenvectors of order d - k + 1, MOD-SULQ for one of order d."""
    orders = []

    def counted(solve):
        def solved(matrix, *args, **options):
            orders.append(len(matrix))
            return solve(matrix, *args, **options)

        return solved

    d, k, generator = 7, 3, np.random.default_rng(1)
    chain = HoffChain(np.linspace(3, 0, d), uniform_start(d, k, generator), generator)
    monkeypatch.setattr(np.linalg, "eigh", counted(np.linalg.eigh))
    chain.step()
    assert orders == [d - k + 1] * k
    orders.clear()
    monkeypatch.setattr(subspaces, "eigh", counted(scipy.linalg.eigh))
    mod_sulq(np.eye(d), 50, k, 0.1, 0.01, generator)
    assert orders == [d]
    assert statement.data == PRINTED_ROWS
    assert all(statement.at(row) is Truth.TRUE for row in PRINTED_ROWS)
    other = [PrintedRow("any", 1, d, k, Fraction(1), Fraction(1)) for d in (3, 9, 40, 116, 700) for k in (1, 2, 3, 8)]
    asked = statement.elsewhere()
    bind(asked, [(p, 20_000 * p.rank * (p.dimensions - p.rank + 1) ** 3 - 1000 * p.dimensions**3) for p in other])
    assert asked.at(PrintedRow("any", 1, 12, 12, Fraction(1), Fraction(1))) is Truth.FALSE
    assert statement.strict
