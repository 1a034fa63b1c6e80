"""Principal components of compressed data, end to end, against other mechanisms at equal privacy.

Data are n rows of signs, all pairs of columns correlated by 1/2. What `TruncatedCompression` publishes has a Gram
matrix of law W_p(m, A)/m, kept if it lies in the box around the public reference; its top eigenvector is what an
analyst finds. Its privacy loss is taken for one pair of data sets, which differ in one row of signs: what the loss
reaches on an output that is kept, so no more than the supremum that `compression.theorem-4-6` bounds. The other
mechanisms are given this number for epsilon, and 1/n^2, the probability that truncation discards, for delta. They keep
that guarantee for every pair of neighbours; compression keeps none, and is flattered by the comparison.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import sqrt
from statistics import median_low

import numpy as np
from attrs import frozen
from flint import arb, fmpq, fmpq_mat
from scipy.stats import wishart

from dpmatrix.errors import InvalidParameterError, RefusedError
from dpmatrix.experiments.gibbs import FloatArray
from dpmatrix.experiments.privacy_figure import exponent
from dpmatrix.experiments.reproduction import Cell, Reproduction, Series, Tell
from dpmatrix.experiments.subspaces import energy, mod_sulq, random_subspace, top_subspace
from dpmatrix.mechanisms.symmetrised_wishart import SymmetrisedWishartMechanism
from dpmatrix.mechanisms.wishart_noise import simulate_wishart
from dpmatrix.privacy.truncated_sketch import truncated_loss
from dpmatrix.randomness.bingham import BinghamSampler
from dpmatrix.randomness.entropy import SeededEntropy

METHODS = ("compression", "PPCA", "MOD-SULQ, minimal noise", "Wishart, symmetrised", "random")
CORRELATION = 0.5
WIDTH = 4.0
"""Delta_max in units of 1/sqrt(n): four deviations of an entry of X'X/n at the most."""
ATTEMPTS = 64
CONSTANT = float(2 * (4 * arb(1).exp() / (6 * arb.pi()).sqrt() + arb(1).exp() * arb(8).sqrt()))
"""C^2 of Lemma 4.4."""
TARGET = "compression.theorem-5-1"
ROWS, COLUMNS, RECORDS = (10**3, 10**4, 10**5, 10**6), (2, 3, 5, 8, 12, 20), (10**3, 10**4, 10**5, 10**6)


@frozen
class Setting:
    """Number n of records, p of columns, m of rows that are published."""

    records: int
    columns: int
    rows: int

    @property
    def delta_max(self) -> float:
        """The width of the set of data sets."""
        return WIDTH / sqrt(self.records)

    @property
    def reach(self) -> float:
        """Half the width of the box, ``C sqrt(ln(2 n p) / m) + Delta_max``."""
        return float(np.sqrt(CONSTANT * np.log(2 * self.records * self.columns) / self.rows)) + self.delta_max


def many_rows(records: int, columns: int) -> int:
    """Return the rows of Theorem 5.1: the larger of C^2, which Lemma 4.4 asks for, and p^2, times ln(2 n p)."""
    return int(np.ceil(max(CONSTANT, columns**2) * np.log(2 * records * columns)))


def reference(columns: int) -> FloatArray:
    """Return the public correlation matrix."""
    return np.full((columns, columns), CORRELATION) + (1 - CORRELATION) * np.eye(columns)


def covariance(setting: Setting, generator: np.random.Generator) -> FloatArray:
    """Draw n rows of signs and return X'X / n."""
    shared = generator.integers(0, 2, setting.records) * 2 - 1
    agree = generator.random((setting.records, setting.columns)) < (1 + CORRELATION**0.5) / 2
    signs = np.where(agree, shared[:, None], -shared[:, None]).astype(np.float64)
    return np.asarray(signs.T @ signs / setting.records, dtype=np.float64)


def reached_loss(setting: Setting) -> float:
    """Return the largest privacy loss, over the outputs inside the box, between two data sets.

    They have the covariances R and ``R + (yy' - xx')/n``, x all ones, y with every second sign changed. Of the two
    directions one has its worst corner of the box at an output, and that loss is reached (`truncated_loss`).
    """
    size = setting.columns
    changed = [1 - 2 * (place % 2) for place in range(size)]
    first = fmpq_mat([[_rational(i == j) for j in range(size)] for i in range(size)])
    change = fmpq_mat([[fmpq(a * b - 1, setting.records) for a in changed] for b in changed])
    second, reach = first + change, Fraction(setting.reach)
    pairs = ((first, second), (second, first))
    losses = (truncated_loss(*pair, first, setting.rows, reach) for pair in pairs)
    return max(float(loss.supremum) for loss in losses if loss.attained)


def _rational(diagonal: bool) -> fmpq:
    return fmpq(1) if diagonal else fmpq(1, 2)


def compressed(setting: Setting, moment: FloatArray, generator: np.random.Generator) -> FloatArray:
    """Draw the Gram matrix of what truncated compression publishes, shape (p, p). NEVER private.

    Raises
    ------
    RefusedError
        If no draw lies in the box.
    """
    for _ in range(ATTEMPTS):
        gram = np.atleast_2d(wishart.rvs(setting.rows, moment / setting.rows, random_state=generator))
        if np.abs(gram - reference(setting.columns)).max() <= setting.reach:
            return np.asarray(gram, dtype=np.float64)
    raise RefusedError(f"none of {ATTEMPTS} draws lies within the box around the reference")


def lost_shares(setting: Setting, epsilon: float, draws: int, seed: list[int]) -> dict[str, list[float]]:
    """Measure, for every method, the share of the largest eigenvalue of X'X that the direction does not capture.

    Records of p signs are divided by sqrt(p) for the mechanisms that want norm 1.

    Raises
    ------
    InvalidParameterError
        If m is not in [p, n].
    RefusedError
        As in `compressed`.
    """
    n, p = setting.records, setting.columns
    if not p <= setting.rows <= n:
        raise InvalidParameterError("rows", f"{setting.rows} is out of range", f"pass {p} to {n}")
    generator = np.random.default_rng(seed)
    moment = covariance(setting, generator)
    unit, delta = moment / p, 1 / n**2
    directions, _ = BinghamSampler(exponent(unit, n, epsilon)).approximate_draws(draws, SeededEntropy(sum(seed)))
    scale = SymmetrisedWishartMechanism(epsilon).noise_scale(p, n)
    noise = simulate_wishart(draws, p, scale, generator) - simulate_wishart(draws, p, scale, generator)
    drawn = {
        "compression": [top_subspace(compressed(setting, moment, generator), 1) for _ in range(draws)],
        "PPCA": [direction[:, None] for direction in directions],
        "MOD-SULQ, minimal noise": [mod_sulq(unit, n, 1, epsilon, delta, generator, least=True) for _ in range(draws)],
        "Wishart, symmetrised": [top_subspace(unit + matrix, 1) for matrix in noise],
        "random": [random_subspace(p, 1, generator) for _ in range(draws)],
    }
    largest = float(np.linalg.eigvalsh(moment)[-1])
    return {name: [1 - energy(vector, moment) / largest for vector in found] for name, found in drawn.items()}


@frozen
class Asked:
    """What the curves are asked for: numbers n of records, the largest of which two panels have, and of columns."""

    records: tuple[int, ...] = RECORDS
    columns: tuple[int, ...] = COLUMNS

    def settings(self) -> Iterator[tuple[str, int, Setting]]:
        """Name the panels, the places along them and their settings.

        Raises
        ------
        InvalidParameterError
            If there are fewer records than the rows of Theorem 5.1.
        """
        most, middle = self.records[-1], median_low(self.columns)
        for rows in (*(rows for rows in ROWS if middle <= rows < most), most):
            yield f"n = {most:,}, p = {middle}, against m", rows, Setting(most, middle, rows)
        for columns in self.columns:
            yield f"n = {most:,}, m = max(C^2, p^2) ln 2np, against p", columns, _at_theorem(most, columns)
        for records in self.records:
            yield f"p = {middle}, m = max(C^2, p^2) ln 2np, against n", records, _at_theorem(records, middle)


def _at_theorem(records: int, columns: int) -> Setting:
    rows = many_rows(records, columns)
    if rows > records:
        problem = f"Theorem 5.1 publishes {rows} rows for {columns} columns, and {records} records are fewer"
        raise InvalidParameterError("n", problem, "pass more records or fewer columns")
    return Setting(records, columns, rows)


def utility_curves(seed: int, tell: Tell, draws: int = 100, asked: Asked | None = None) -> Reproduction:
    """Measure the utility of compression against m, p and n.

    Raises
    ------
    InvalidParameterError
        As in `Asked.settings`.
    """
    rows: list[tuple[Cell, ...]] = []
    places = list((Asked() if asked is None else asked).settings())
    for number, (panel, place, setting) in enumerate(places):
        tell(number, len(places))
        epsilon = reached_loss(setting)
        for name, values in lost_shares(setting, epsilon, draws, [seed, number]).items():
            measured = (float(np.mean(values)), float(np.std(values)))
            rows.append((panel, place, setting.records, setting.columns, setting.rows, epsilon, name, *measured))
    tell(len(places), len(places))
    series = []
    for panel in dict.fromkeys(panel for panel, _, _ in places):
        for name in METHODS:
            chosen = [row for row in rows if row[0] == panel and row[6] == name]
            losses = [float(np.log10(max(float(row[7] or 0), 1e-12))) for row in chosen]
            series.append(Series(panel, name, [float(row[1] or 0) for row in chosen], losses))
    notes = (
        f"rows of signs, columns correlated by {CORRELATION}; {draws} draws of each method",
        "epsilon: what the loss of compression reaches for one changed row, on an output that is kept; delta = 1/n^2",
        "compression guarantees this for no other pair; the other mechanisms keep it for all neighbours",
    )
    columns = ("panel", "place", "n", "p", "m", "epsilon", "method", "lost share", "deviation")
    return Reproduction(
        TARGET, columns, tuple(rows), notes, tuple(series), "m, p or n", "log10 of the lost share", logarithmic=True
    )
