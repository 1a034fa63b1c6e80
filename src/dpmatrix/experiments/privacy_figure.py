"""Figure 5 of `near-optimal`: the utility q_F of PPCA and MOD-SULQ against epsilon, on synthetic records."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
from attrs import frozen
from flint import fmpq, fmpq_mat

from dpmatrix.exact import rational
from dpmatrix.experiments.gibbs import FloatArray
from dpmatrix.experiments.partial import Partial
from dpmatrix.experiments.reproduction import Cell, Effort, Reproduction, Series, Tell
from dpmatrix.experiments.subspaces import energy, mod_sulq, top_subspace
from dpmatrix.experiments.utility_figures import ALGORITHMS, LEAST
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.matrix_bingham import MatrixBinghamSampler

SPECTRUM = tuple(map(Fraction, ("0.5", "0.30", "0.04", "0.03", "0.02", "0.01", "0.004", "0.003", "0.001", "0.001")))
"""Eigenvalues of the covariance, (27)."""
SYNTHETIC_RECORDS, SYNTHETIC_RANK, SYNTHETIC_DELTA = 5000, 2, 0.05
EPSILONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.4, 2.0)


@frozen
class Asked:
    """What the figure is asked for: every n with every delta and epsilon."""

    records: tuple[int, ...] = (SYNTHETIC_RECORDS,)
    epsilons: tuple[float, ...] = EPSILONS
    deltas: tuple[float, ...] = (SYNTHETIC_DELTA,)

    @property
    def panels(self) -> list[tuple[int, float]]:
        """Every n with every delta."""
        return list(product(self.records, self.deltas))

    @property
    def places(self) -> list[tuple[int, float, float]]:
        """Every n with every delta and epsilon."""
        return list(product(self.records, self.deltas, self.epsilons))


USUAL = Asked()
"""What the document asks, as far as it says."""


def synthetic_moment(seed: int, records: int = SYNTHETIC_RECORDS) -> FloatArray:
    """Draw Gaussian records with the covariance (27), clip each to norm 1, and return X'X / n."""
    generator = np.random.default_rng(seed)
    drawn = generator.standard_normal((records, len(SPECTRUM))) * np.sqrt([float(x) for x in SPECTRUM])
    drawn /= np.maximum(np.linalg.norm(drawn, axis=1, keepdims=True), 1.0)
    moment: FloatArray = drawn.T @ drawn / records
    return (moment + moment.T) / 2


def exponent(moment: FloatArray, records: int, epsilon: float) -> fmpq_mat:
    """Return ``n (eps / 2) A`` without rounding, epsilon read as the decimal that it prints."""
    factor = rational(Fraction(str(epsilon))) * fmpq(records, 2)
    rows, columns = moment.shape
    return fmpq_mat(rows, columns, [rational(entry) * factor for entry in moment.ravel().tolist()])


def privacy_row(
    moment: FloatArray,
    epsilon: float,
    effort: Effort,
    seed: int,
    *,
    records: int = SYNTHETIC_RECORDS,
    delta: float = SYNTHETIC_DELTA,
    asked: Asked = USUAL,
) -> list[tuple[Cell, ...]]:
    """Draw from every algorithm at one epsilon: it, algorithm, mean and deviation of q_F, share kept, n and delta."""
    places = asked.places
    place = places.index((records, delta, epsilon))
    generator = np.random.default_rng([seed, place])
    sampler = MatrixBinghamSampler(exponent(moment, records, epsilon), SYNTHETIC_RANK)
    exact, share = sampler.approximate_draws(effort.samples, SeededEntropy(seed * len(places) + place))
    setting = (moment, records, SYNTHETIC_RANK, epsilon, delta, generator)
    drawn = {
        "PCA": [top_subspace(moment, SYNTHETIC_RANK)],
        "PPCA": list(exact),
        "MOD-SULQ": [mod_sulq(*setting) for _ in range(effort.samples)],
        "MOD-SULQ, minimal noise": [mod_sulq(*setting, least=True) for _ in range(effort.samples)],
    }
    rows: list[tuple[Cell, ...]] = []
    for algorithm, subspaces in drawn.items():
        values = [energy(subspace, moment) for subspace in subspaces]
        kept = share if algorithm == "PPCA" else None
        rows.append((epsilon, algorithm, float(np.mean(values)), float(np.std(values)), kept, records, delta))
    return rows


def privacy_figure(effort: Effort, partial: Partial, tell: Tell, asked: Asked = USUAL) -> Reproduction:
    """Reproduce Figure 5: q_F against epsilon, with exact draws of PPCA."""
    moments = {records: synthetic_moment(partial.seed, records) for records in asked.records}
    rows: list[tuple[Cell, ...]] = []
    for done, (records, delta, epsilon) in enumerate(asked.places):
        tell(done, len(asked.places))
        key = f"{epsilon}-{records}-{delta}"
        if (before := partial.found(key)) is None:
            found = privacy_row(
                moments[records], epsilon, effort, partial.seed, records=records, delta=delta, asked=asked
            )
            partial.keep(key, found)
        else:
            found = [tuple(row) for row in before]
        rows += found
    tell(len(asked.places), len(asked.places))
    series = []
    for (records, delta), algorithm in product(asked.panels, ALGORITHMS[:-1]):
        panel = f"n = {records}, delta = {delta:g}" if len(asked.panels) > 1 else ""
        chosen = [row for row in rows if (row[1], *row[5:]) == (algorithm, records, delta)]
        across, values, deviations = ([float(row[column] or 0) for row in chosen] for column in (0, 2, 3))
        series.append(Series(panel, algorithm, across, values, deviations))
    notes = (
        "records are clipped to norm 1, which the privacy of both algorithms needs and the document does not mention",
        f"PPCA is drawn exactly, {effort.samples} times; no burn-in; 'kept' is the share of proposals that was kept",
        LEAST,
        "the document does not say which epsilons it plots",
        *effort.less("samples"),
    )
    columns = ("epsilon", "algorithm", "mean q_F", "deviation", "kept", "n", "delta")
    return Reproduction(
        "near-optimal.figure-5", columns, tuple(rows), notes, tuple(series), "epsilon", "q_F(U)", logarithmic=True
    )
