"""How auditors are asked about published mechanisms: one budget for all, the defaults of users, and some verdicts.

An audit of a right mechanism is refuted with probability at most 1e-9.
"""

from __future__ import annotations

import inspect
import math
from types import SimpleNamespace

import numpy as np
import pytest
from attrs import evolve

from audit.peers.other_auditors import Row, Task
from audit.published import PUBLISHED, Published, auditors
from audit.published import __main__ as command_module
from audit.published.__main__ import head
from audit.published.auditors import Answer, Other, ask_other, ask_ours, place_of, task_of
from audit.published.tables import page_rows, read, tallies, told
from audit.strangers import STRANGERS
from audit.strangers.measure import command
from dpmatrix.auditing import audit_mechanism, audit_within
from dpmatrix.commands.audit import audit_command

BY_NAME = {record.name: record for record in PUBLISHED}


@pytest.fixture(autouse=True, scope="module")
def _imported() -> None:
    """Import what the first audit of a process would import within its budget, which is a second here."""
    for name in ("sklearn.linear_model", "sklearn.ensemble"):
        pytest.importorskip(name)


def test_the_assertion_the_command_and_the_recipe_learn_by_default(tmp_path) -> None:
    """One auditor: none of them is told whether to learn, and what measures them passes no more than a claim."""
    for function in (audit_mechanism, audit_within, audit_command):
        assert inspect.signature(function).parameters["learned"].default is None
    options = {word for word in command(STRANGERS[0], tmp_path / "x.json") if word.startswith("--")}
    assert options == {"--epsilon", "--delta", "--adjacency", "--json"}
    assert (auditors.SECONDS, auditors.ALPHA) == (10.0, 1e-9)


@pytest.mark.parametrize(
    "name",
    [
        "statdp/histogram-inverted-scale",
        "checkdp/bad-smart-sum",
        "bug-reports/smartnoise-covariance",
    ],
)
def test_faults_are_found_in_a_second(name: str) -> None:
    answer = ask_ours(BY_NAME[name], 1.0, generator=1)
    assert answer.row.detected
    assert BY_NAME[name].epsilon < answer.row.epsilon <= BY_NAME[name].truth().epsilon
    assert answer.outputs is not None
    assert answer.outputs > 1000


@pytest.mark.parametrize(
    "name",
    [
        "checkdp/smart-sum",
        "dp-sniper/truncated-geometric",
        "bug-reports/jax-privacy-banded-toeplitz-repaired",
    ],
)
def test_right_ones_are_not_refuted(name: str) -> None:
    answer = ask_ours(BY_NAME[name], 1.0, generator=1)
    assert answer.row.detected is False
    assert answer.row.epsilon <= BY_NAME[name].truth().epsilon


def test_no_verdict_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        raise ZeroDivisionError

    row = ask_ours(evolve(BY_NAME["statdp/histogram"], mechanism=broken), 1.0).row
    assert row.detected is None
    assert "ZeroDivisionError" in row.remark


class Asked:
    """An auditor whose time is known, on a clock of its own."""

    def __init__(self, fixed: float, each: float, *, refutes_from: int) -> None:
        self.now, self.tasks = 0.0, list[Task]()
        self._fixed, self._each, self._from = fixed, each, refutes_from

    def __call__(self, task: Task) -> Row:
        """Let the time go by."""
        self.tasks.append(task)
        self.now += self._fixed + self._each * task.outputs
        return Row(task.outputs >= self._from, 1.0, math.nan, 0.0)

    def answer(self, monkeypatch: pytest.MonkeyPatch, pilots: tuple[int, ...] = (4_000, 16_000)) -> Answer:
        """Ask this auditor about a record."""
        other = Other(("numpy",), self, searches=True, whole=True, pilots=pilots)
        monkeypatch.setattr(auditors, "OTHERS", {"fake": other})
        monkeypatch.setattr(auditors, "time", SimpleNamespace(process_time=lambda: self.now))
        return ask_other("fake", BY_NAME["statdp/histogram"], 0, 10.0)


def test_others_get_as_many_outputs_as_fit_into_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Asked(0.5, 1e-5, refutes_from=10**9)
    answer = fake.answer(monkeypatch)
    assert answer.row.seconds == pytest.approx(fake.now)
    assert 8.5 < fake.now <= 10
    assert [task.outputs for task in fake.tasks] == [4_000, 16_000, answer.outputs]
    assert sum(task.alpha for task in fake.tasks) == pytest.approx(auditors.ALPHA)


def test_a_pilot_that_refutes_or_takes_half_of_the_time_is_the_last_try(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Asked(0.1, 1e-5, refutes_from=4_000).answer(monkeypatch).outputs == 4_000
    assert Asked(6.0, 1e-5, refutes_from=10**9).answer(monkeypatch).outputs == 4_000
    assert Asked(0.1, 1e-5, refutes_from=10**9).answer(monkeypatch, (200_000,)).outputs == 200_000
    alone = Asked(0.1, 1e-5, refutes_from=10**9)
    alone.answer(monkeypatch, (200_000,))
    assert [task.alpha for task in alone.tasks] == [auditors.ALPHA]


def test_those_that_search_get_all_pairs_and_others_one() -> None:
    record = BY_NAME["checkdp/sparse-vector"]
    whole = task_of(record, Other((), Asked(0, 0, refutes_from=1), searches=True, whole=True), 3)
    assert len(whole.further) + 1 == len(record.inputs)
    one = task_of(record, Other((), Asked(0, 0, refutes_from=1), searches=False, whole=False), 3)
    assert one.further == ()
    assert one.data is record.inputs[3].data
    generator = np.random.default_rng(1)
    assert whole.sampler(whole.data, 5, generator).shape == (5, 5)
    assert one.sampler(one.data, 5, generator).shape == (5,)


def test_the_pair_of_others_is_that_at_which_ours_ended() -> None:
    record = BY_NAME["checkdp/sparse-vector"]
    assert place_of(record, Row(False, 0.0, 0.0, 1.0, record.inputs[5].name)) == 5
    assert place_of(record, Row(None, math.nan, math.nan, 1.0, "no verdict: it is stuck")) == 0


@pytest.mark.parametrize("record", [one for one in PUBLISHED if one.compact], ids=lambda record: record.name)
def test_short_forms_are_one_number_or_two(record: Published) -> None:
    batch = np.asarray(record.mechanism(record.inputs[0].data, 50, np.random.default_rng(1)), dtype=np.float64)
    assert record.compact is not None
    assert record.compact(batch).shape in {(50,), (50, 2)}


RECORDS = [BY_NAME[name] for name in ("statdp/histogram", "statdp/histogram-inverted-scale", "checkdp/noisy-max")]
SAID = {
    "statdp/histogram": {
        "dpmatrix": Row(False, 0.5, 0.0, 1.5),
        "DP-Auditorium, hockey-stick": Row(True, math.nan, 0.01, 1.0),
    },
    "statdp/histogram-inverted-scale": {
        "dpmatrix": Row(True, math.inf, 1e-05, 0.5, "one above"),
        "DP-Auditorium, hockey-stick": Row(False, math.nan, 0.0, 2.0),
    },
    "checkdp/noisy-max": {
        "dpmatrix": Row(False, 0.0, 0.0, 3.0),
        "DP-Auditorium, hockey-stick": Row(None, math.nan, math.nan, math.nan, "not asked: takes one number"),
    },
}


def test_tallies_count_what_was_found_missed_and_refuted_wrongly() -> None:
    lines = tallies(RECORDS, SAID)
    assert lines[:2] == [
        "statdp, dpmatrix: 1 of 1 faulty ones found, 0 missed, 0 of 1 right ones refuted; 0 without an answer; 2 s",
        (
            "statdp, DP-Auditorium, hockey-stick: 0 of 1 faulty ones found, 1 missed, 1 of 1 right ones refuted; "
            "0 without an answer; 3 s"
        ),
    ]
    assert lines[-1].endswith("1 of 1 right ones refuted; 1 without an answer; 3 s")
    assert page_rows(RECORDS, SAID) == [
        "| statdp | 1 of 1, 0 of 1 | 0 of 1, 1 of 1 |",
        "| checkdp | 0 of 0, 0 of 1 | 0 of 0, 0 of 0 |",
        "| all | 1 of 1, 0 of 2 | 0 of 1, 1 of 1 |",
        "| processor time | 5 s | 3 s |",
    ]


def test_a_run_is_read_back_as_it_was_printed() -> None:
    lines = ["4 s of a processor"]
    for record in RECORDS:
        lines += [head(record), *(told(name, row, 1000) for name, row in SAID[record.name].items())]
    whole = "\n".join([*lines, *tallies(RECORDS, SAID)])
    back = read(whole, RECORDS)
    for name, rows in SAID.items():
        for auditor, row in rows.items():
            assert repr(back[name][auditor]) == repr(row)
    # What is said of others is not taken for theirs.
    assert {name: list(rows) for name, rows in read(whole, RECORDS[:1]).items()} == {
        "statdp/histogram": ["dpmatrix", "DP-Auditorium, hockey-stick"]
    }
    assert repr(read(whole, RECORDS[:1])["statdp/histogram"]) == repr(back["statdp/histogram"])
    # Of one that was broken off the rest is asked.
    assert list(read("\n".join(lines[:-1]), RECORDS)["checkdp/noisy-max"]) == ["dpmatrix"]


def test_what_is_known_is_not_asked_again(tmp_path, monkeypatch, capsys) -> None:
    known = tmp_path / "known.txt"
    known.write_text("\n".join([head(RECORDS[0]), told("dpmatrix", SAID["statdp/histogram"]["dpmatrix"], 7)]))
    asked: list[str] = []

    def ours(record, seconds=0.0, generator=None) -> Answer:
        asked.append(record.name)
        return Answer(Row(False, 0.0, 0.0, 1.0), 5)

    monkeypatch.setattr(command_module, "ask_ours", ours)
    monkeypatch.setattr(command_module, "warm_up", lambda *_: None)
    assert command_module.main(["--auditors", "dpmatrix", "--only", "statdp/histogram", "--known", str(known)]) == 0
    assert asked == ["statdp/histogram-inverted-scale"]
    assert "all, dpmatrix: 0 of 1 faulty ones found, 1 missed, 0 of 1 right ones" in capsys.readouterr().out
