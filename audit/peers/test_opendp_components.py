"""Principal components of opendp 0.16: means keep their promise, eigenvalues do about the origin, eigenvectors do not.

Outputs are rounded to multiples of 2**-30, and the claim is the one that the measurement's own map states for one
replaced record. A violation is certified, and an alarm on a mechanism that keeps its promise rung, with probability at
most 1e-9 each.

All of these are behind ``contrib`` and ``idealized-numerics``: opendp says itself that their proofs have not gone
through its vetting and that their arithmetic is taken for exact. ``_make_eigenvector`` and ``_make_np_sscp`` are
private modules; `make_private_np_eigendecomposition`, `make_private_pca` and ``PCA`` are public.

*What violates.*

``make_private_eigenvector`` (``extras/sklearn/_make_eigenvector/__init__.py``, lines 83-85) and with it
``make_private_eigenvectors``, ``make_private_np_eigendecomposition``, ``make_private_pca`` and ``PCA``: the probability
of acceptance is divided by ``(u' Omega u)**(d/2)`` where it has to be multiplied by it, as in diffprivlib, see
`test_bingham_samplers`, and `test_bingham_loss` for what that costs: 3.6 at d = 5, 4.2 at d = 6 where 2 is claimed.
opendp's numbers 2416 and 2422 repaired another fault of the same line, a comparison that was missing.

The same function, line 60, searches the constant of its envelope by bisection, which refuses a search without a sign
change. Where the second moment is a multiple of the identity (the zero matrix is one) all eigenvalues of A are zero,
the predicate holds all over the bounds, and the release ends in an exception; one record more along an axis, and it
does not. An exception is an output. So these data sets are told from their neighbours with certainty, at every epsilon
and in every dimension from two on. ``PCA`` centres with noise first, so that it does not fail on these data.

``make_np_sscp`` (``extras/numpy/_make_np_sscp/__init__.py``, lines 43-52) forgets the origin of its domain. Records
within the norm of an origin far from zero move the second moment by more than the square of that norm, for which the
noise of the eigenvalues and eigenvectors is made. opendp knows it under its number 2952; this is its example.

*What is a matter of accounting.* ``PCA`` (``extras/sklearn/decomposition/__init__.py``, line 334) hands
``epsilon / n_changes * 2`` to `make_private_pca`, which wants the expense for a changed record. The map of its own
measurement says twice the epsilon that the constructor was given, for one record added or removed as for one replaced.
Its docstring does not say what epsilon is, and no loss was shown here.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import opendp.prelude as dp
import pytest
from opendp.extras.numpy import _sscp_domain
from opendp.extras.numpy._make_np_mean import make_private_np_mean
from opendp.extras.numpy._make_np_sscp import make_np_sscp
from opendp.extras.sklearn._make_eigendecomposition import make_private_np_eigendecomposition
from opendp.extras.sklearn._make_eigenvalues import then_eigenvalues
from opendp.extras.sklearn._make_eigenvector import make_private_eigenvector
from opendp.mod import OpenDPException

from dpmatrix.auditing import NeighbouringPair
from dpmatrix.privacy import Adjacency, GaussianProfile

dp.enable_features("contrib", "idealized-numerics", "honest-but-curious")
REPLACE = Adjacency.REPLACE_ONE
WIDE, RECORDS = 100, 200
WRONG_LAW = "extras/sklearn/_make_eigenvector/__init__.py:83, the inverse of the proposal's density"
NO_ENVELOPE = "extras/sklearn/_make_eigenvector/__init__.py:60, the search raises where all eigenvalues agree"
DELTA = float(GaussianProfile(1, 1).delta(1).upper())


def records(dimension: int, count: int):
    return dp.numpy.array2_domain(norm=1.0, p=2, size=count, num_columns=dimension, nan=False, T=float)


def decomposition(dimension: int, count: int, eigenvalues: float, eigenvector: float):
    domain = records(dimension, count)
    return make_private_np_eigendecomposition(domain, dp.symmetric_distance(), eigenvalues, [eigenvector])


def projectors(directions: list[np.ndarray]) -> np.ndarray:
    """Return ``u u'`` of each, since a direction has no sign."""
    drawn = np.array(directions)
    return drawn[:, :, None] * drawn[:, None, :]


def many(once: Callable[[np.ndarray], object]):
    return lambda data, size, _: np.array([np.asarray(once(data)) for _ in range(size)])


@pytest.mark.parametrize(("dimension", "outputs"), [(1, 4000), (3, 4000), (20, 3000), (200, 300)])
def test_eigenvalues_about_the_origin_keep_their_promise(audited_mathematics, dimension: int, outputs: int) -> None:
    moment = make_np_sscp(records(dimension, 2), dp.symmetric_distance())
    measurement = moment >> then_eigenvalues() >> dp.m.then_laplace(2.0) >> dp.as_array()
    epsilon = measurement.map(2)
    assert epsilon == pytest.approx(1)
    axes = np.eye(3, dimension) if dimension > 1 else np.array([[1.0], [0.5], [0.0]])
    pair = NeighbouringPair("a record for another", REPLACE, axes[[0, 0]], axes[:2])
    assert not audited_mathematics(
        many(measurement), [pair], epsilon=epsilon, training=40, confirmation=outputs
    ).violated


def test_eigenvalues_about_another_point_violate_their_promise(audited_mathematics, with_numpy) -> None:
    """Five records at the origin of the domain; the sixth goes from one side of it to the other, within the norm.

    The top eigenvalue goes from 581 to 621, and its noise is of scale two.
    """
    with_numpy(np.random.default_rng())
    origin = np.array([10.0, 0.0])
    domain = dp.numpy.array2_domain(norm=1.0, p=2, origin=origin, size=6, num_columns=2, nan=False, T=float)
    measurement = make_private_np_eigendecomposition(domain, dp.symmetric_distance(), 1.0, [1.0])
    assert measurement.map(2) == pytest.approx(2)
    # Records are given as they lie about the origin of the domain.
    rest, side = np.zeros((5, 2)), np.eye(1, 2)
    pair = NeighbouringPair("either side of the origin", REPLACE, np.vstack([rest, -side]), np.vstack([rest, side]))
    assert domain.member(pair.data + origin)
    assert domain.member(pair.neighbour + origin)
    cause = "extras/numpy/_make_np_sscp/__init__.py:46, the origin of the domain is forgotten (opendp 2952)"
    result = audited_mathematics(
        many(lambda data: max(measurement(data + origin)[0])),
        [pair],
        epsilon=2,
        training=50,
        confirmation=500,
        cause=cause,
    )
    # Of 500 against none so much is left after a factor of exp(2).
    assert result.delta_lower_bound_at_epsilon > 0.6


@pytest.mark.parametrize("dimension", [1, 3, 20])
@pytest.mark.parametrize("norm", [1, 2])
def test_means_keep_their_promise(audited_mathematics, dimension: int, norm: int) -> None:
    domain = dp.numpy.array2_domain(norm=1.0, p=norm, size=2, num_columns=dimension, nan=False, T=float)
    # The mean of two records moves by one.
    measurement = make_private_np_mean(domain, dp.symmetric_distance(), 1.0, norm=1.0, p=norm)
    claims = {1: {"epsilon": measurement.map(2)}, 2: {"epsilon": 1, "delta": DELTA}}
    assert measurement.map(2) == pytest.approx({1: 1, 2: 0.5}[norm])
    axis = np.eye(1, dimension)
    pair = NeighbouringPair("opposite axes", REPLACE, np.vstack([axis, axis]), np.vstack([axis, -axis]))
    result = audited_mathematics(many(measurement), [pair], training=100, confirmation=3000, **claims[norm])
    assert not result.violated


@pytest.mark.parametrize("dimension", [2, 20, 200])
def test_an_equal_spectrum_is_told_by_an_exception(audited_mathematics, with_numpy, dimension: int) -> None:
    """Certified: delta near one, with a probability of one on the data set and of zero on its neighbour."""
    with_numpy(np.random.default_rng())
    measurement = decomposition(dimension, dimension, 0.5, 0.5)
    data = np.eye(dimension)
    pair = NeighbouringPair("every axis once; one of them twice", REPLACE, data, np.vstack([data[1:2], data[1:]]))

    def refused(data: np.ndarray) -> bool:
        try:
            measurement(data)
        except OpenDPException as refusal:
            return "binary_search" in str(refusal)
        return False

    epsilon = measurement.map(2)
    assert epsilon == pytest.approx(1)
    result = audited_mathematics(
        many(refused), [pair], epsilon=epsilon, training=10, confirmation=200, cause=NO_ENVELOPE
    )
    assert result.violated
    assert (result.counts.hits, result.counts.other_hits) == (200, 0)


def test_an_eigenvector_violates_its_promise(audited_mathematics, with_numpy, strong_axes) -> None:
    """Certified: about 2.4 where 2 is claimed; by quadrature it is 4.2."""
    dimension = 6
    domain = _sscp_domain(num_features=dimension, norm=1.0, p=2, size=2 * RECORDS, T=float)

    def target(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        # The generator is asked for where the measurement is made.
        with_numpy(generator)
        measurement = make_private_eigenvector(domain, dp.symmetric_distance(), 2.0)
        assert measurement.map(2) == pytest.approx(2)
        moment = data.T @ data
        return projectors([np.asarray(measurement(moment)) for _ in range(size)])

    pairs = [strong_axes(dimension, RECORDS)]
    result = audited_mathematics(target, pairs, epsilon=2, training=300, confirmation=8000, cause=WRONG_LAW)
    assert result.violated


def test_eigenvectors_violate_the_promise_of_the_decomposition(audited_mathematics, with_numpy, strong_axes) -> None:
    """The user gives the eigenvectors any share of epsilon, so that the whole is over its promise."""
    dimension = 6
    measurement = decomposition(dimension, 2 * RECORDS, 0.02, 2.0)

    def target(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        with_numpy(generator)
        return projectors([np.asarray(measurement(data)[1])[:, 0] for _ in range(size)])

    epsilon = measurement.map(2)
    assert epsilon == pytest.approx(2.02)
    pairs = [strong_axes(dimension, RECORDS)]
    result = audited_mathematics(target, pairs, epsilon=epsilon, training=300, confirmation=7000, cause=WRONG_LAW)
    assert result.violated


def test_the_map_of_pca_says_twice_the_epsilon_of_its_constructor(record_property) -> None:
    model = dp.sklearn.decomposition.PCA(epsilon=1.0, row_norm=1.0, n_samples=10, n_features=2)
    measurement = model.measurement()
    cause = "extras/sklearn/decomposition/__init__.py:334, the factor 2"
    said = f"its own map says {measurement.map(1):.3g} for a record added or removed, {measurement.map(2):.3g} replaced"
    record_property("tried", f"ACCOUNTING: given epsilon = 1; {said}; cause: {cause}")
    assert measurement.map(1) == pytest.approx(2)
    assert measurement.map(2) == pytest.approx(2)
