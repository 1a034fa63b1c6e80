"""The mechanisms that publish directions or subspaces, as the audits of releases take them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from attrs import evolve
from flint import fmpq, fmpq_mat, fmpz_mat

from audit.released import laws
from audit.released.settings import Setting, largest_spread
from audit.released.subjects import ROUNDING, Loss, Stack, Subject, Values, both
from dpmatrix.auditing import NeighbouringPair
from dpmatrix.mechanisms import Ppca, Release, SequentialPpca
from dpmatrix.mechanisms.ppca import SubspaceSampler
from dpmatrix.mechanisms.sequential_ppca import reflection
from dpmatrix.randomness.bingham import BinghamSampler
from dpmatrix.randomness.decisions import round_to_grid
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.matrix_bingham import MatrixBinghamSampler


def floats(matrix: fmpq_mat) -> np.ndarray:
    """Round a rational matrix."""
    return np.array([[int(entry.p) / int(entry.q) for entry in row] for row in matrix.tolist()])


class Direction(Subject):
    """The exponential mechanism for one direction."""

    kind = Ppca
    law_draws = 300
    drawn: ClassVar[int] = 1
    """Dimension of what is drawn at once."""

    def blind(self, setting: Setting) -> bool:
        """For d = 1 there is one direction, and its sign is a coin."""
        return setting.dimension == 1

    def rank(self, setting: Setting) -> int:
        """Return k."""
        return 1

    def options(self, setting: Setting) -> dict[str, Any]:
        """Add the rank."""
        return {**super().options(setting), "rank": self.rank(setting)}

    def seen(self, releases: Sequence[Release]) -> np.ndarray:
        """Return all coordinates."""
        return super().seen(releases).ravel()

    def known_data(self, setting: Setting) -> np.ndarray:
        """Return records along the first axis, and half as many along the second, so that the law has a shape."""
        rows = setting.empty(3 * math.ceil(6 / setting.epsilon))
        rows[:, 0] = setting.factor
        if setting.dimension > 1:
            rows[::3] = 0
            rows[::3, 1] = setting.factor
        return rows

    def exponent(self, setting: Setting, epsilon: float) -> np.ndarray:
        """Return B of the statement on the known data, shape (d, d); the weight is computed from the pairs."""
        data = self.known_data(setting)
        spread = largest_spread(setting) if setting.dimension > 1 else setting.factor**2
        return data.T @ data * epsilon / spread

    def law(self, setting: Setting, epsilon: Fraction, size: int, generator: np.random.Generator) -> Stack:
        """Draw a direction."""
        return laws.bingham(self.exponent(setting, float(epsilon)), size, generator)

    def statistics(self, setting: Setting, stack: Stack) -> Values:
        """Take every coordinate and its square."""
        named = {f"coordinate {place + 1}": stack[:, place] for place in range(stack.shape[1])}
        return named | {f"square of {name}": values**2 for name, values in named.items()}

    def replayed(self, mechanism: Any, setting: Setting, seed: int) -> bool:
        """Draw from the sampler with the exponent that the mechanism names."""
        data = self.known_data(setting)
        (release,) = self.publish(mechanism, data, SeededEntropy(seed), "release")
        exponent = mechanism.exponent([data], setting.dimension)
        drawn = round_to_grid(self.sampler(exponent).draw(SeededEntropy(seed)), release.grid)
        return drawn.ravel().tolist() == release.integers.ravel().tolist()

    def sampler(self, exponent: fmpq_mat) -> SubspaceSampler:
        """Return the sampler."""
        return BinghamSampler(exponent)

    def loss(self, mechanism: Any, setting: Setting, pairs: Sequence[NeighbouringPair], stretch: float) -> Loss:
        """Return the greatest range of the change of the score tr V'BV, which bounds the loss."""
        worst = (0.0, "")
        for pair in pairs:
            first, second = (mechanism.exponent([data], setting.dimension) for data in both(pair, setting, stretch))
            spectrum = np.linalg.eigvalsh(floats(first - second))
            worst = max(worst, (float(spectrum[-self.drawn :].sum() - spectrum[: self.drawn].sum()), pair.name))
        return Loss(worst[0], worst[0] <= float(setting.epsilon) * (1 + ROUNDING), worst[1])


class Plane(Direction):
    """The exponential mechanism for a plane in three dimensions, drawn at once."""

    seeds = 1
    slow = True
    drawn = 2

    def at(self, setting: Setting) -> Setting:
        """Take three columns."""
        return evolve(setting, dimension=3)

    def rank(self, setting: Setting) -> int:
        """Return k."""
        return 2

    def law(self, setting: Setting, epsilon: Fraction, size: int, generator: np.random.Generator) -> Stack:
        """Draw the direction that the plane leaves out."""
        missing = laws.bingham(-self.exponent(setting, float(epsilon)), size, generator)
        return (np.eye(3) - missing[:, :, None] * missing[:, None, :]).reshape(size, 9)

    def sampler(self, exponent: fmpq_mat) -> SubspaceSampler:
        """Return the sampler."""
        return MatrixBinghamSampler(exponent, 2)


class Directions(Direction):
    """One direction after the other, two at most."""

    kind = SequentialPpca
    law_draws = 200

    def rank(self, setting: Setting) -> int:
        """Return k."""
        return min(2, setting.dimension)

    def law(self, setting: Setting, epsilon: Fraction, size: int, generator: np.random.Generator) -> Stack:
        """Draw from the exponent's share in the complement of what was drawn before."""
        dimension, steps = setting.dimension, min(2, setting.dimension - 1)
        if dimension == 1:
            return np.ones((size, 1))
        exponent = self.exponent(setting, float(epsilon) / steps)
        first = laws.bingham(exponent, size, generator)
        second = first[:, ::-1] * [1, -1] if dimension == 2 else laws.in_complement(exponent, first, generator)
        return np.stack([first, second], axis=2).reshape(size, -1)

    def statistics(self, setting: Setting, stack: Stack) -> Values:
        """Take squares: where one dimension is left, the sign is a convention."""
        return {f"square of coordinate {place + 1}": stack[:, place] ** 2 for place in range(stack.shape[1])}

    def replayed(self, mechanism: Any, setting: Setting, seed: int) -> bool:
        """Draw the steps from the sampler with shares of the exponent that the mechanism names."""
        data, dimension = self.known_data(setting), setting.dimension
        (release,) = self.publish(mechanism, data, SeededEntropy(seed), "release")
        steps, entropy = min(2, dimension - 1), SeededEntropy(seed)
        exponent = mechanism.exponent([data], dimension)
        basis = fmpq_mat(dimension, dimension, [fmpq(int(i == j)) for i in range(dimension) for j in range(dimension)])
        for step in range(steps):
            inner = basis.transpose() * exponent * basis * fmpq(1, steps)
            drawn = round_to_grid(BinghamSampler(inner).draw(entropy), release.grid)
            turned = basis * reflection(fmpz_mat(dimension - step, 1, [int(entry) for entry in drawn]))
            if not np.allclose(floats(turned)[:, 0], release.to_numpy()[:, step], rtol=0, atol=ROUNDING):
                return False
            kept = [turned[i, j] for i in range(dimension) for j in range(1, dimension - step)]
            basis = fmpq_mat(dimension, dimension - step - 1, kept)
        return True


DIRECTIONS: tuple[Subject, ...] = (Direction(), Plane(), Directions())
