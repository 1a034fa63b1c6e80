"""Principal components of compressed data against other mechanisms: the loss, the draws and the curves."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.errors import InvalidParameterError, RefusedError
from dpmatrix.experiments import compression_utility
from dpmatrix.experiments.compression_utility import (
    METHODS,
    Asked,
    Setting,
    compressed,
    covariance,
    lost_shares,
    many_rows,
    reached_loss,
    reference,
    utility_curves,
)
from dpmatrix.mechanisms import TruncatedCompression


@pytest.mark.parametrize("setting", [Setting(10**4, 2, 400), Setting(10**4, 5, 4000), Setting(10**6, 4, 10**5)])
def test_the_loss_is_reached_by_an_output_in_the_box(setting) -> None:
    """With R^-1 = 2 I - 2 11'/(p + 1) the worst corner is ``R + reach yy'``; the two log densities there."""
    size, rows = setting.columns, setting.rows
    changed = np.where(np.arange(size) % 2 == 0, 1.0, -1.0)
    first = reference(size)
    second = first + (np.outer(changed, changed) - 1) / setting.records
    output = first + setting.reach * np.outer(changed, changed)
    densities = [np.linalg.slogdet(cov)[1] + np.trace(np.linalg.solve(cov, output)) for cov in (first, second)]
    found = rows / 2 * abs(densities[0] - densities[1])
    assert reached_loss(setting) == pytest.approx(found, rel=1e-4)  # doubles lose eleven digits


def test_more_rows_cost_more_and_more_records_less() -> None:
    losses = [reached_loss(Setting(*sizes)) for sizes in ((10**5, 3, 500), (10**5, 3, 5000), (10**6, 3, 5000))]
    assert losses[0] < losses[1] > 5 * losses[2]
    assert all(reached_loss(setting) > 0 for _, _, setting in Asked().settings())


def test_the_box_is_that_of_the_mechanism() -> None:
    setting = Setting(400, 2, 300)
    mechanism = TruncatedCompression(
        300,
        reference=np.array([[1, Fraction(1, 2)], [Fraction(1, 2), 1]], dtype=object),
        delta_max=Fraction(setting.delta_max),
        acknowledge="compression.corollary-3-7",
    )
    assert setting.reach == pytest.approx(float(mechanism.radius(400)), rel=1e-12)
    assert float(mechanism.squared_tail(400)) <= 1
    assert many_rows(400, 2) == int(np.ceil(float(mechanism.squared_tail(400)) * 300))
    assert many_rows(400, 9) == int(np.ceil(81 * np.log(7200)))


def test_compressed_moments_are_those_of_the_mechanism() -> None:
    """Mean A and variance (A_ij^2 + A_ii A_jj)/m of an entry, on 400 draws of each: eight deviations."""
    setting, generator = Setting(400, 2, 300), np.random.default_rng(3)
    signs = np.ones((400, 2))
    signs[:100, 1] = -1
    moment = signs.T @ signs / 400
    assert moment[0, 1] == 0.5
    grams = np.array([compressed(setting, moment, generator) for _ in range(400)])
    mechanism = TruncatedCompression(
        300,
        reference=np.array([[1, Fraction(1, 2)], [Fraction(1, 2), 1]], dtype=object),
        delta_max=Fraction(setting.delta_max),
        acknowledge="compression.corollary-3-7",
    )
    outputs = mechanism.simulate(signs, 400, generator)
    others = np.swapaxes(outputs, 1, 2) @ outputs / 300
    deviation = np.sqrt((moment**2 + 1) / 300)
    for found in (grams, others):
        assert (np.abs(found.mean(axis=0) - moment) < 8 * deviation / 20).all()
        assert (np.abs(found.std(axis=0) / deviation - 1) < 8 / np.sqrt(2 * 400)).all()


def test_a_reference_far_from_the_data_is_refused() -> None:
    setting = Setting(10**6, 2, 10**5)
    with pytest.raises(RefusedError, match="64 draws"):
        compressed(setting, np.eye(2), np.random.default_rng(0))


def test_every_method_is_measured_and_chance_is_worst() -> None:
    found = lost_shares(Setting(10**4, 5, 1000), 1.0, 40, [1])
    assert set(found) == set(METHODS)
    means = {name: np.mean(values) for name, values in found.items()}
    assert max(means, key=means.__getitem__) == "random"
    assert all(-1e-12 <= value <= 1 for values in found.values() for value in values)
    assert means["compression"] > 20 * means["MOD-SULQ, minimal noise"]
    for rows in (4, 10**4 + 1):
        with pytest.raises(InvalidParameterError, match="out of range"):
            lost_shares(Setting(10**4, 5, rows), 1.0, 1, [1])


def test_signs_have_the_correlation() -> None:
    """Entries of X'X/n deviate by at most 1/sqrt(n)."""
    moment = covariance(Setting(10**5, 4, 10), np.random.default_rng(0))
    assert np.abs(moment - reference(4)).max() < 7 / np.sqrt(10**5)
    assert (np.diag(moment) == 1).all()


def test_curves_cover_rows_columns_and_records(monkeypatch) -> None:
    few = [("against m", 300, Setting(10**3, 3, 300)), ("against n", 10**3, Setting(10**3, 3, 400))]
    monkeypatch.setattr(compression_utility.Asked, "settings", lambda _asked: iter(few))
    counts: list[tuple[int, int]] = []
    found = utility_curves(1, lambda *told: counts.append(told), draws=5)
    assert counts == [(0, 2), (1, 2), (2, 2)]
    assert len(found.rows) == len(few) * len(METHODS)
    assert {series.panel for series in found.series} == {"against m", "against n"}
    assert utility_curves(1, lambda *_told: None, draws=5).rows == found.rows


def test_the_settings_vary_one_number_at_a_time() -> None:
    assert len({panel for panel, _, _ in Asked().settings()}) == 3
    for _, _, setting in Asked().settings():
        assert setting.columns <= setting.rows <= setting.records
