"""The image experiment and the regret curves of `analyze-gauss`."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product

import attrs
import mpmath
import numpy as np
import pytest
from flint import fmpq
from typer.testing import CliRunner

from dpmatrix.__main__ import app
from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.errors import InvalidParameterError
from dpmatrix.experiments import regret_curves
from dpmatrix.experiments.regret_curves import POLICIES, STREAMS, best_rewards, regret_curve, stream_rows
from dpmatrix.experiments.slides_image import image_panel, portrait
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.analyze_gauss.image import Panel, PixelPromise

image_experiment = cite("analyze-gauss.image-experiment@48382a3b")


SHOWN = (1, 5, 9, 13, 17, 21, 25, 29)
FALLING = Panel(512, 20, SHOWN, (50, 40, 35, 30, 25, 22, 20, 18), 21)
SLIDES = "512 x 512, sigma = 20, the eight panels of the slides"
MORE = attrs.evolve(FALLING, components=(*SHOWN[:-1], 99), errors=(*FALLING.errors[:-1], 21))


@image_experiment.refutes(
    grade="derived",
    region="every epsilon <= 10 and delta <= 1/2, as the margin grows with both; at epsilon = 10 delta is above 0.99",
)
def test_the_noise_does_not_hide_a_pixel(statement) -> None:
    """The margin grows with epsilon and delta, so it is least negative at the corner taken here; mu = 12.75."""
    statement.refute(PixelPromise)
    corner = PixelPromise(1, 1)
    assert statement.at(corner) is Truth.FALSE
    assert statement.margin(corner) < -fmpq(49, 100)
    image_experiment.tells("one pixel has delta above {above} at", fmpq(1, 2) - statement.margin(corner))
    with mpmath.workdps(80):
        mu, values = mpmath.mpf(255) / 20, []
        assert mu == mpmath.mpf("12.75")
        for epsilon, delta in product((1, 2, 3, 5, 8, 10), (2, 3, 7, 100)):
            found = mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)
            point = PixelPromise(Fraction(epsilon, 10), Fraction(2, delta))
            values.append((point, mpmath.nstr(mpmath.mpf(1) / delta - found, 60)))
        bind(statement, values)
    bind_hypotheses(
        statement,
        corner,
        {
            "epsilon_share > 0": attrs.evolve(corner, epsilon_share=0),
            "epsilon_share <= 1": attrs.evolve(corner, epsilon_share=Fraction(11, 10)),
            "delta_share > 0": attrs.evolve(corner, delta_share=0),
            "delta_share <= 1": attrs.evolve(corner, delta_share=Fraction(11, 10)),
        },
    )


@image_experiment.supports_repair(
    grade="statistical",
    region="the portrait with seeded noise, so that no chance is left; errors of other seeds differ by less than 0.05",
)
def test_quality_rises_with_the_number_of_components(statement, record_property) -> None:
    found = image_panel(most=29)
    assert statement.at(found.measured) is Truth.TRUE
    bind_hypotheses(statement, found.measured, {SLIDES: MORE})
    record_property("detail", f"errors {[round(float(x), 2) for x in found.measured.errors]}")
    drops = np.diff([float(error) for error in found.measured.errors])
    assert drops.max() < -1.0, "twenty times what another seed changes"
    panel = found.measured
    image_experiment.tells(
        "falls from {} grey levels at 1 component to {} at {}, below the {} of the noisy image",
        *(panel.errors[0], panel.errors[-1], panel.components[-1], panel.noisy_error),
    )
    image_experiment.tells("cropped to {} x {} and", *found.original.shape)
    rows = image_panel(most=100).to_json()["rows"]
    image_experiment.tells("rises again beyond {}", min(rows, key=lambda row: row["rmse"])["components"])
    assert found.noisy.shape == found.original.shape == (512, 512)
    assert abs(float(found.measured.noisy_error) - 20) < 0.25, "512 x 512 variates: seven deviations of the mean square"
    assert np.linalg.matrix_rank(found.reconstructions[5]) == 5


def _drops() -> list[tuple[Panel, int]]:
    """Make panels whose least drop is known: in one place it is 1, elsewhere 2 at least."""
    panels = []
    for place in range(9):
        for start in (40, 50, 60):
            errors = [start - 2 * index + int(index > place) for index in range(8)]
            panels.append((Panel(512, 20, SHOWN, tuple(errors), errors[-1] + 3), 1 if place < 7 else 2))
    return panels


@image_experiment.controls(
    "+repair", grade="symbolic", region="two panels in the wrong order; a last panel worse than noise"
)
def test_a_panel_that_gets_worse_is_noticed(statement) -> None:
    swapped = (50, 40, 35, 25, 30, 22, 20, 18)
    assert statement.elsewhere().at(attrs.evolve(FALLING, errors=swapped)) is Truth.FALSE
    assert statement.elsewhere().at(attrs.evolve(FALLING, noisy_error=17)) is Truth.FALSE
    assert statement.elsewhere().at(attrs.evolve(FALLING, noisy_error=18)) is Truth.FALSE, (
        "not closer than the noisy image"
    )
    assert statement.elsewhere().without(SLIDES).at(MORE) is Truth.FALSE, "with more components the noise comes back"
    bind_hypotheses(statement, FALLING, {SLIDES: MORE})
    for change in ({"side": 511}, {"deviation": 19}, {"components": SHOWN[:-1]}, {"errors": FALLING.errors[:-1]}):
        assert statement.applies(attrs.evolve(FALLING, **change)) is Truth.FALSE
    bind(statement.elsewhere(), _drops(), least=20)


def test_the_panel_is_json_and_refuses_sizes() -> None:
    found = image_panel(most=29)
    assert json.loads(json.dumps(found.to_json()))["rows"][28]["components"] == 29
    assert portrait().min() >= 0
    assert portrait().max() <= 255
    for most in (28, 513):
        with pytest.raises(InvalidParameterError, match="out of range"):
            image_panel(most=most)


@pytest.mark.parametrize("stream", STREAMS)
def test_streams_are_in_the_unit_ball(stream) -> None:
    rows = stream_rows(stream, 50, 4, np.random.default_rng(0))
    assert rows.shape == (50, 4)
    assert np.linalg.norm(rows, axis=1).max() <= 1
    best = best_rewards(rows, 2)
    assert (np.diff(best) >= -1e-9).all()
    assert best[-1] <= 50


def test_regret_stays_below_the_proved_bound_and_shows_the_price() -> None:
    """The bound is for the expectation, and larger than the mean of 20 runs by a factor; privacy has its price."""
    for stream in STREAMS:
        curves = {policy: regret_curve(stream, policy, steps=300, repetitions=20) for policy in POLICIES}
        tuned = curves["tuned"]
        assert tuned.regret[-1] < tuned.bound[-1] / 2
        assert curves["private"].deviation > 5 * curves["fixed"].deviation
        json.dumps(tuned.to_json())


def test_regret_is_linear_at_a_fixed_guarantee_and_an_alternating_stream() -> None:
    """Twice the steps, twice the regret: 200 runs, of which each has a deviation of about sqrt(m)/2."""
    short, long = (
        regret_curve("alternating", "fixed", steps=steps, dimension=2, repetitions=100) for steps in (400, 1600)
    )
    assert 2 < long.regret[-1] / short.regret[-1] < 8


def test_bad_sizes_and_names_are_refused() -> None:
    for changes in ({"steps": 1}, {"rank": 6}, {"repetitions": 0}):
        with pytest.raises(InvalidParameterError):
            regret_curve("random", "tuned", **changes)
    with pytest.raises(InvalidParameterError, match="no stream"):
        regret_curve("calm", "tuned")
    with pytest.raises(InvalidParameterError, match="no policy"):
        regret_curve("random", "calm", steps=5)


def test_the_image_panel_and_the_regret_curves_are_reproductions(monkeypatch, tmp_path) -> None:
    """Through the command, with fewer steps; pictures are part of the SVG file."""
    monkeypatch.setattr(regret_curves, "STREAMS", ("alternating",))
    counts: list[tuple[int, int]] = []
    found = regret_curves.regret_reproduction(3, lambda *told: counts.append(told), steps=20, repetitions=2)
    assert counts == [(0, 3), (1, 3), (2, 3), (3, 3)]
    given = ["fixed epsilon = 1", "private epsilon = 1"]
    assert [series.label for series in found.series] == ["tuned", "proved bound, tuned", *given]
    assert found.rows[0][:2] == ("alternating", "tuned")
    command = ("reproduce", "analyze-gauss.image-experiment", "--seed", "2014", "--output", str(tmp_path))
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    drawn = (tmp_path / "analyze-gauss.image-experiment.svg").read_text()
    assert drawn.count("<image") == 10
    record = json.loads((tmp_path / "analyze-gauss.image-experiment.json").read_text())
    assert record["seed"] == 2014
    assert [row["root mean square error"] for row in record["rows"]] == list(image_panel().curve)
