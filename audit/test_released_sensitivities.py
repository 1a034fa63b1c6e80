"""What one record changes at most, by every pattern of signs and by search: all that noise is scaled by.

The l1 norm of vv' - ww' is the greatest value of v'Sv - w'Sw over symmetric S of signs, halved beside the diagonal
where the upper triangle counts: so the sensitivity is a greatest spread of eigenvalues, over finitely many matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from flint import arb

from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.sensitivity import (
    Entries,
    frobenius_sensitivity,
    l1_sensitivity,
    nuclear_sensitivity,
    only_triangle,
    spectral_sensitivity,
)

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
FUNCTIONS: dict[str, Callable[..., arb]] = {
    "l1": l1_sensitivity,
    "frobenius": frobenius_sensitivity,
    "nuclear": nuclear_sensitivity,
    "spectral": spectral_sensitivity,
}
SIZES = (1, 2, 3, 4)


def spectra(size: int, beside: float) -> np.ndarray:
    """Give the eigenvalues of all symmetric matrices of signs, with zero for a record that is left out."""
    rows, columns = np.triu_indices(size)
    signs = np.array([*product((-1.0, 1.0), repeat=len(rows))])
    matrices = np.zeros((len(signs), size, size))
    matrices[:, rows, columns] = signs * np.where(rows == columns, 1.0, beside)
    matrices[:, columns, rows] = matrices[:, rows, columns]
    return np.concatenate([np.linalg.eigvalsh(matrices), np.zeros((len(signs), 1))], axis=1)


@pytest.mark.parametrize("relation", [REPLACE, ADD], ids=["replace", "add"])
@pytest.mark.parametrize("entries", [*Entries], ids=["full", "triangle"])
@pytest.mark.parametrize("size", SIZES)
def test_sums_of_absolute_changes_are_greatest_spreads(size: int, entries: Entries, relation: Adjacency) -> None:
    values = spectra(size, 1.0 if entries is Entries.FULL else 0.5)
    most = np.ptp(values, axis=1) if relation is REPLACE else np.abs(values).max(axis=1)
    found = l1_sensitivity(size, relation, entries)
    assert float(found.mid()) == pytest.approx(most.max(), rel=1e-12)
    twice = l1_sensitivity(size, relation, entries, Fraction(3, 2))
    assert float(twice.mid()) == pytest.approx(most.max() * 9 / 4, rel=1e-12)


@pytest.mark.parametrize("relation", [REPLACE, ADD], ids=["replace", "add"])
@pytest.mark.parametrize("size", SIZES)
def test_norms_of_changes_are_met_and_never_exceeded(size: int, relation: Adjacency) -> None:
    """Two unit vectors that are orthogonal, or one alone, do the most."""
    rng = np.random.default_rng(20261130)
    first, second = rng.normal(size=(2, 400, size))
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    second *= rng.uniform(0, 1, size=(400, 1)) / np.linalg.norm(second, axis=1, keepdims=True)
    second[0] = 0
    if size > 1:
        first[1], second[1] = np.eye(size)[0], np.eye(size)[1]
    changes = first[:, :, None] * first[:, None, :]
    if relation is REPLACE:
        changes = changes - second[:, :, None] * second[:, None, :]
    values = np.abs(np.linalg.eigvalsh(changes))
    norms = {
        "frobenius": np.sqrt((values**2).sum(axis=1)),
        "nuclear": values.sum(axis=1),
        "spectral": values.max(axis=1),
    }
    triangle = np.sqrt((changes[:, *np.triu_indices(size)] ** 2).sum(axis=1))
    for name, found in norms.items():
        most = float(FUNCTIONS[name](size, relation).mid())
        assert found.max() == pytest.approx(most, rel=1e-12), name
        scaled = float(FUNCTIONS[name](size, relation, norm_bound=Fraction(3, 2)).mid())
        assert scaled == pytest.approx(most * 9 / 4, rel=1e-12), name
    assert triangle.max() == pytest.approx(norms["frobenius"].max(), rel=1e-12)


@pytest.mark.parametrize("name", [*FUNCTIONS])
def test_what_is_no_size_relation_or_bound_is_refused(name: str) -> None:
    function = FUNCTIONS[name]
    for size, relation, bound, named in (
        (0, REPLACE, 1, "dimension"),
        (2, "replace-one", 1, "adjacency"),
        (2, ADD, -1, "norm_bound"),
        (2, ADD, float("inf"), "norm_bound"),
        (2, ADD, float("nan"), "norm_bound"),
    ):
        with pytest.raises(InvalidParameterError, match=named):
            function(size, relation, norm_bound=bound)


def test_entries_are_one_choice_or_the_other() -> None:
    assert only_triangle(Entries.UPPER_TRIANGLE)
    assert not only_triangle(Entries.FULL)
    for other in ("full", "upper-triangle", None, True):
        with pytest.raises(InvalidParameterError, match="entries"):
            only_triangle(other)  # type: ignore[arg-type]  # a wrong type is what is tried
