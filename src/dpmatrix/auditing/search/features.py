"""Numbers read off an output that may tell two data sets apart, whatever mechanism produced the output."""

from __future__ import annotations

from typing import TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.search.additive_noise import additive_noise_families
from dpmatrix.auditing.search.family import Evaluation, FeatureFamily
from dpmatrix.errors import InvalidParameterError

Known: TypeAlias = dict[tuple[tuple[int, ...], float], tuple[FeatureFamily, ...]]

_COORDINATES_SHOWN = 16
_RANK_TOLERANCE = 1e-10


def _schur_complements(batch: FloatArray, directions: FloatArray) -> FloatArray:
    """Return ``1 / (u' S^-1 u)`` for each column u, by solving, or by eigenvalues where some S is singular."""
    try:
        solutions = np.linalg.solve(batch, np.broadcast_to(directions, (len(batch), *directions.shape)))
        inverse_forms = np.einsum("ik,bik->kb", directions, solutions)
    except np.linalg.LinAlgError:
        eigenvalues, eigenvectors = np.linalg.eigh(batch)
        weights = np.einsum("ik,bij->kbj", directions, eigenvectors) ** 2
        inverse_forms = np.sum(np.where(weights > 0, weights / eigenvalues, 0.0), axis=2)
    return np.asarray(1.0 / inverse_forms)


def _spectrum(batch: FloatArray) -> FloatArray:
    eigenvalues = np.linalg.eigvalsh(batch)
    sizes = np.abs(eigenvalues)
    rank = np.sum(sizes > _RANK_TOLERANCE * sizes.max(axis=1, keepdims=True), axis=1)
    norm = np.sqrt(np.sum(eigenvalues**2, axis=1))
    return np.stack([eigenvalues[:, 0], eigenvalues[:, -1], np.log(sizes).sum(axis=1), rank, norm])


def _smallest_residual_eigenvalue(reference: FloatArray) -> Evaluation:
    return lambda batch: np.asarray(np.linalg.eigvalsh(batch - reference)[None, :, 0], dtype=np.float64)


def _entrywise(flatten: Evaluation, reference: FloatArray, other: FloatArray) -> Evaluation:
    """Compare outputs with two references of shape (1, k), entry by entry.

    The numbers are: how much nearer in l1 the output is to the first; and how far the least advanced entry that tells
    the two apart has gone beyond the first, and beyond the second, on the way that leads from the other.
    """
    difference = (reference - other)[0]
    scale = float(np.max(np.abs(difference)))
    moved = np.abs(difference) > _RANK_TOLERANCE * scale
    signs = np.sign(difference[moved])

    def compute(batch: FloatArray) -> FloatArray:
        flat = flatten(batch)
        nearer = np.abs(flat - other).sum(axis=1) - np.abs(flat - reference).sum(axis=1)
        beyond_first = np.min(signs * (flat[:, moved] - reference[:, moved]), axis=1)
        beyond_second = np.min(-signs * (flat[:, moved] - other[:, moved]), axis=1)
        return np.stack([nearer, beyond_first, beyond_second])

    return compute


def _entrywise_family(what: str, flatten: Evaluation, first: FloatArray, second: FloatArray) -> FeatureFamily:
    names = (
        f"the l1 distance to {what} of the neighbour less that to {what} of the data",
        f"the least excess of an entry over {what} of the data, away from the neighbour's",
        f"the least excess of an entry over {what} of the neighbour, away from the data's",
    )
    return FeatureFamily(names, _entrywise(flatten, flatten(first[None]), flatten(second[None])))


def _scales(pair: NeighbouringPair) -> tuple[tuple[str, float], ...]:
    records = max(len(pair.data), len(pair.neighbour))
    return (("", 1.0),) if records == 1 else (("", 1.0), (" / n", 1.0 / records))


def _matrix_families(pair: NeighbouringPair, dimension: int, norm_bound: float) -> tuple[FeatureFamily, ...]:
    upper = np.triu_indices(dimension)
    named = pair.directions()
    names = [f"u = {name} ({index})" for index, (name, _) in enumerate(named)]
    directions = np.stack([vector for _, vector in named], axis=1) if named else np.eye(dimension)[:, :1]
    names = names or ["u = the first basis vector"]
    families = [
        FeatureFamily(
            tuple(f"u'Su for {name}" for name in names),
            lambda batch: np.einsum("ik,bij,jk->kb", directions, batch, directions, optimize=True),
        ),
        FeatureFamily(
            tuple(f"1/(u'S^-1 u) for {name}" for name in names),
            lambda batch: _schur_complements(batch, directions),
        ),
        FeatureFamily(
            ("the least eigenvalue", "the greatest eigenvalue", "log |det S|", "the rank", "the Frobenius norm"),
            _spectrum,
        ),
        FeatureFamily(("the trace",), lambda batch: np.trace(batch, axis1=1, axis2=2)),
    ]
    for suffix, scale in _scales(pair):
        moments = [scale * norm_bound**2 * (data.T @ data) for data in (pair.data, pair.neighbour)]
        for whose, moment in zip(("data", "neighbour"), moments, strict=True):
            name = f"the least eigenvalue of S - X'X{suffix}, X the {whose}"
            families.append(FeatureFamily((name,), _smallest_residual_eigenvalue(moment)))
        if not np.array_equal(moments[0], moments[1]):
            families.append(_entrywise_family(f"X'X{suffix}", lambda batch: batch[:, *upper], *moments))
    return tuple(families)


def _vector_families(pair: NeighbouringPair, length: int, norm_bound: float) -> tuple[FeatureFamily, ...]:
    norm_names = ("the Euclidean norm", "the l1 norm", "the largest absolute entry", "the sum of the entries")
    families = [
        FeatureFamily(
            norm_names,
            lambda batch: np.stack(
                [
                    np.linalg.norm(batch, axis=1),
                    np.abs(batch).sum(axis=1),
                    np.abs(batch).max(axis=1),
                    batch.sum(axis=1),
                ]
            ),
        )
    ]
    shown = min(length, _COORDINATES_SHOWN)
    projections = [(f"coordinate {index}", np.eye(length)[index]) for index in range(shown)]
    if length == pair.data.shape[1]:
        projections.extend((f"the projection on {name} ({k})", u) for k, (name, u) in enumerate(pair.directions()))
        for suffix, scale in _scales(pair):
            sums = [scale * norm_bound * data.sum(axis=0) for data in (pair.data, pair.neighbour)]
            if not np.array_equal(sums[0], sums[1]):
                families.append(_entrywise_family(f"the sum of the records{suffix}", lambda batch: batch, *sums))
    matrix = np.stack([vector for _, vector in projections])
    names = tuple(name for name, _ in projections)
    families.append(FeatureFamily(names, lambda batch: matrix @ batch.T))
    families.append(FeatureFamily(tuple(f"|{name}|" for name in names), lambda batch: np.abs(matrix @ batch.T)))
    return tuple(families)


def _first_not_finite(batch: FloatArray) -> FloatArray:
    """Return a number for the place and the kind of the first entry that is not finite, 0 without one; shape (1, b)."""
    flat = batch.reshape(len(batch), -1)
    wrong = ~np.isfinite(flat)
    if not wrong.any():
        return np.zeros((1, len(batch)))
    first = np.argmax(wrong, axis=1)
    values = flat[np.arange(len(flat)), first]
    kind = np.select([np.isnan(values), np.isposinf(values), np.isneginf(values)], [1, 2, 3], default=0)
    return np.asarray(np.where(kind > 0, 3.0 * first + kind, 0.0))[None]


_NOT_FINITE = FeatureFamily(
    ("3 k and 1 for NaN, 2 for inf, 3 for -inf, in the first entry k that is not finite (else 0)",),
    _first_not_finite,
    takes_all=True,
)


_KNOWN: WeakKeyDictionary[NeighbouringPair, Known] = WeakKeyDictionary()
"""The families of the pairs that are in use, by output shape and norm bound; no family refers to its pair."""


def _of_entries(family: FeatureFamily) -> FeatureFamily:
    """Read a family for vectors as one for matrices."""
    return FeatureFamily(family.names, lambda batch: family.compute(batch.reshape(len(batch), -1)))


def feature_families(
    pair: NeighbouringPair, output_shape: tuple[int, ...], norm_bound: float = 1.0
) -> tuple[FeatureFamily, ...]:
    """List what may tell the outputs on the two data sets of a pair apart.

    Parameters
    ----------
    pair
        The data sets, which give directions and reference statistics.
    output_shape
        Shape of one output: () for scalars, (k,) for vectors, (k, k) for matrices. Matrices are taken for symmetric
        of the data's dimension; those of another dimension are read as vectors of entries.
    norm_bound
        What the algorithm multiplies the records of the pair by, which lie in the unit ball.

    Returns
    -------
    tuple of FeatureFamily

    Raises
    ------
    InvalidParameterError
        If an output is neither a scalar, nor a vector, nor a square matrix.
    """
    known = _KNOWN.setdefault(pair, {})
    if (output_shape, norm_bound) not in known:
        known[output_shape, norm_bound] = (*_finite_families(pair, output_shape, norm_bound), _NOT_FINITE)
    return known[output_shape, norm_bound]


def _finite_families(
    pair: NeighbouringPair, output_shape: tuple[int, ...], norm_bound: float
) -> tuple[FeatureFamily, ...]:
    if output_shape == ():
        return (FeatureFamily(("the output", "|the output|"), lambda batch: np.stack([batch, np.abs(batch)])),)
    further = additive_noise_families(pair, output_shape, norm_bound)
    if len(output_shape) == 1:
        return (*_vector_families(pair, output_shape[0], norm_bound), *further)
    if len(output_shape) != 2 or output_shape[0] != output_shape[1]:
        raise InvalidParameterError("output_shape", f"{output_shape} is not known", "return (), (k,) or (k, k)")
    if output_shape[0] == pair.data.shape[1]:
        return (*_matrix_families(pair, output_shape[0], norm_bound), *further)
    return tuple(_of_entries(family) for family in _vector_families(pair, output_shape[0] ** 2, norm_bound))
