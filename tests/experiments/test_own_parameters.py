"""Parameters and records of a reader: what a target takes, what is refused, and what the files say."""

from __future__ import annotations

import csv
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from typer.testing import CliRunner

from dpmatrix.__main__ import app
from dpmatrix.commands.reproduce import OWN, REPRODUCED
from dpmatrix.errors import InvalidParameterError, RecordFileError
from dpmatrix.experiments import privacy_figure
from dpmatrix.experiments.again import make_again, parameters_of, target_of
from dpmatrix.experiments.own_data import LEAST_RECORDS, MOST_COLUMNS, NAME, read_own
from dpmatrix.experiments.parameters import MOST_VALUES, Parameter, Parameters, epsilons, records
from dpmatrix.experiments.records import unit_scaled
from dpmatrix.experiments.reproduction import QUICK, Effort
from dpmatrix.experiments.subspaces import least_deviation, noise_deviation
from dpmatrix.experiments.sulq_figure import bound
from dpmatrix.experiments.targets import TARGETS
from dpmatrix.mechanisms import SymmetrisedWishartMechanism
from dpmatrix.mechanisms.analyze_gauss import slide_deviation
from dpmatrix.privacy import Adjacency

FIGURE_5 = "near-optimal.figure-5"


def rows_of(found):
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def run(*arguments):
    return CliRunner().invoke(app, ["reproduce", *map(str, arguments)])


def exact(*values):
    return [Fraction(str(value)) for value in values]


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ((), "0 values are given"),
        (range(1, MOST_VALUES + 2), f"{MOST_VALUES + 1} values are given"),
        ((0,), "out of range"),
        ((1001,), "out of range"),
        ((-5,), "out of range"),
        ((1.5,), "no integer"),
        ((2, 3, 2), "stands twice"),
    ],
)
def test_values_that_are_none_are_refused(values, problem) -> None:
    with pytest.raises(InvalidParameterError, match=problem) as refused:
        records((5,), 1, 1000).read(exact(*values))
    assert refused.value.parameter == "n"


def test_values_are_ascending_and_ends_are_in_range() -> None:
    assert records((5,), 1, 1000).read(exact(1000, 1, 20)) == (1, 20, 1000)
    assert epsilons(1).read(exact(100, 1e-4, 0.3)) == (1e-4, 0.3, 100.0)
    for outside in ("0", "0.00009999", "100.0000001"):
        with pytest.raises(InvalidParameterError, match=r"pass numbers from 0\.0001 to 100"):
            epsilons(1).read([Fraction(outside)])
    with pytest.raises(InvalidParameterError, match="pass one value"):
        records((5,), 1, 9, count=1).read(exact(2, 3))
    with pytest.raises(InvalidParameterError, match="stands twice"):
        epsilons(1).read([Fraction("0.1"), Fraction("0.1") + Fraction(1, 10**40)])  # one float


@pytest.mark.parametrize("target", TARGETS)
def test_the_usual_values_of_a_target_are_values_that_it_takes(target) -> None:
    for effort in (QUICK, Effort()):
        for one in target_of(target).parameters(effort):
            assert bool(one.usual) != bool(one.instead)
            assert not one.usual or one.read(exact(*one.usual)) == one.usual


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["n", "d", "epsilons", "deltas"])
def test_a_parameter_is_taken_or_refused_with_what_is_taken(target, name) -> None:
    takes = [one.name for one in target_of(target).takes]
    given = {name: exact(2000 if name == "n" else 20 if name == "d" else 0.25)}
    if name in takes:
        assert parameters_of(target, QUICK, given).own == (name,)
        return
    with pytest.raises(InvalidParameterError) as refused:
        parameters_of(target, QUICK, given)
    assert refused.value.parameter == name
    assert refused.value.problem == f"{target} does not take it"
    assert all(f"--{one}" in refused.value.remedy for one in takes)
    assert takes or refused.value.remedy == "it takes no parameters"


def test_the_usual_values_are_not_ones_own() -> None:
    found = parameters_of(FIGURE_5, QUICK, {"n": exact(5000), "epsilons": None})
    assert (found.own, found.note) == ((), "")
    assert found.to_json()["parameters"]["epsilons"] == list(privacy_figure.EPSILONS)
    other = parameters_of("beyond.least-noise", QUICK, {"d": exact(3)})
    assert other.note == "own parameters, not the usual ones: d = 3"
    quick, full = (parameters_of("near-optimal.figure-1", effort, {}).values("d") for effort in (QUICK, Effort()))
    assert (quick, full) == ((10, 50), (50, 200, 500, 1000))


def test_the_files_record_the_parameters_and_say_whose_they_are(tmp_path) -> None:
    chosen = ("--quick", "--seed", 3, "--output", tmp_path, "--epsilons", "1/2,0.1", "--deltas", "1e-6", "--n", "1e3")
    assert run(FIGURE_5, *chosen).exit_code == 0
    said = "own parameters, not the document's: n = 1000; epsilons = 0.1, 0.5; deltas = 1e-06"
    with (tmp_path / f"{FIGURE_5}.csv").open(newline="") as file:
        assert file.readline().rstrip().endswith(said)
        rows = list(csv.DictReader(file))
    assert {(row["epsilon"], row["n"], row["delta"]) for row in rows} == {(e, "1000", "1e-06") for e in ("0.1", "0.5")}
    record = json.loads((tmp_path / f"{FIGURE_5}.json").read_text())
    assert record["parameters"] == {"n": [1000], "epsilons": [0.1, 0.5], "deltas": [1e-6]}
    assert record["own_parameters"] == ["n", "epsilons", "deltas"]
    assert record["notes"][0] == said
    drawing = (tmp_path / f"{FIGURE_5}.svg").read_text()
    assert "with own parameters, not private" in drawing
    assert said.replace("'", "&#x27;") in drawing or said in drawing


def test_the_document_s_parameters_leave_no_such_word(tmp_path) -> None:
    assert run("sliding-window.table-1", "--output", tmp_path, "--d", 100, "--epsilons", 1).exit_code == 0
    record = json.loads((tmp_path / "sliding-window.table-1.json").read_text())
    assert (record["own_parameters"], record["parameters"]["d"]) == ([], [100])
    assert not any("own parameters" in path.read_text() for path in tmp_path.iterdir())


def test_own_parameters_go_to_a_folder_of_their_own(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for options in ((), ("--d", 50)):
        assert run("sliding-window.table-1", *options).exit_code == 0
    usual, own = (folder / "sliding-window.table-1.json" for folder in (REPRODUCED, REPRODUCED / OWN))
    assert [json.loads(path.read_text())["parameters"]["d"] for path in (usual, own)] == [[100], [50]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((FIGURE_5, "--d", 3), "d: near-optimal.figure-5 does not take it; it takes --n and --epsilons and --deltas"),
        ((FIGURE_5, "--epsilons", "0.1,"), "epsilons: '' is no number"),
        ((FIGURE_5, "--epsilons", "nan"), "epsilons: 'nan' is no number"),
        ((FIGURE_5, "--epsilons", "inf"), "epsilons: 'inf' is no number"),
        ((FIGURE_5, "--deltas", "0"), "deltas: a value is out of range"),
        ((FIGURE_5, "--n", "1e99"), "n: a value is out of range"),
        (("sliding-window.table-1", "--n", "10,20"), "n: 2 values are given; pass one value"),
        ((FIGURE_5, "--rank", 2), "rank: it is of records of your own"),
        ((FIGURE_5, "--header"), "header: it is of records of your own"),
        (("compression.theorem-5-1", "--n", 1000, "--d", 20), "n: Theorem 5.1 publishes"),
        (("near-optimal.figure-9", "--n", 3), "target: 'near-optimal.figure-9' cannot be reproduced"),
    ],
)
def test_what_is_refused_is_one_line_and_leaves_no_file(tmp_path, arguments, said) -> None:
    result = run(*arguments, "--output", tmp_path)
    assert result.exit_code == 2
    assert result.output.splitlines()[-1].startswith(f"InvalidParameterError: {said}")
    assert not list(tmp_path.iterdir())


def test_an_interrupted_run_is_not_mixed_with_one_of_other_parameters(tmp_path, monkeypatch) -> None:
    """Stopped after two of three epsilons; two of them are asked again, at another delta, and all is drawn anew."""
    row, drawn = privacy_figure.privacy_row, []

    def stopping(moment, epsilon, *rest, **more):
        if epsilon == 1.0 and not drawn:
            raise KeyboardInterrupt
        return row(moment, epsilon, *rest, **more)

    monkeypatch.setattr(privacy_figure, "privacy_row", stopping)
    common = (FIGURE_5, "--quick", "--output")
    assert run(*common, tmp_path / "a", "--epsilons", "0.1,0.5,1", "--seed", 4).exit_code != 0
    drawn.append(1)
    other = ("--epsilons", "0.1,0.5,1", "--deltas", "1e-6")
    again = run(*common, tmp_path / "a", *other, "--seed", 4)
    assert "going on" not in again.output
    assert run(*common, tmp_path / "b", *other, "--seed", 4).exit_code == 0
    first, second = ((tmp_path / folder / f"{FIGURE_5}.csv").read_bytes() for folder in "ab")
    assert first == second
    drawn.clear()
    assert run(*common, tmp_path / "c", "--epsilons", "0.1,0.5,1", "--seed", 4).exit_code != 0
    drawn.append(1)
    assert "going on with the run of seed 4" in run(*common, tmp_path / "c", "--epsilons", "1,0.5,0.1").output


def test_what_a_target_takes_is_listed_and_nothing_is_made(tmp_path) -> None:
    result = run("near-optimal.figure-1", "--takes", "--output", tmp_path)
    assert result.exit_code == 0
    for words in ("--n", "--d", "--epsilons", "--deltas", "2 to 2000", "50, 200, 500, 1000"):
        assert words in result.output
    assert run("near-optimal.figure-2", "--takes").output == "near-optimal.figure-2 takes no parameters\n"
    assert run("near-optimal.figure-9", "--takes").exit_code == 2
    assert not list(tmp_path.iterdir())


def test_figure_1_at_ones_own_numbers() -> None:
    found = make_again("near-optimal.figure-1", n=[300], d=[3, 4], epsilons=[0.3], deltas=[1e-3, 1e-6], seed=1)
    assert [(row["d"], row["n"], row["epsilon"], row["delta"]) for row in rows_of(found)] == [
        (d, 300, 0.3, delta) for d in (3, 4) for delta in (1e-6, 1e-3)
    ]
    for row in rows_of(found):
        setting = (row["d"], 300, 0.3, row["delta"])
        for noise, deviation in (("printed", noise_deviation(*setting)), ("minimal", least_deviation(*setting))):
            assert row[f"(21), {noise} noise"] == bound(row["d"], 300, 0.3, deviation, row["delta"])
    panels = {f"d = {d}, delta = {delta}" for d in (3, 4) for delta in ("1e-06", "0.001")}
    assert {series.panel for series in found.series} == panels


def test_figure_5_has_a_panel_for_each_n_and_delta() -> None:
    found = make_again(FIGURE_5, n=[100, 4000], epsilons=[1], deltas=[0.01, 0.1], seed=2)
    assert {series.panel for series in found.series} == {
        f"n = {n}, delta = {d}" for n in (100, 4000) for d in (0.01, 0.1)
    }
    shares = {(row["n"], row["algorithm"]): row["mean q_F"] for row in rows_of(found) if row["delta"] == 0.01}
    assert shares[100, "MOD-SULQ"] < shares[4000, "MOD-SULQ"], "more records, less noise"
    assert make_again(FIGURE_5, n=[100, 4000], epsilons=[1], deltas=[0.01, 0.1], seed=2).rows == found.rows


def test_tables_of_windows_at_ones_own_setting() -> None:
    found = make_again("sliding-window.table-1", n=[1000], d=[20], epsilons=["0.5"], deltas=["1e-3"])
    row = rows_of(found)[0]
    assert row["printed"] == pytest.approx(100 * math.log(1000) ** 2 / 0.25)
    assert "W = 1000, d = 20" in found.notes[1]
    other = make_again("sliding-window.table-2", d=[10])
    assert other.notes[-1] == "outside the hypotheses of the table: delta >= d^(-log d)"
    assert not any("outside" in note for note in make_again("sliding-window.table-2").notes)
    assert not any("outside" in note for note in make_again("sliding-window.table-2", d=[10], deltas=[0.1]).notes)


def test_regret_at_ones_own_epsilons() -> None:
    found = make_again("analyze-gauss.regret-online", n=[30], d=[3], epsilons=[0.5, 2], deltas=[0.01], seed=5)
    deviations = {row["policy"]: row["noise deviation"] for row in rows_of(found)}
    assert set(deviations) == {
        "tuned",
        *(f"{kind} epsilon = {e}" for kind in ("fixed", "private") for e in ("0.5", "2")),
    }
    for epsilon, words in ((Fraction(1, 2), "0.5"), (Fraction(2), "2")):
        assert deviations[f"fixed epsilon = {words}"] == float(slide_deviation(epsilon, Fraction(1, 100)))
    assert max(row["steps"] for row in rows_of(found)) == 30


def test_compression_at_ones_own_sizes() -> None:
    found = make_again("compression.theorem-5-1", n=[2000, 3000], d=[2, 3, 4], seed=5)
    settings = {(row["panel"].split(", against ")[1], row["n"], row["p"]) for row in rows_of(found)}
    assert settings == {("m", 3000, 3), *(("p", 3000, p) for p in (2, 3, 4)), ("n", 2000, 3), ("n", 3000, 3)}
    assert {row["m"] for row in rows_of(found) if row["panel"].endswith("against m")} == {1000, 3000}


def test_pure_noise_at_ones_own_epsilons() -> None:
    found = make_again("beyond.least-noise", d=[2], epsilons=[0.5, 1])
    errors = {(row["relation"], row["epsilon"]): row for row in rows_of(found)}
    for adjacency, words in ((Adjacency.REPLACE_ONE, "a record replaced"), (Adjacency.ADD_REMOVE_ONE, None)):
        relation = words or "a record added or removed"
        for epsilon in (0.5, 1.0):
            mechanism = SymmetrisedWishartMechanism(Fraction(epsilon), adjacency)
            assert errors[relation, epsilon]["symmetrised-wishart"] == float(mechanism.mean_squared_error(2, 1))
        halved, whole = (errors[relation, epsilon]["bound, epsilon -> 0"] for epsilon in (0.5, 1.0))
        assert halved == 4 * whole
    assert {series.panel.rpartition(", ")[2] for series in found.series} == {"epsilon = 0.5", "epsilon = 1"}


def test_windows_of_ones_own_length() -> None:
    assert [row["W"] for row in rows_of(make_again("beyond.window-noise", n=[9, 3]))] == [3, 9]


def test_numbers_from_python_are_checked() -> None:
    for values in ([float("nan")], [float("inf")], ["x"], ["1/0"]):
        with pytest.raises(InvalidParameterError, match="no finite number"):
            make_again(FIGURE_5, epsilons=values)
    with pytest.raises(InvalidParameterError, match="does not take it"):
        make_again("near-optimal.table-1", d=[3])


def table(path, rows=150, columns=4, **more):
    raw = np.random.default_rng(1).normal(size=(rows, columns)) * [5.0, 1.0, 1.0, 0.1][:columns]
    np.savetxt(path, raw, delimiter=",", comments="", **more)
    return raw


def test_a_utility_figure_of_ones_own_records(tmp_path) -> None:
    raw = table(tmp_path / "mine.csv")
    options = ("--data", tmp_path / "mine.csv", "--rank", 2, "--n", "50,150", "--epsilons", "0.5,1", "--quick")
    result = run("near-optimal.figure-3", *options, "--output", tmp_path / "out", "--seed", 1)
    assert result.exit_code == 0, result.output
    record = json.loads((tmp_path / "out" / "near-optimal.figure-3.json").read_text())
    assert record["own_data"].items() >= {"file": "mine.csv", "records": 150, "columns": 4, "rank": 2}.items()
    assert record["notes"][0].endswith("epsilons = 0.5, 1.0; records of mine.csv")
    assert {(row["n"], row["epsilon"]) for row in record["rows"]} == {(n, e) for n in (50, 150) for e in (0.5, 1.0)}
    scaled = unit_scaled(raw)
    best = np.linalg.eigvalsh(scaled.T @ scaled / 150)[-2:].sum()
    whole = [row["mean q_F"] for row in record["rows"] if (row["algorithm"], row["n"]) == ("PCA", 150)]
    assert whole == [pytest.approx(best)] * 2
    assert not any(str(cell) in json.dumps(record) for cell in raw.ravel()[:8])


def test_records_of_another_file_are_another_run(tmp_path) -> None:
    table(tmp_path / "a.csv")
    (tmp_path / "b").mkdir()
    np.savetxt(tmp_path / "b" / "a.csv", np.random.default_rng(2).normal(size=(150, 4)), delimiter=",")
    first, second = (
        parameters_of("near-optimal.figure-3", QUICK, {}, path / "a.csv", 2) for path in (tmp_path, tmp_path / "b")
    )
    assert first.to_json() != second.to_json()
    assert first.to_json() == parameters_of("near-optimal.figure-3", QUICK, {}, tmp_path / "a.csv", 2).to_json()


def test_own_records_that_are_none_are_refused(tmp_path) -> None:
    table(tmp_path / "good.csv")
    for rank, problem in ((None, "missing"), (4, "not below"), (0, "not below")):
        with pytest.raises(InvalidParameterError, match=problem) as refused:
            read_own(tmp_path / "good.csv", rank)
        assert refused.value.parameter == "rank"
    for rows, columns in ((LEAST_RECORDS - 1, 3), (LEAST_RECORDS, MOST_COLUMNS + 1)):
        np.savetxt(tmp_path / "sizes.csv", np.ones((rows, columns)), delimiter=",", fmt="%d")
        with pytest.raises(InvalidParameterError, match="pass at least 100 records of at most 2000 numbers"):
            read_own(tmp_path / "sizes.csv", 1)
    np.savetxt(tmp_path / "zeros.csv", np.zeros((LEAST_RECORDS, 3)), delimiter=",", fmt="%d")
    with pytest.raises(InvalidParameterError, match="every number is zero"):
        read_own(tmp_path / "zeros.csv", 1)
    (tmp_path / "words.csv").write_text("1,2\n" * 200 + "1,secret\n")
    with pytest.raises(RecordFileError, match="line 201, column 2") as unread:
        read_own(tmp_path / "words.csv", 1)
    assert "secret" not in str(unread.value)


def test_names_of_columns_are_no_record(tmp_path) -> None:
    table(tmp_path / "named.csv", header="a,b,c,d")
    with pytest.raises(RecordFileError, match="line 1, column 1"):
        read_own(tmp_path / "named.csv", 1)
    assert read_own(tmp_path / "named.csv", 1, header=True).experiment.records.shape == (150, 4)
    assert read_own(tmp_path / "named.csv", 1, header=True).experiment.name == NAME


def test_more_records_than_there_are_and_other_targets_are_refused(tmp_path) -> None:
    table(tmp_path / "mine.csv")
    with pytest.raises(InvalidParameterError, match="own records has 150 records at most; pass numbers up to 150"):
        make_again("near-optimal.figure-3", n=[151], data=tmp_path / "mine.csv", rank=2)
    with pytest.raises(InvalidParameterError, match=r"near-optimal\.figure-3 and near-optimal\.figure-4 do"):
        make_again(FIGURE_5, data=tmp_path / "mine.csv", rank=2)


def test_a_parameter_of_a_target_knows_its_values() -> None:
    taken = (Parameter("n", "records", (5, 9), 1, 10),)
    assert Parameters("a.b", taken).integers("n") == (5, 9)
    assert Parameters.of("a.b", taken, {"n": exact(7)}).integers("n") == (7,)
    assert Parameters.of("a.b", taken, {"n": exact(9, 5)}).own == ()
