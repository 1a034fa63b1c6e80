"""A checkpoint: an audit that is interrupted anywhere goes on from there, and only the same audit does."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dpmatrix.auditing import AuditPlan, AuditResult, audit, neighbouring_pairs
from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy.adjacency import Adjacency

PAIRS = neighbouring_pairs(1, 2, Adjacency.REPLACE_ONE)[:3]


class Power(BaseException):
    """The plug is pulled."""


class Fragile:
    """Laplace noise; fails for good at a given call."""

    def __init__(self, last: int) -> None:
        self.calls, self.last = 0, last

    def __call__(self, data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        """Draw a batch, or fail."""
        self.calls += 1
        if self.calls > self.last:
            raise Power
        return np.rint(2**20 * (np.sum(data**2) + generator.laplace(size=size))) / 2**20


def run(target: Fragile, path: Path | None, *, learned: bool = False, **options: object) -> AuditResult:
    plan = AuditPlan(
        stages=3, chunk=100, curve=(0.5,), checkpoint=path, checkpoint_seconds=0.0, replay=False, learned=learned
    )
    arguments = {"epsilon": 1, "training": 200, "confirmation": 2000, "generator": 1, "plan": plan} | options
    return audit(target, PAIRS, **arguments)


@pytest.mark.parametrize("learned", [False, True])
def test_an_audit_goes_on_where_it_was_interrupted(tmp_path: Path, learned: bool) -> None:
    """After an interrupt at every fifth call, the result is that of an undisturbed run and no call is made twice."""
    undisturbed = Fragile(10**9)
    expected = run(undisturbed, None, learned=learned)
    path = tmp_path / "state.json"
    for last in range(1, undisturbed.calls, 9):
        path.unlink(missing_ok=True)
        first = Fragile(last)
        with pytest.raises(Power):
            run(first, path, learned=learned)
        second = Fragile(10**9)
        result = run(second, path, learned=learned)
        assert (result.looks, result.event, result.curve) == (expected.looks, expected.event, expected.curve)
        trained = undisturbed.calls - 40
        if last > trained:
            # One call was under way, and one chunk is counted after its last call.
            assert first.calls + second.calls <= undisturbed.calls + 1


def test_a_finished_audit_draws_nothing_more(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    first = run(Fragile(10**9), path)
    again = Fragile(0)
    assert run(again, path).looks == first.looks
    assert again.calls == 0


@pytest.mark.parametrize(
    "change", [{"epsilon": 2}, {"delta": 0.1}, {"confirmation": 2001}, {"training": 201}, {"failure_probability": 0.1}]
)
def test_another_audit_does_not_go_on_from_it(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "state.json"
    with pytest.raises(Power):
        run(Fragile(30), path)
    with pytest.raises(InvalidParameterError, match="belongs to an audit with another"):
        run(Fragile(10**9), path, **change)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", json.dumps({"version": 99})])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "state.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidParameterError, match="no checkpoint"):
        run(Fragile(10**9), path)


def test_the_events_are_on_disk_before_the_first_confirming_sample(tmp_path: Path) -> None:
    """Whatever the interrupt, no event can be chosen after a look at the samples that confirm it."""
    path = tmp_path / "state.json"
    confirming = []

    class Watching(Fragile):
        def __call__(self, data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
            if path.exists():
                confirming.append(bool(json.loads(path.read_text(encoding="utf-8"))["events"]))
            return super().__call__(data, size, generator)

    target = Watching(10**9)
    run(target, path)
    assert confirming[-40:] == [True] * 40
    assert not any(confirming[:-40])


def test_a_checkpoint_with_other_features_is_refused(tmp_path: Path) -> None:
    """Features are kept by their places, which another version of the library may change."""
    path = tmp_path / "state.json"
    run(Fragile(10**9), path)
    record = json.loads(path.read_text(encoding="utf-8"))
    for name, value in (("feature", "another"), ("family", 999)):
        events = [event | {name: value} for event in record["events"]]
        path.write_text(json.dumps(record | {"events": events}), encoding="utf-8")
        with pytest.raises(InvalidParameterError, match="version"):
            run(Fragile(10**9), path)
