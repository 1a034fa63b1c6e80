"""The mechanisms on streams, as the audits of releases take them: all that is published of a stream, together."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve

from audit.released import laws
from audit.released.matrices import Gaussian
from audit.released.settings import Setting, largest_l2
from audit.released.subjects import Loss, Stack, Values, gaussian_loss, integer_changes
from dpmatrix.auditing import NeighbouringPair, neighbouring_pairs
from dpmatrix.mechanisms import OnlinePerturbedLeader, Release
from dpmatrix.mechanisms.streams import (
    BandedWindowGram,
    BandedWindowParameters,
    SlidingWindowGram,
    WindowParameters,
    resume,
    suspend,
)
from dpmatrix.randomness.entropy import Entropy, SeededEntropy
from dpmatrix.randomness.integer_noise import discrete_gaussian_noise


class Stream(Gaussian):
    """Gaussian noise on the matrices of several steps; a missing row is a zero row."""

    law_draws = 120
    steps: int
    sums: int
    """How many noisy matrices a row enters."""

    def at(self, setting: Setting) -> Setting:
        """Take as many rows as there are steps."""
        return evolve(setting, records=self.steps)

    def pairs(self, setting: Setting) -> tuple[NeighbouringPair, ...]:
        """Change the first row, which enters most sums; leave a zero row where it is removed."""
        return tuple(
            NeighbouringPair(f"first row: {pair.name}", pair.adjacency, pair.data[::-1], pair.neighbour[::-1])
            for pair in neighbouring_pairs(setting.dimension, setting.records, setting.adjacency)
        )

    def parts(self, matrices: np.ndarray) -> np.ndarray:
        """Return the matrices with noise of their own, of those published: shape (..., steps, d, d)."""
        return matrices

    def law(self, setting: Setting, epsilon: Fraction, size: int, generator: np.random.Generator) -> Stack:
        """Draw the noise of every part."""
        change = largest_l2(evolve(setting, records=1)) * self.sums**0.5
        deviation = laws.gaussian_deviation(epsilon, setting.delta, change)
        count = setting.dimension * (setting.dimension + 1) // 2
        values = generator.normal(scale=deviation, size=(size * self.steps, count))
        shape = (size, self.steps, setting.dimension, setting.dimension)
        return self.published(laws.symmetric(values, setting.dimension).reshape(shape)).reshape(size, -1)

    def published(self, parts: np.ndarray) -> np.ndarray:
        """Undo `parts`."""
        return parts

    def statistics(self, setting: Setting, stack: Stack) -> Values:
        """Take entries of all parts, which are independent, and differences between entries and between parts."""
        shape = (len(stack), self.steps, setting.dimension, setting.dimension)
        entries = self.parts(stack.reshape(shape))[:, :, *np.triu_indices(setting.dimension)]
        found = {
            "an entry": entries.ravel(),
            "size of an entry": np.abs(entries).ravel(),
            "difference of the first two steps": np.abs(entries[:, 0] - entries[:, 1]).ravel(),
            "difference of first and last step": np.abs(entries[:, 0] - entries[:, -1]).ravel(),
        }
        if setting.dimension > 1:
            found["difference of two entries"] = np.abs(entries[:, :, 0] - entries[:, :, -1]).ravel()
        return found

    def integers(self, releases: Sequence[Release]) -> np.ndarray:
        """Return the integers of the parts, in upper triangles, shape (steps, d (d + 1) / 2)."""
        matrices = np.array([release.integers for release in releases], dtype=object)
        return self.parts(matrices)[:, *np.triu_indices(matrices.shape[-1])]

    def replayed(self, mechanism: Any, setting: Setting, seed: int) -> bool:
        """Compare the parts of a stream of zeros with numbers of the sampler, one part after the other."""
        entropy = SeededEntropy(seed)
        noise = self.integers(self.publish(mechanism, setting.empty(), SeededEntropy(seed), self.methods[0]))
        drawn = [discrete_gaussian_noise(self.named(mechanism, setting), noise.shape[1], entropy) for _ in noise]
        # The window reads a triangle row by row from below, the leader from above: the numbers are the same.
        return [sorted(row) for row in noise.tolist()] == [sorted(row) for row in drawn]

    def loss(self, mechanism: Any, setting: Setting, pairs: Sequence[NeighbouringPair], stretch: float) -> Loss:
        """Return the loss of the greatest l2 change of all parts together."""
        size = setting.dimension
        changes = []
        for name, change in integer_changes(self, mechanism, setting, pairs, stretch):
            parts = self.parts(change.reshape(self.steps, size, size))[:, *np.triu_indices(size)]
            changes.append((name, int((parts * parts).sum())))
        coordinates = self.sums * size * (size + 1) // 2
        return gaussian_loss(changes, self.named(mechanism, setting), coordinates, self.guarantee(setting))


class Leader(Stream):
    """The online leader: the first row enters the matrices of all steps."""

    kind = OnlinePerturbedLeader
    methods = ("release", "releases")
    steps, sums = 3, 3

    def options(self, setting: Setting) -> dict[str, Any]:
        """Add the number of steps."""
        return {**super().options(setting), "steps": self.steps}

    def publish(self, mechanism: Any, data: np.ndarray, entropy: Entropy | None, method: str) -> Sequence[Release]:
        """Publish after every row."""
        if method == "releases":
            return tuple(mechanism.releases(iter(data), data.shape[1], entropy=entropy))
        return mechanism.release(data, entropy=entropy)


class Window(Stream):
    """The sliding window of two rows over four: a row enters the sum of a row and that of a block of two.

    Published are, of noisy sums a = row 1, b = rows 1 to 2, c = row 3, d = rows 3 to 4: a, b, b + c - a, d.
    """

    kind = SlidingWindowGram
    methods = ("publish", "resume")
    steps, sums = 4, 2

    def at(self, setting: Setting) -> Setting:
        """Take rows of norm at most 1: no other bound is offered."""
        return evolve(super().at(setting), norm_bound=Fraction(1))

    def build(self, setting: Setting, **more: Any) -> Any:
        """Build the public parameters: a window is built for every stream."""
        return WindowParameters(setting.dimension, 2, self.guarantee(setting), coordinate_bits=8, **more)

    def publish(self, mechanism: Any, data: np.ndarray, entropy: Entropy | None, method: str) -> Sequence[Release]:
        """Publish after every row; on the second method the window is suspended and resumed in the middle."""
        window = SlidingWindowGram(mechanism, entropy=entropy)
        releases = []
        for number, row in enumerate(data):
            if method == "resume" and number == 2:
                with tempfile.TemporaryDirectory() as folder:
                    suspend(window, Path(folder) / "window")
                    window = resume(Path(folder) / "window", entropy=entropy)
            window.add(row[None, :])
            releases.append(window.publish())
        return releases

    def named(self, mechanism: Any, setting: Setting) -> Fraction:
        """Return the variance."""
        return mechanism.variance

    def parts(self, matrices: np.ndarray) -> np.ndarray:
        """Return a, b, c, d."""
        found = matrices.copy()
        found[..., 2, :, :] = matrices[..., 2, :, :] - matrices[..., 1, :, :] + matrices[..., 0, :, :]
        return found

    def published(self, parts: np.ndarray) -> np.ndarray:
        """Return what is published of a, b, c, d."""
        found = parts.copy()
        found[..., 2, :, :] = parts[..., 2, :, :] + parts[..., 1, :, :] - parts[..., 0, :, :]
        return found


class Banded(Stream):
    """The window of two rows by factorisation, over four: combinations of three rows with the weights 1, 1/2, -1/8.

    Parts are the noisy combinations, computed back from the published windows; the first row enters three of them.
    """

    kind = BandedWindowGram
    methods = ("publish",)
    steps, sums = 4, 3

    def at(self, setting: Setting) -> Setting:
        """Take rows of norm at most 1: no other bound is offered."""
        return evolve(super().at(setting), norm_bound=Fraction(1))

    def build(self, setting: Setting, **more: Any) -> Any:
        """Build the public parameters: a window is built for every stream."""
        return BandedWindowParameters(setting.dimension, 2, self.guarantee(setting), coordinate_bits=8, **more)

    def publish(self, mechanism: Any, data: np.ndarray, entropy: Entropy | None, method: str) -> Sequence[Release]:
        """Publish after every row."""
        window = BandedWindowGram(mechanism, entropy=entropy)
        releases = []
        for row in data:
            window.add(row[None, :])
            releases.append(getattr(window, method)())
        return releases

    def named(self, mechanism: Any, setting: Setting) -> Fraction:
        """Return the variance of a combination in units of the lattice over 2^16."""
        return mechanism.variance

    def parts(self, matrices: np.ndarray) -> np.ndarray:
        """Take windows apart into estimates of rows, and combine these with the weights, times 8."""
        rows: list[np.ndarray] = []
        for t in range(self.steps):
            window = matrices[..., t, :, :]
            rows.append(window - rows[t - 1] if t else window)
        found = [8 * row for row in rows]
        for t in range(1, self.steps):
            found[t] = found[t] + 4 * rows[t - 1]
        for t in range(2, self.steps):
            found[t] = found[t] - rows[t - 2]
        return np.stack(found, axis=-3)

    def published(self, parts: np.ndarray) -> np.ndarray:
        """Undo `parts`."""
        rows: list[np.ndarray] = []
        for t in range(self.steps):
            row = parts[..., t, :, :] / 8
            row = row - rows[t - 1] / 2 if t > 0 else row
            rows.append(row + rows[t - 2] / 8 if t > 1 else row)
        return np.stack([row + rows[t - 1] if t else row for t, row in enumerate(rows)], axis=-3)

    def law(self, setting: Setting, epsilon: Fraction, size: int, generator: np.random.Generator) -> Stack:
        """Draw the noise of every combination, for a row whose weights have the norm 9/8: times 8, of deviation 9."""
        deviation = 9 * laws.gaussian_deviation(epsilon, setting.delta, largest_l2(evolve(setting, records=1)))
        count = setting.dimension * (setting.dimension + 1) // 2
        values = generator.normal(scale=deviation, size=(size * self.steps, count))
        shape = (size, self.steps, setting.dimension, setting.dimension)
        return self.published(laws.symmetric(values, setting.dimension).reshape(shape)).reshape(size, -1)

    def integers(self, releases: Sequence[Release]) -> np.ndarray:
        """Return the integers of the combinations: what is published is finer by 2^32, and the weights by 2^16/8."""
        matrices = np.array([release.integers for release in releases], dtype=object)
        return self.whole(self.parts(matrices))[:, *np.triu_indices(matrices.shape[-1])]

    def whole(self, parts: np.ndarray) -> np.ndarray:
        """Undo the scale of combinations; they are integers, nearly."""
        return np.array([(2 * int(value) + 2**19) // 2**20 for value in parts.flat], dtype=object).reshape(parts.shape)

    def loss(self, mechanism: Any, setting: Setting, pairs: Sequence[NeighbouringPair], stretch: float) -> Loss:
        """Return the loss of the greatest l2 change of all combinations together."""
        size = setting.dimension
        changes = []
        for name, change in integer_changes(self, mechanism, setting, pairs, stretch):
            parts = self.whole(self.parts(change.reshape(self.steps, size, size)))[:, *np.triu_indices(size)]
            changes.append((name, int((parts * parts).sum())))
        coordinates = self.sums * size * (size + 1) // 2
        return gaussian_loss(changes, self.named(mechanism, setting), coordinates, self.guarantee(setting))


STREAMS = (Leader(), Window(), Banded())
