"""Scores that estimate a likelihood ratio, learned on training samples from features that suit matrices.

The features are rounded to about a thousandth of their spread before anything is learned or evaluated, and so is the
score: low-order bits cannot speak, and what is found is in the mathematics. Learned scores are kept as plain numbers
(coefficients or trees), so that another process, and a reader without scikit-learn, evaluates the same event.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import frozen

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.search.counted import entries_of
from dpmatrix.auditing.search.family import FeatureFamily
from dpmatrix.errors import MissingExtraError

_STEPS_PER_SPREAD = 2.0**10
_FARTHEST = 2.0**14
_SCORE_STEPS = 2.0**6
_TREES = 60
_DEPTH = 3
_MOST_TO_BOOST = 20_000
_LEAST_RELATIVE_STEP = 2.0**-40


@frozen(eq=False)
class Tree:
    """A regression tree; node 0 is the root, and a node whose ``left`` is negative is a leaf."""

    feature: tuple[int, ...]
    threshold: tuple[float, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    value: tuple[float, ...]

    def evaluate(self, columns: FloatArray) -> FloatArray:
        """Map features of shape (b, k) to values of shape (b,)."""
        feature, left, right = (np.array(part) for part in (self.feature, self.left, self.right))
        threshold, node = np.array(self.threshold), np.zeros(len(columns), dtype=np.int64)
        rows = np.arange(len(columns))
        for _ in range(_DEPTH):
            inner = left[node] >= 0
            goes_left = columns[rows, np.where(inner, feature[node], 0)] <= threshold[node]
            node = np.where(inner, np.where(goes_left, left[node], right[node]), node)
        return np.asarray(np.array(self.value)[node])


@frozen(eq=False)
class LearnedScore:
    """A rounded score of rounded features.

    Attributes
    ----------
    method
        How it was learned, in words.
    medians
        Two tuples: the medians of the output's entries on the data and on the neighbour, in training.
    centres, steps
        Of the features, which are read in multiples of their step.
    coefficients
        Of a linear score; empty for trees.
    trees
        Whose values add up; empty for a linear score.
    """

    method: str
    medians: tuple[tuple[float, ...], tuple[float, ...]]
    centres: tuple[float, ...]
    steps: tuple[float, ...]
    coefficients: tuple[float, ...] = ()
    trees: tuple[Tree, ...] = ()

    def family(self, families: Sequence[FeatureFamily]) -> FeatureFamily:
        """Return the score as a feature, given the families of the pair and output shape that it was learned on."""

        def compute(batch: FloatArray) -> FloatArray:
            raw = raw_features(families, batch, self.medians)
            columns = rounded_features(raw, np.array(self.centres), np.array(self.steps))
            if self.coefficients:
                total = columns @ np.array(self.coefficients)
            else:
                total = np.sum([tree.evaluate(columns) for tree in self.trees], axis=0)
            return np.asarray(np.rint(total * _SCORE_STEPS)[None] / _SCORE_STEPS)

        return FeatureFamily((f"the score learned by {self.method}",), compute)

    def to_json(self) -> dict[str, Any]:
        """Return plain numbers."""
        names = ("feature", "threshold", "left", "right", "value")
        return {
            "method": self.method,
            "medians": [list(part) for part in self.medians],
            "centres": list(self.centres),
            "steps": list(self.steps),
            "coefficients": list(self.coefficients),
            "trees": [{name: list(getattr(tree, name)) for name in names} for tree in self.trees],
        }

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> LearnedScore:
        """Read what `to_json` returned."""
        first, second = (tuple(part) for part in record["medians"])
        trees = tuple(Tree(**{name: tuple(part) for name, part in tree.items()}) for tree in record["trees"])
        centres, steps, coefficients = (tuple(record[name]) for name in ("centres", "steps", "coefficients"))
        return cls(record["method"], (first, second), centres, steps, coefficients, trees)


def _entries(batch: FloatArray) -> FloatArray:
    """Return the first entries of outputs; matrices are taken for symmetric."""
    return entries_of(batch, symmetric=batch.ndim == 3)


def raw_features(
    families: Sequence[FeatureFamily], batch: FloatArray, medians: tuple[tuple[float, ...], tuple[float, ...]]
) -> FloatArray:
    """Return the features of all families, the entries, and how much nearer each is to one median; shape (b, k)."""
    entries = _entries(batch)
    nearer = np.abs(entries - np.array(medians[1])) - np.abs(entries - np.array(medians[0]))
    rows = [family.evaluate(batch).T for family in families]
    return np.concatenate([*rows, entries, nearer, nearer.sum(axis=1, keepdims=True)], axis=1)


def rounded_features(raw: FloatArray, centres: FloatArray, steps: FloatArray) -> FloatArray:
    """Return features in multiples of 2**-10 of a spread.

    Those far away or infinite are at the ends of a range, and those that are no numbers at the lower one.
    """
    steps_away = np.clip(np.rint((raw - centres) / steps), -_FARTHEST, _FARTHEST)
    return np.asarray(np.where(np.isnan(steps_away), -_FARTHEST, steps_away) / _STEPS_PER_SPREAD)


def _scales(raw: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return medians and steps; a step is never so small that it would let the low bits of a constant through."""
    finite = np.where(np.isfinite(raw), raw, np.nan)
    known = np.where(np.isnan(finite).all(axis=0), 0.0, finite)
    low, centres, high = np.nanpercentile(known, [25.0, 50.0, 75.0], axis=0)
    deviation = np.nanstd(known, axis=0)
    largest = np.nanmax(np.abs(known), axis=0)
    spread = np.where(high > low, high - low, deviation)
    floor = _LEAST_RELATIVE_STEP * largest
    return centres, np.maximum(np.maximum(spread / _STEPS_PER_SPREAD, floor), np.finfo(np.float64).tiny)


def _medians(batch: FloatArray) -> tuple[float, ...]:
    entries = _entries(batch)
    return tuple(float(value) for value in np.median(np.where(np.isfinite(entries), entries, 0.0), axis=0))


def _tree(fitted: Any, rate: float) -> Tree:  # noqa: ANN401 - scikit-learn has no types
    nodes = fitted.tree_
    return Tree(
        tuple(int(part) for part in nodes.feature),
        tuple(float(part) for part in nodes.threshold),
        tuple(int(part) for part in nodes.children_left),
        tuple(int(part) for part in nodes.children_right),
        tuple(rate * float(part) for part in nodes.value[:, 0, 0]),
    )


def learn_scores(
    families: Sequence[FeatureFamily], batch: FloatArray, other_batch: FloatArray, seed: int
) -> tuple[LearnedScore, ...]:
    """Learn to tell training outputs on the data from those on the neighbour.

    Parameters
    ----------
    families
        Features of the pair.
    batch, other_batch
        Outputs on the data and on the neighbour, equally many.
    seed
        Of the subsamples that boosting takes.

    Returns
    -------
    tuple of LearnedScore
        One of logistic regression, one of gradient boosting; greater where the data are the likelier.

    Raises
    ------
    MissingExtraError
        If scikit-learn is not installed.
    """
    try:
        linear = importlib.import_module("sklearn.linear_model")
        ensemble = importlib.import_module("sklearn.ensemble")
    except ImportError as error:
        raise MissingExtraError("scikit-learn", "audit") from error
    with np.errstate(all="ignore"):
        medians = (_medians(batch), _medians(other_batch))
        raw = np.concatenate([raw_features(families, part, medians) for part in (batch, other_batch)])
        centres, steps = _scales(raw)
        columns = rounded_features(raw, centres, steps)
    labels = np.repeat([1, 0], [len(batch), len(other_batch)])
    shared = (medians, tuple(map(float, centres)), tuple(map(float, steps)))
    with warnings.catch_warnings():
        # A poor fit is a poor event, never a wrong verdict.
        warnings.simplefilter("ignore")
        logistic = linear.LogisticRegression(C=1.0, solver="newton-cholesky", max_iter=50).fit(columns, labels)
    weights = tuple(float(value) for value in logistic.coef_[0])
    stride = max(1, len(columns) // _MOST_TO_BOOST)
    boosting = ensemble.GradientBoostingClassifier(
        n_estimators=_TREES, max_depth=_DEPTH, max_features="sqrt", subsample=0.5, random_state=seed
    ).fit(columns[::stride], labels[::stride])
    trees = tuple(_tree(fitted, boosting.learning_rate) for (fitted,) in boosting.estimators_)
    return (
        LearnedScore("logistic regression", *shared, coefficients=weights),
        LearnedScore("gradient boosting", *shared, trees=trees),
    )
