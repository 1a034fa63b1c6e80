"""What people publish who fit models, run games or count trips."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from audit.strangers.record import ADD_REMOVE, REPLACE, Array, faulty, right
from audit.strangers.truth import gaussian_epsilon

STEP_NOISE = 2 / 20 * math.sqrt(2 * math.log(1.25 / 1e-5))
BATCH_NOISE = 2 * 0.2 / 20 * math.sqrt(2 * math.log(1.25 / 1e-3)) / 2.0
SCATTER_NOISE = 3.7307
GRADIENT_NOISE = 0.8 * 0.6691
SAMPLED = math.log(1 + (math.exp(0.25) - 1) / 0.25)
RATE = 0.5


@faulty(
    "Each of four steps gets the noise that is right for one step, and all of them are published.",
    reads="the record is a point in space",
    epsilon=1.0,
    delta=1e-5,
    adjacency=REPLACE,
    exactly=gaussian_epsilon(2 * 2 / 20, STEP_NOISE, 1e-5),
)
def training_curve_of_the_centre(data: Array, generator: Generator) -> list[Array]:
    """A student publishes how gradient descent moves a centre, in four steps with normal noise on the gradient."""
    centre = np.zeros(3)
    curve = []
    for _ in range(4):
        gradient = (centre - data).mean(axis=0) + generator.normal(scale=STEP_NOISE, size=3)
        centre = centre - RATE * gradient
        curve.append(centre)
    return curve


@faulty(
    "The mean of the gradients is clipped in place of each of them.",
    reads="columns 0 and 1 are the features; column 2 >= 0 is the label",
    epsilon=2.0,
    delta=1e-3,
    adjacency=REPLACE,
    exactly=gaussian_epsilon(1 / 20, BATCH_NOISE, 1e-3),
)
def logistic_gradient_clipped_late(data: Array, generator: Generator) -> Array:
    """An engineer publishes the first gradient of a logistic regression, clipped at the norm 0.2."""
    features, labels = data[:, :2], data[:, 2] >= 0
    gradient = ((0.5 - labels)[:, None] * features).mean(axis=0)
    gradient = gradient / max(1.0, float(np.linalg.norm(gradient)) / 0.2)
    return np.asarray(gradient + generator.normal(scale=BATCH_NOISE, size=2))


@faulty(
    "Four sums over the same people are taken for separate data, and each gets the whole budget.",
    reads="column 0 is the regressor and column 1 the response, scaled to [-1, 1]",
    epsilon=0.4,
    adjacency=ADD_REMOVE,
    exactly=0.5 + 0.3 * math.sqrt(3),
    note="The figure is 0.4 times the maximum of |x| + |y| + x^2 + |x y| on the unit disc, at 30 degrees.",
)
def regression_from_four_sums(data: Array, generator: Generator) -> dict[str, float]:
    """An economist publishes the sums from which a regression line is computed, each of them of entries below 1."""
    x, y = data[:, 0], data[:, 1]
    sums = {"x": x.sum(), "y": y.sum(), "xx": (x * x).sum(), "xy": (x * y).sum()}
    return {name: float(value + generator.laplace(scale=1 / 0.4)) for name, value in sums.items()}


@faulty(
    "The noise is for a record that is added; one that is replaced moves the matrix by the root of 2.",
    reads="the record is a row of the matrix of which the principal axes are wanted",
    epsilon=1.0,
    delta=1e-5,
    adjacency=REPLACE,
    exactly=gaussian_epsilon(math.sqrt(2), SCATTER_NOISE, 1e-5),
)
def scatter_matrix_for_the_axes(data: Array, generator: Generator) -> Array:
    """An analyst publishes the scatter matrix with a symmetric normal matrix on it, for principal axes."""
    upper = np.triu(generator.normal(scale=SCATTER_NOISE, size=(3, 3)))
    return data.T @ data + upper + np.triu(upper, 1).T


@faulty(
    "Only the noise is rounded, so that the digits after the point are those of the true total.",
    reads="column 0 is the change of the distance to the city, scaled to [-1, 1]",
    epsilon=2.0,
    adjacency=REPLACE,
    exactly=math.inf,
)
def kilometres_with_whole_noise(data: Array, generator: Generator) -> float:
    """A transit authority publishes the total change of the distances, with noise in whole kilometres."""
    return float(data[:, 0].sum() + np.round(generator.laplace(scale=2 / 2.0)))


@faulty(
    "A score moves by 2, from -1 to 1, and the noise is for 1.",
    reads="column 0 is the score of the player, from -1 to 1",
    epsilon=1.0,
    adjacency=REPLACE,
    at_least=1.99999,
    note="It is at most 2, as the scores with their noise are.",
)
def winner_of_the_week(data: Array, generator: Generator) -> str:
    """A game publishes the player with the highest score, after noise on every score."""
    noisy = data[:, 0] + generator.laplace(scale=1 / 1.0, size=len(data))
    return f"player {noisy.argmax() + 1}"


@faulty(
    "A person is taken to move only the own error, but also moves what the other folds are told to predict.",
    reads="column 0 >= 0 is the label",
    epsilon=0.1,
    adjacency=REPLACE,
    exactly=1.3,
)
def cross_validated_majority(data: Array, generator: Generator) -> float:
    """A student publishes the error rate of the majority label, by cross-validation in five folds."""
    labels = data[:, 0] >= 0
    folds = np.array_split(np.arange(len(labels)), 5)
    errors = 0
    for fold in folds:
        majority = np.delete(labels, fold).mean() >= 0.5
        errors += (labels[fold] != majority).sum()
    return float(errors / len(labels) + generator.laplace(scale=1 / len(labels) / 0.1))


@right(
    reads="columns 0 and 1 are the features; column 2 is the response",
    epsilon=4.0,
    delta=1e-2,
    adjacency=REPLACE,
    exactly=gaussian_epsilon(0.8, GRADIENT_NOISE, 1e-2),
)
def least_squares_gradient(data: Array, generator: Generator) -> Array:
    """An engineer publishes the first gradient of a linear regression, each record's clipped at the norm 0.4.

    Replacing a record moves the sum by at most 0.8. The exact curve of normal noise gives the claim for that shift.
    """
    gradients = -data[:, 2, None] * data[:, :2]
    norms = np.linalg.norm(gradients, axis=1)
    clipped = gradients / np.maximum(1.0, norms / 0.4)[:, None]
    return np.asarray(clipped.sum(axis=0) + generator.normal(scale=GRADIENT_NOISE, size=2))


@right(
    reads="the record is the way that a player went, in space",
    epsilon=1.0,
    adjacency=REPLACE,
    exactly=1.0,
    note="The figure is a limit: far out, in the direction of the shift.",
)
def sum_of_all_ways(data: Array, generator: Generator) -> Array:
    """A game publishes the sum of the ways of all players, with noise of a random direction.

    A radius of Gamma shape 3 and a uniform direction have a density in proportion to exp(-|z| / 2). Replacing a record
    moves the sum by at most 2 in norm.
    """
    direction = generator.normal(size=3)
    return np.asarray(data.sum(axis=0) + generator.gamma(3, scale=2.0) * direction / np.linalg.norm(direction))


@right(
    reads="column 0 is how the battery of the scooter changed, from -1 to 1",
    epsilon=0.25,
    adjacency=ADD_REMOVE,
    exactly=0.25,
)
def sampled_battery_change(data: Array, generator: Generator) -> float:
    """A scooter firm publishes the total change of the batteries in a random sample of a quarter.

    Each record is in the sample by a coin of its own, of chance 1/4. For such a sample epsilon is
    log(1 + (exp(SAMPLED) - 1) / 4), which is the claim.
    """
    sample = data[generator.random(len(data)) < 0.25]
    return float(sample[:, 0].sum() + generator.laplace(scale=1 / SAMPLED))
