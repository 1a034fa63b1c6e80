"""Reproduced tables and figures: what they hold, what is written, and what an interrupt leaves."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import os
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from typer.testing import CliRunner

from dpmatrix.__main__ import app
from dpmatrix.commands import reproduce as command
from dpmatrix.errors import InvalidParameterError
from dpmatrix.experiments import uci
from dpmatrix.experiments.near_optimal_tables import PRINTED_TABLE_1, classification_table
from dpmatrix.experiments.records import DATA_VARIABLE
from dpmatrix.experiments.reproduction import QUICK, Reproduction
from dpmatrix.experiments.spectra import measured, recorded_spectra
from dpmatrix.experiments.subspaces import energy, mod_sulq, noise_deviation, ppca_by_chain, top_subspace
from dpmatrix.experiments.trace_figure import trace_figure
from dpmatrix.experiments.uci import EXPERIMENTS, Experiment
from dpmatrix.experiments.utility_figures import ALGORITHMS, synthetic_moment, utility_figure

DIRECTORY = os.environ.get(DATA_VARIABLE)
needs_data = pytest.mark.skipif(DIRECTORY is None, reason=f"{DATA_VARIABLE} names no directory with the raw files")
NAMES = ("census", "insurance", "kddcup", "localization")


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
    found = utility_figure("near-optimal.figure-4", [small()], QUICK, 1, 1, told)
    assert [row[1:3] for row in found.rows] == [(n, algorithm) for n in (6, 60) for algorithm in ALGORITHMS]
    best = energy(top_subspace(small().second_moment(), 2), small().second_moment())
    values = {row[2]: row[3] for row in found.rows if row[1] == 60}
    assert values["PCA"] == pytest.approx(best)
    assert max(values.values()) == values["PCA"]
    assert any("made up" in note for note in found.notes)


def test_less_noise_is_more_utility():
    moment, generator = small().second_moment(), np.random.default_rng(1)
    best = energy(top_subspace(moment, 2), moment)
    for drawn in (
        mod_sulq(moment, 10**9, 2, 0.1, 0.01, generator),
        ppca_by_chain(moment, 10**9, 2, 0.1, 200, generator),
    ):
        assert np.allclose(drawn.T @ drawn, np.eye(2))
        assert energy(drawn, moment) == pytest.approx(best, rel=1e-4)
    assert noise_deviation(116, 494_021, 0.1, 0.01) == pytest.approx(0.01185, abs=5e-6)


def test_classes_along_the_first_axis_are_found_by_pca_and_not_by_chance():
    found = classification_table([small(size=2000)], QUICK, 1, told)
    accuracies = {row[1]: row[2] for row in found.rows}
    assert accuracies["PCA"] > 80
    assert accuracies["the larger class always"] < 55


def test_traces_start_at_one_over_root_t():
    spectra = [recorded_spectra()["localization"]]
    found = trace_figure(spectra, QUICK, 1, 1, told)
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
        rows = list(csv.DictReader(file))
    assert [row["data set"] for row in rows] == ["kddcup", "census", "localization", "insurance"]
    record = json.loads((tmp_path / "near-optimal.table-1.json").read_text())
    assert record["private"] is False
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

    monkeypatch.setitem(command.TARGETS, "near-optimal.table-1", broken)
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


def test_a_long_run_is_announced(capsys, monkeypatch):
    run_of = command.Run(QUICK, None, None, 2, told)
    run_of.announce(600)
    run_of.announce(1)
    assert capsys.readouterr().err == "this will take about 10.0 minutes on 2 workers\n"


def test_rows_of_a_record_have_names():
    record = Reproduction("a.b", ("x", "y"), ((1, 2.0),), ()).to_json(None)
    assert record["rows"] == [{"x": 1, "y": 2.0}]
    assert record["seed"] is None
