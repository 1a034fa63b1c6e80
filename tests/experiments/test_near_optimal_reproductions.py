"""Reproduced tables and figures: what they hold, what is written, and what an interrupt leaves."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import os
from fractions import Fraction
from pathlib import Path

import attrs
import numpy as np
import pytest
from flint import arb
from scipy import sparse
from typer.testing import CliRunner

from dpmatrix.__main__ import app
from dpmatrix.commands import reproduce as command
from dpmatrix.errors import InvalidParameterError
from dpmatrix.experiments import classified as classified_runs
from dpmatrix.experiments import privacy_figure, uci
from dpmatrix.experiments.classified import SHARES, classified, labelled, of_subsets, recorded
from dpmatrix.experiments.near_optimal_tables import PRINTED_TABLE_1, classification_table
from dpmatrix.experiments.partial import Partial
from dpmatrix.experiments.privacy_figure import synthetic_moment
from dpmatrix.experiments.records import DATA_VARIABLE
from dpmatrix.experiments.reproduction import QUICK, USUAL, Effort, Reproduction
from dpmatrix.experiments.spectra import measured, recorded_spectra
from dpmatrix.experiments.subspaces import (
    energy,
    least_deviation,
    mod_sulq,
    noise_deviation,
    ppca_by_chain,
    top_subspace,
)
from dpmatrix.experiments.sulq_figure import bound, bound_figure, correlation
from dpmatrix.experiments.targets import TARGETS, Target
from dpmatrix.experiments.trace_figure import trace_figure
from dpmatrix.experiments.uci import EXPERIMENTS, Experiment
from dpmatrix.experiments.utility_figures import ALGORITHMS, Asked, utility_figure
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.profiles import GaussianProfile
from dpmatrix.privacy.sensitivity import frobenius_sensitivity
from dpmatrix.spec.near_optimal.noise import ModSulq
from dpmatrix.spec.near_optimal.sulq_curve import curve

DIRECTORY = os.environ.get(DATA_VARIABLE)
needs_data = pytest.mark.skipif(DIRECTORY is None, reason=f"{DATA_VARIABLE} names no directory with the raw files")
NAMES = ("census", "insurance", "kddcup", "localization")
ALL_ROUNDS = ("PCA", "PPCA", "MOD-SULQ", "random")


NOTHING_KEPT = Partial(None, {}, 1, 0)


def told(done, total):
    assert 0 <= done <= total


@needs_data
@pytest.mark.parametrize("name", NAMES)
def test_recorded_spectra_are_those_of_the_raw_files(name):
    found, record = measured(EXPERIMENTS[name](Path(DIRECTORY))), recorded_spectra()[name]
    assert np.allclose(found.eigenvalues, record.eigenvalues, rtol=1e-9, atol=1e-14)
    assert (found.records, found.rank, found.difference) == (record.records, record.rank, record.difference)


@pytest.mark.parametrize("name", NAMES)
def test_recorded_spectra_belong_to_records_in_the_unit_ball(name):
    spectrum = recorded_spectra()[name]
    values = np.array(spectrum.eigenvalues)
    assert np.all(np.diff(values) <= 0)
    assert values[-1] >= 0
    assert values.sum() <= 1
    records, dimension, rank, _, _ = PRINTED_TABLE_1[name]
    as_printed = (spectrum.records, spectrum.dimension, spectrum.rank) == (records, dimension, rank)
    assert as_printed == (spectrum.difference == "")


def small(name="small", size=60):
    generator = np.random.default_rng(0)
    raw = generator.standard_normal((size, 6)) * [3, 2, 1, 0.5, 0.2, 0.1]
    records = sparse.csr_array(raw / np.linalg.norm(raw, axis=1).max())
    return Experiment(name, records, raw[:, 0] > 0, 2, "made up")


def test_a_utility_figure_holds_every_algorithm_at_every_size():
    found = utility_figure("near-optimal.figure-4", [small()], QUICK, NOTHING_KEPT, 1, told)
    assert [row[1:3] for row in found.rows] == [(n, algorithm) for n in (6, 60) for algorithm in ALGORITHMS]
    best = energy(top_subspace(small().second_moment(), 2), small().second_moment())
    values = {row[2]: row[3] for row in found.rows if row[1] == 60}
    assert values["PCA"] == pytest.approx(best)
    assert max(values.values()) == values["PCA"]
    assert any("made up" in note for note in found.notes)


def test_more_guarantees_are_more_rows_and_more_panels():
    """With the document's one in front the rows of it are those of the table without the others."""
    asked = Asked((30, 60), (0.1, 3.0), (0.01, 0.2))
    found = utility_figure("near-optimal.figure-4", [small()], QUICK, NOTHING_KEPT, 1, told, asked)
    places = {row[6:] for row in found.rows}
    assert places == {(epsilon, delta) for epsilon in (0.1, 3.0) for delta in (0.01, 0.2)}
    assert len(found.rows) == 2 * 4 * len(ALGORITHMS)
    panels = {series.panel for series in found.series}
    assert panels == {f"small (k = 2, epsilon = {one}, delta = {other})" for one in (0.1, 3) for other in (0.01, 0.2)}
    assert all(len(series.places) == 2 for series in found.series)
    values = {(*row[6:], row[2]): row[3] for row in found.rows if row[1] == 60}
    assert values[3.0, 0.2, "MOD-SULQ"] > values[0.1, 0.01, "MOD-SULQ"]
    guarantees = ((0.1, 0.01), (50.0, 0.01))
    one, both = (
        classification_table([small(size=400)], QUICK, NOTHING_KEPT, told, guarantees[:count]) for count in (1, 2)
    )
    assert both.rows[: len(one.rows)] == one.rows
    assert {row[5:] for row in both.rows} == set(guarantees)
    assert both.rows[len(one.rows) :] != one.rows
    assert "epsilon = 50, delta = 0.01" in both.notes[0]


def test_less_noise_is_more_utility():
    moment, generator = small().second_moment(), np.random.default_rng(1)
    best = energy(top_subspace(moment, 2), moment)
    for drawn in (
        mod_sulq(moment, 10**9, 2, 0.1, 0.01, generator),
        mod_sulq(moment, 10**9, 2, 0.1, 0.01, generator, least=True),
        ppca_by_chain(moment, 10**9, 2, 0.1, 200, generator),
    ):
        assert np.allclose(drawn.T @ drawn, np.eye(2))
        assert energy(drawn, moment) == pytest.approx(best, rel=1e-4)
    assert noise_deviation(116, 494_021, 0.1, 0.01) == pytest.approx(0.01185, abs=5e-6)


def test_classes_along_the_first_axis_are_found_by_pca_and_not_by_chance():
    found = classification_table([small(size=2000)], QUICK, NOTHING_KEPT, told)
    accuracies = {row[1]: row[2] for row in found.rows}
    assert accuracies["PCA"] > 80
    assert accuracies["the larger class always"] < 55


def test_traces_start_at_one_over_root_t():
    spectra = [recorded_spectra()["localization"]]
    found = trace_figure(spectra, QUICK, NOTHING_KEPT, 1, told)
    last = [row[3] for row in found.rows if row[2] == QUICK.steps]
    assert len(last) == QUICK.traces
    # Markov: F^2 beyond 100 / T has probability below 0.01; this is no test of the law.
    assert all(0 < value < 10 / np.sqrt(QUICK.steps) for value in last)


def test_synthetic_records_are_in_the_unit_ball():
    moment = synthetic_moment(1)
    assert np.trace(moment) < 0.909
    assert np.linalg.eigvalsh(moment)[-1] < 0.5


@pytest.mark.parametrize(("words", "expected"), [(("b", "a", "b"), [[0, 1], [1, 0], [0, 1]]), (("x",), [[1]])])
def test_indicators_are_in_the_order_of_the_values(words, expected):
    assert (uci.indicators(words).toarray() == expected).all()


def test_scaling_is_by_feature_and_then_by_one_factor():
    raw = sparse.csr_array(np.array([[2.0, 0.0, 10.0], [-4.0, 0.0, 5.0]]))
    assert np.allclose(uci.scaled([raw]).toarray() * np.sqrt(1.25), [[0.5, 1.0], [-1.0, 0.5]], rtol=1e-9)


@pytest.mark.parametrize("name", ["kddcup", "census", "localization"])
def test_missing_and_altered_files_are_refused(tmp_path, name):
    with pytest.raises(InvalidParameterError, match="is not in"):
        EXPERIMENTS[name](tmp_path)
    for file in uci.FILES:
        (tmp_path / file).write_bytes(b"other")
    with pytest.raises(InvalidParameterError, match="sha256"):
        EXPERIMENTS[name](tmp_path)


def test_localization_is_read_with_and_without_the_activity(tmp_path, monkeypatch):
    rows = [
        "id, sequence_name, tag, timestamp, x, y, z, activity",
        "0,A01,t,10,1,2,3,falling",
        "1,A02,u,20,3,2,1,lying",
    ]
    content = gzip.compress("\n".join(rows).encode())
    (tmp_path / "ConfLongDemo_JSI.A01-A03.csv.gz").write_bytes(content)
    monkeypatch.setitem(uci.FILES, "ConfLongDemo_JSI.A01-A03.csv.gz", hashlib.sha256(content).hexdigest())
    loaded = uci.localization(tmp_path)
    assert loaded.records.shape == (2, 10)
    assert loaded.labels.tolist() == [True, False]
    assert uci.localization(tmp_path, with_activity=False).records.shape == (2, 8)


def run(*arguments):
    return CliRunner().invoke(app, ["reproduce", *arguments])


def test_a_table_is_written_as_csv_and_json(tmp_path):
    result = run("near-optimal.table-1", "--output", str(tmp_path))
    assert result.exit_code == 0, result.output
    with (tmp_path / "near-optimal.table-1.csv").open(newline="") as file:
        origin = file.readline()
        rows = list(csv.DictReader(file))
    assert [row["data set"] for row in rows] == ["kddcup", "census", "localization", "insurance"]
    record = json.loads((tmp_path / "near-optimal.table-1.json").read_text())
    assert record["private"] is False
    assert f"seed {record['seed']}; python {record['versions']['python']}, dpmatrix" in origin
    assert sorted(path.name for path in tmp_path.iterdir()) == ["near-optimal.table-1.csv", "near-optimal.table-1.json"]


def test_a_seed_repeats_a_figure(tmp_path):
    for folder in ("first", "second"):
        assert run("near-optimal.figure-5", "--quick", "--seed", "7", "--output", str(tmp_path / folder)).exit_code == 0
    for kind in ("csv", "json", "svg"):
        first, second = (tmp_path / folder / f"near-optimal.figure-5.{kind}" for folder in ("first", "second"))
        assert first.read_bytes() == second.read_bytes()
    assert json.loads((tmp_path / "first" / "near-optimal.figure-5.json").read_text())["seed"] == 7


@pytest.mark.parametrize("fault", [KeyboardInterrupt, OSError])
def test_an_interrupt_leaves_what_was_there(tmp_path, monkeypatch, fault):
    old = tmp_path / "near-optimal.table-1.json"
    old.write_text("old")

    def broken(_run):
        raise fault

    monkeypatch.setitem(TARGETS, "near-optimal.table-1", Target(broken))
    assert run("near-optimal.table-1", "--output", str(tmp_path)).exit_code != 0
    assert [path.name for path in tmp_path.iterdir()] == [old.name]
    assert old.read_text() == "old"


def test_wrong_use_is_one_line(tmp_path, monkeypatch):
    monkeypatch.delenv(DATA_VARIABLE, raising=False)
    unknown = run("near-optimal.figure-9")
    assert (unknown.exit_code, "cannot be reproduced" in unknown.output) == (2, True)
    missing = run("near-optimal.figure-3", "--output", str(tmp_path))
    assert (missing.exit_code, "no directory with the raw files is named" in missing.output) == (2, True)
    assert not list(tmp_path.iterdir())


def test_a_long_run_is_announced(capsys):
    command.announce(600, 2)
    command.announce(1, 2)
    assert capsys.readouterr().err == "this will take about 10.0 minutes on 2 workers\n"


def test_rows_of_a_record_have_names():
    record = Reproduction("a.b", ("x", "y"), ((1, 2.0),), ()).to_json(3)
    assert record["rows"] == [{"x": 1, "y": 2.0}]
    assert record["seed"] == 3


def test_an_interrupted_run_goes_on_to_the_same_numbers(tmp_path, monkeypatch):
    """Stopped after the third of eleven epsilons, and begun again without a seed."""
    arguments = ("near-optimal.figure-5", "--quick", "--output")
    assert run(*arguments, str(tmp_path / "whole"), "--seed", "8").exit_code == 0
    drawn, row = [], privacy_figure.privacy_row

    def stopping(moment, epsilon, effort, seed, **more):
        drawn.append(epsilon)
        if len(drawn) == 4:
            raise KeyboardInterrupt
        return row(moment, epsilon, effort, seed, **more)

    monkeypatch.setattr(privacy_figure, "privacy_row", stopping)
    assert run(*arguments, str(tmp_path / "parts"), "--seed", "8").exit_code != 0
    assert [path.name for path in (tmp_path / "parts").iterdir()] == ["near-optimal.figure-5.partial"]
    again = run(*arguments, str(tmp_path / "parts"))
    assert "going on with the run of seed 8" in again.output
    assert drawn == [*privacy_figure.EPSILONS[:4], *privacy_figure.EPSILONS[3:]]
    whole, parts = (tmp_path / name / "near-optimal.figure-5.csv" for name in ("whole", "parts"))
    assert whole.read_bytes() == parts.read_bytes()
    assert sorted(path.suffix for path in (tmp_path / "parts").iterdir()) == [".csv", ".json", ".svg"]


def test_a_chain_goes_on_from_what_was_kept(tmp_path):
    spectra, plan = [recorded_spectra()["localization"]], {"a": 1}
    whole = trace_figure(spectra, QUICK, NOTHING_KEPT, 1, told)
    counts = []

    def stopping(done, total):
        counts.append((done, total))
        if len(counts) == 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trace_figure(spectra, QUICK, Partial(tmp_path / "p", plan, 1, 0), 1, stopping)
    resumed = Partial(tmp_path / "p", plan, None, 0)
    assert (resumed.seed, resumed.resumed) == (1, True)
    assert trace_figure(spectra, QUICK, resumed, 1, told).rows == whole.rows
    before = counts[-1][0]
    counts.clear()
    trace_figure(spectra, QUICK, Partial(tmp_path / "p", plan, None, 0), 1, lambda *told_: counts.append(told_))
    assert before < counts[0][0] == QUICK.traces * QUICK.steps, "nothing is left to do"


def test_subsets_that_were_measured_are_not_measured_again(tmp_path):
    experiment = small()
    first = utility_figure("a.b", [experiment], QUICK, Partial(tmp_path / "p", {}, 5, 0), 1, told)
    for path in (tmp_path / "p").glob("small-6-*.json"):
        path.unlink()
    counts = []
    again = Partial(tmp_path / "p", {}, None, 0)
    second = utility_figure("a.b", [experiment], QUICK, again, 1, lambda *told_: counts.append(told_))
    assert second.rows == first.rows
    assert counts == [(0, 2), (1, 2), (2, 2)]


def test_pieces_of_another_plan_or_seed_are_thrown_away(tmp_path):
    folder = tmp_path / "p"
    first = Partial(folder, {"a": 1}, None, 77)
    assert first.seed == 77
    assert first.found("x") is None
    first.keep("x", [1])
    for plan, seed, resumed in (
        ({"a": 1}, None, True),
        ({"a": 1}, 77, True),
        ({"a": 1}, 3, False),
        ({"a": 2}, None, False),
    ):
        partial = Partial(folder, plan, seed, 5)
        assert partial.resumed is resumed
        assert partial.found("x") == ([1] if resumed else None)
        assert partial.seed == (77 if resumed else seed or 5)
    other = Partial(folder, {"a": 2}, None, 5)
    other.keep("y/1", 2)
    assert sorted(path.name for path in folder.iterdir()) == ["plan.json", "y_1.json"]
    other.clear()
    assert not folder.exists()


def test_the_bound_of_figure_1_lies_above_what_is_measured():
    found = bound_figure(QUICK, NOTHING_KEPT, 1, told)
    assert len(found.rows) == 2 * 4 * 11
    for row in found.rows:
        assert row[4] + 1e-9 > 0.75
        assert row[3] - 1e-9 <= row[4] <= 1.0, "less noise, a weaker bound"
    far = [row for row in found.rows if row[:3] == (50, 0.01, 100)]
    assert far[0][5] < 0.6 < far[0][3], "a lower bound it is not"
    assert {series.panel for series in found.series} == {"d = 10", "d = 50"}


def test_the_bound_is_that_of_the_specification():
    """At the printed noise; and 1,000 records with a tenth of it are 10,000 records."""
    setting = ModSulq(50, 1000, Fraction(1, 10), Fraction(1, 100))
    deviation = noise_deviation(50, 1000, 0.1, 0.01)
    assert bound(50, 1000, 0.1, deviation) == pytest.approx(float(curve(setting)), rel=1e-12)
    more = attrs.evolve(setting, records=10_000)
    assert bound(50, 1000, 0.1, deviation / 10) == pytest.approx(float(curve(more)), rel=1e-12)


def test_correlation_of_a_spike():
    """Without noise one; under much noise that of a random direction, 0.79 / sqrt(d): 200 draws, 8 deviations."""
    generator = np.random.default_rng(0)
    assert correlation(20, 1e-9, 2, generator) == pytest.approx(1.0)
    assert abs(correlation(20, 1e6, 200, generator) - 0.18) < 0.08


def test_least_noise_keeps_the_guarantee_and_hardly_more():
    for dimension, records, epsilon, delta in ((10, 5000, 0.1, 0.05), (116, 494_021, 0.1, 0.01), (10, 100, 2.0, 0.05)):
        least = least_deviation(dimension, records, epsilon, delta)
        profile = GaussianProfile(frobenius_sensitivity(dimension, Adjacency.REPLACE_ONE), Fraction(least * records))
        assert profile.delta(Fraction(str(epsilon))) <= arb(str(delta)) * (1 + arb("1e-9")), (
            "up to the float's rounding"
        )
        smaller = GaussianProfile(profile.sensitivity, Fraction(least * records) * Fraction(99, 100))
        assert smaller.delta(Fraction(str(epsilon))) > arb(str(delta))
        assert least < noise_deviation(dimension, records, epsilon, delta) / 2


def test_what_is_left_out_is_said():
    assert Effort().less("steps", "chains") == ()
    assert USUAL.less("steps", "samples") == ("less than the document: 2000 of 40000 steps",)


@needs_data
@pytest.mark.parametrize("name", ["insurance", "localization"])
def test_recorded_rounds_are_those_of_the_raw_files(name):
    """The data sets that load in a second; one division of the records, and two sizes of subsets."""
    experiment = labelled(name, Path(DIRECTORY))
    rounds, subsets = recorded()
    for found in classified(experiment, ALL_ROUNDS, attrs.evolve(Effort(), permutations=1, projections=1)):
        known = next(one for one in rounds if (one.data_set, one.algorithm) == (name, found.algorithm))
        assert found.majority[0] == pytest.approx(known.majority[0])
        if found.algorithm == "PCA":
            assert found.accuracies[0] == pytest.approx(known.accuracies[0], abs=1e-3)
            assert found.kept[0] == pytest.approx(known.kept[0], abs=1e-5)
        assert abs(found.kept[0] - np.mean(known.kept)) < 6 * max(float(np.std(known.kept)), 1e-3)
    for found in of_subsets(experiment, (0.05, 0.5), 2):
        known = next(one for one in subsets if (one.data_set, one.share) == (name, found.share))
        assert found.kept == pytest.approx(known.kept[:2], abs=1e-5)


@needs_data
def test_classes_of_census_and_insurance():
    """6.2 per cent of census have an income above 50,000, 6.0 per cent of insurance the policy."""
    assert labelled("insurance", Path(DIRECTORY)).labels.mean() == pytest.approx(586 / 9822)
    record = next(one for one in recorded()[0] if one.data_set == "census")
    assert np.mean(record.majority) == pytest.approx(93_576 / 99_762, abs=2e-3)


def test_the_record_holds_every_round():
    rounds, subsets = recorded()
    assert {(one.data_set, one.algorithm) for one in rounds} == {
        *((name, algorithm) for name in ("insurance", "localization", "kddcup") for algorithm in ALL_ROUNDS),
        ("census", "PCA"),
    }
    for one in rounds:
        assert len(one.accuracies) == len(one.majority) == len(one.kept) == (5 if one.algorithm == "PCA" else 25)
        assert all(0 <= value <= 1 for value in (*one.accuracies, *one.majority, *one.kept))
    assert {(one.data_set, one.share, len(one.kept)) for one in subsets} == {
        (name, share, 5) for name in NAMES for share in SHARES
    }


def test_rounds_and_subsets_of_made_up_records():
    """PCA finds the classes along the first axis; half of the records have nearly the subspace of all."""
    rounds = classified(small(size=2000), ("PCA", "random"), QUICK)
    assert rounds[0].accuracies[0] > 0.8
    assert rounds[0].kept[0] > rounds[1].kept[0]
    assert all(0.5 <= one.majority[0] < 0.55 for one in rounds)
    (half,) = of_subsets(small(size=2000), (0.5,), 3)
    assert len(half.kept) == 3
    assert 0.99 < min(half.kept) <= max(half.kept) <= 1
    with pytest.raises(ValueError, match="has no classes"):
        classified(attrs.evolve(small(), labels=None), ("PCA",), QUICK)


@pytest.mark.parametrize("name", ["ticdata2000.txt.gz", "tictgts2000.txt.gz"])
def test_missing_and_altered_classes_are_refused(tmp_path, name, monkeypatch):
    monkeypatch.setitem(EXPERIMENTS, "insurance", lambda _: small())
    monkeypatch.setattr(classified_runs, "TARGETS", {name: "0" * 8})
    with pytest.raises(InvalidParameterError, match="is not in"):
        labelled("insurance", tmp_path)
    (tmp_path / name).write_bytes(gzip.compress(b"1"))
    with pytest.raises(InvalidParameterError, match="is altered"):
        labelled("insurance", tmp_path)
    digits = hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()[:8]
    monkeypatch.setattr(classified_runs, "TARGETS", {name: digits})
    assert labelled("insurance", tmp_path).labels.tolist() == [True]
