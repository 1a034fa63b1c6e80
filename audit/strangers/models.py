"""Models by hand: principal components, regressions, classifiers, scalers."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from audit.strangers.record import ADD_REMOVE, Array, faulty, right

ROWS = "records are points of the unit ball"
POINTS = "column 0 is x and column 1 is y"
LABEL = "a positive column 1 is the label churned, the absolute value of column 0 is the feature"


@faulty(
    "Each sum moves by at most 1, but the three of them together by up to the root of 3.",
    reads=ROWS,
    adjacency=ADD_REMOVE,
    exactly=math.sqrt(3),
)
def column_sums(data: Array, generator: Generator) -> Array:
    """A data scientist publishes the sum of each feature of records that are scaled to norm at most one."""
    epsilon = 1.0
    return np.asarray(data.sum(axis=0) + generator.laplace(scale=1 / epsilon, size=3))


@right(reads=ROWS, adjacency=ADD_REMOVE, exactly=1.0)
def column_sums_together(data: Array, generator: Generator) -> Array:
    """A data scientist publishes the sum of each feature of records that are scaled to norm at most one.

    The absolute values of three numbers of Euclidean norm 1 add up to at most the root of 3, which is the sensitivity,
    and three equal numbers reach it.
    """
    epsilon = 1.0
    sensitivity = math.sqrt(data.shape[1])
    return np.asarray(data.sum(axis=0) + generator.laplace(scale=sensitivity / epsilon, size=3))


@faulty(
    "Six entries get noise for a change of 1, and a record changes them by up to 2 together.",
    reads=ROWS,
    adjacency=ADD_REMOVE,
    exactly=2.0,
)
def scatter(data: Array, generator: Generator) -> Array:
    """A statistician publishes X'X with symmetric noise, since no entry of it moves by more than 1."""
    epsilon = 1.0
    noise = np.triu(generator.laplace(scale=1 / epsilon, size=(3, 3)))
    return np.asarray(data.T @ data + noise + np.triu(noise, 1).T)


@right(reads=ROWS, adjacency=ADD_REMOVE)
def first_component(data: Array, generator: Generator) -> Array:
    """A statistician publishes the first principal component of a noisy X'X.

    The upper triangle of xx' has absolute values that add up to ((|a| + |b| + |c|)^2 + 1) / 2, at most 2 for a record
    of norm 1. The scale 2 / epsilon pays for that, and the eigenvector is computed from the noisy matrix.
    """
    epsilon = 1.0
    noise = np.triu(generator.laplace(scale=2 / epsilon, size=(3, 3)))
    _, vectors = np.linalg.eigh(data.T @ data + noise + np.triu(noise, 1).T)
    vector = vectors[:, -1]
    return np.asarray(vector * np.sign(vector[np.argmax(np.abs(vector))]))


@faulty("An exact eigenvector can turn by a right angle with one record, not by 2/n.", reads=ROWS, at_least=20.0)
def first_component_blurred(data: Array, generator: Generator) -> Array:
    """A statistician publishes the first principal component with a little noise."""
    epsilon = 1.0
    _, vectors = np.linalg.eigh(data.T @ data)
    vector = vectors[:, -1] * np.sign(vectors[np.argmax(np.abs(vectors[:, -1])), -1])
    return np.asarray(vector + generator.laplace(scale=2 / (len(data) * epsilon), size=3))


@faulty(
    "The sum is divided by its own norm, which may be as small as one record.", reads=ROWS, exactly=20 * math.sqrt(3)
)
def mean_direction(data: Array, generator: Generator) -> Array:
    """A geographer publishes the mean direction of the wind as a vector of length one."""
    epsilon = 1.0
    total = data.sum(axis=0)
    direction = total / (np.linalg.norm(total) or 1.0)
    return np.asarray(direction + generator.laplace(scale=2 / (len(data) * epsilon), size=3))


@faulty("The scaler is fitted on the data: one record at an end moves all the others.", reads=ROWS, exactly=19.0)
def mean_of_scaled(data: Array, generator: Generator) -> float:
    """A data scientist scales a feature to 0 and 1, as always, before she takes a private mean."""
    epsilon = 1.0
    feature = data[:, 0]
    scaled = (feature - feature.min()) / (np.ptp(feature) or 1.0)
    return float(scaled.mean() + generator.laplace(scale=1 / (len(data) * epsilon)))


@faulty("The slope divides by an exact sum of squares, which may be next to 0.", reads=POINTS, exactly=math.inf)
def slope(data: Array, generator: Generator) -> float:
    """An economist fits a line through the origin and adds noise to its slope."""
    epsilon = 1.0
    x, y = data[:, 0], data[:, 1]
    squares = (x * x).sum()
    fitted = (x * y).sum() / squares if squares > 0 else 0.0
    return float(fitted + generator.laplace(scale=2 / (len(data) * epsilon)))


@faulty("Both statistics get all of epsilon, and a record can move both.", reads=POINTS, exactly=math.sqrt(2))
def line_statistics(data: Array, generator: Generator) -> Array:
    """An economist publishes the two sums that a line through the origin is fitted from."""
    epsilon = 1.0
    x, y = data[:, 0], data[:, 1]
    squares = (x * x).sum() + generator.laplace(scale=1 / epsilon)
    products = (x * y).sum() + generator.laplace(scale=1 / epsilon)
    return np.array([squares, products])


@right(reads=POINTS)
def slope_of_statistics(data: Array, generator: Generator) -> float:
    """An economist fits a line through the origin to two noisy sums.

    The squares lie between 0 and 1 and the products between -1/2 and 1/2, so that each sum moves by at most 1 and has
    half of epsilon. The slope is computed from the noisy sums.
    """
    epsilon = 1.0
    x, y = data[:, 0], data[:, 1]
    squares = (x * x).sum() + generator.laplace(scale=2 / epsilon)
    products = (x * y).sum() + generator.laplace(scale=2 / epsilon)
    return float(products / max(squares, 0.1))


@faulty("A correlation can move by 2 with one record, not by 2/n.", reads=POINTS, exactly=20.0)
def correlation(data: Array, generator: Generator) -> float:
    """A psychologist publishes the correlation of two scores around 0."""
    epsilon = 1.0
    x, y = data[:, 0], data[:, 1]
    norms = np.linalg.norm(x) * np.linalg.norm(y)
    exact = (x @ y) / norms if norms > 0 else 0.0
    return float(exact + generator.laplace(scale=2 / (len(data) * epsilon)))


@faulty("The rate of the label is released as it is, beside the noisy model.", reads=LABEL, exactly=math.inf)
def churn_model(data: Array, generator: Generator) -> Array:
    """A telephone company releases a threshold model with its intercept, the rate of churn."""
    epsilon = 1.0
    feature, churned = np.abs(data[:, 0]), data[:, 1] > 0
    weight = feature[churned].sum() - feature[~churned].sum() + generator.laplace(scale=2 / epsilon)
    return np.array([weight, churned.mean()])


@right(reads=LABEL.replace("the absolute value of column 0", "column 0, between -1 and 1,"), exactly=1.0)
def class_sums(data: Array, generator: Generator) -> Array:
    """A telephone company releases the sum of a feature for each label, both with the noise of a single sum.

    A record that keeps its label moves one sum by at most 2. One that changes it moves each sum by at most 1, so that 2
    covers both, and from -1 to 1 nothing is left.
    """
    epsilon = 1.0
    feature, churned = data[:, 0], data[:, 1] > 0
    sums = np.array([feature[churned].sum(), feature[~churned].sum()])
    return np.asarray(sums + generator.laplace(scale=2 / epsilon, size=2))
