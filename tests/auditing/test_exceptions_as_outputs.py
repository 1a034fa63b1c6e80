"""An exception as an output: one that depends on the data is a leak, one that does not is none, and neither is a pass.

Every audit here is wrong with probability at most 1e-6.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from dpmatrix import __main__ as command_line
from dpmatrix.auditing import (
    AuditPlan,
    PrivacyViolationError,
    audit,
    audit_mechanism,
    from_single_draw,
    neighbouring_pairs,
)
from dpmatrix.auditing.raising import begun_again
from dpmatrix.auditing.targets.adapters import as_target, form_of
from dpmatrix.auditing.targets.forms import Form, Raised
from dpmatrix.auditing.targets.target import Guarded, MechanismRaisedError
from dpmatrix.errors import NoVerdictError
from dpmatrix.privacy import Adjacency

REPLACE = Adjacency.REPLACE_ONE
DATA, OTHER = np.zeros((4, 1)), np.ones((4, 1))
AUDIT: dict[str, Any] = {
    "epsilon": 1,
    "adjacency": REPLACE,
    "records": 4,
    "dimension": 1,
    "seconds": 8,
    "failure_probability": 1e-6,
    "generator": 1,
    "learned": False,
}


def raises_on_some_data(data: np.ndarray, generator: np.random.Generator) -> float:
    if data[-1, 0] > 0.5:
        raise ValueError(f"the record is {data[-1, 0]}")
    return float(generator.laplace())


def raises_more_often(data: np.ndarray) -> list[float]:
    generator = np.random.default_rng()
    if generator.random() < (0.5 if data[-1, 0] > 0.5 else 0.02):
        raise KeyError("bin3")
    return [1.0, generator.laplace()]


def raises_in_a_batch(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    if data[-1].any():
        raise ZeroDivisionError
    return generator.laplace(size=size)


def raises_another(data: np.ndarray, generator: np.random.Generator) -> float:
    """Leak by the type alone: some exception is raised half of the time, whatever the data are."""
    if generator.random() < 0.5:
        raise (OverflowError if data[-1, 0] > 0.5 else ZeroDivisionError)
    return float(generator.laplace())


@pytest.mark.parametrize(
    ("mechanism", "kind"),
    [
        (raises_on_some_data, "ValueError"),
        (raises_more_often, "KeyError"),
        (raises_in_a_batch, "ZeroDivisionError"),
        (raises_another, "OverflowError|ZeroDivisionError"),
    ],
)
def test_an_exception_that_depends_on_the_data_is_a_violation(mechanism: Any, kind: str) -> None:
    with pytest.raises(PrivacyViolationError) as found:
        audit_mechanism(mechanism, **AUDIT)
    said = str(found.value)
    assert "their type is looked at, not their message" in said
    assert "(or NaN" in said or any(f"event: {name} is raised, likelier on the " in said for name in kind.split("|"))


def raises_by_its_noise(data: np.ndarray, generator: np.random.Generator) -> float:
    total = data[:, 0].sum() + generator.laplace(scale=2.0)
    if total < 0:
        raise ValueError("the total is negative")
    return float(total)


def test_an_exception_that_the_noise_decides_is_none() -> None:
    result = audit_mechanism(raises_by_its_noise, **AUDIT)
    assert not result.violated
    assert "ValueError is raised" in result.message()


def always_raises(_data: np.ndarray) -> float:
    raise ValueError("always")


def leaves(data: np.ndarray, generator: np.random.Generator) -> float:
    if data[-1].any():
        raise SystemExit(0)
    return float(generator.laplace())


def counts_its_calls(data: np.ndarray, generator: np.random.Generator) -> float:
    """Fail from some call on, as where files are not closed."""
    CALLS.append(len(data))
    if len(CALLS) > LIMIT:
        raise OSError("too many open files")
    return float(data.sum() + generator.laplace(scale=8.0))


CALLS: list[int] = []
LIMIT = 15_000


@pytest.mark.parametrize(
    ("mechanism", "reason"),
    [
        (always_raises, "raised ValueError: always"),
        (leaves, r"calls exit\(0\)"),
        (lambda data, generator: int(data, generator), "raised TypeError"),
    ],
)
def test_what_always_fails_or_exits_has_no_verdict(mechanism: Any, reason: str) -> None:
    with pytest.raises(NoVerdictError, match=reason):
        audit_mechanism(mechanism, **AUDIT)


def test_what_fails_from_some_call_on_is_not_passed() -> None:
    CALLS.clear()
    with pytest.raises((NoVerdictError, PrivacyViolationError)):
        audit_mechanism(counts_its_calls, **AUDIT)
    assert len(CALLS) > LIMIT


def raises_off_the_samples(data: np.ndarray, generator: np.random.Generator) -> float:
    if np.abs(data[:-1]).sum() > 1 and data[-1, 0] > 0.5:
        raise LookupError
    return float(generator.laplace())


def test_an_exception_that_no_sample_had_begins_the_audit_again() -> None:
    samples = [DATA, OTHER * 0.25]
    assert form_of(as_target(raises_off_the_samples), samples) is None
    with pytest.raises(PrivacyViolationError) as found:
        audit_mechanism(raises_off_the_samples, **(AUDIT | {"dimension": 2, "seconds": 8}))
    assert "LookupError is raised" in str(found.value)


def test_an_audit_begins_again_once_and_in_no_form_that_takes_exceptions_already() -> None:
    runs: list[Form | None] = []

    def run(form: Form | None) -> str:
        runs.append(form)
        raise MechanismRaisedError("it failed", "ValueError")

    bare = as_target(lambda _data, generator: generator.laplace())
    with pytest.raises(MechanismRaisedError, match="it failed"):
        begun_again(run, None, bare, [DATA])
    assert runs[0] is None
    assert runs[1] is not None
    assert "ValueError is raised" in runs[1].coordinates
    assert len(runs) == 2
    runs.clear()
    with pytest.raises(MechanismRaisedError):
        begun_again(run, Form.of([1.0]), bare, [DATA])
    assert len(runs) == 1
    with pytest.raises(MechanismRaisedError):
        begun_again(run, None, as_target(always_raises), [DATA])
    assert len(runs) == 2


def test_an_exception_met_while_outputs_are_counted_is_no_verdict() -> None:
    training, calls = [True], list[int]()

    def late(_data: np.ndarray, generator: np.random.Generator) -> float:
        calls.append(1)
        if not training:
            raise ValueError("late")
        return float(generator.laplace())

    def hear(sentence: str) -> None:
        if sentence.startswith("event: "):
            training.clear()

    plan = AuditPlan(progress=hear)
    with pytest.raises(NoVerdictError, match=r"late .*; it was the first time, and the outputs were being") as found:
        audit(
            Guarded(from_single_draw(late)),
            neighbouring_pairs(1, 1, REPLACE)[:1],
            epsilon=1,
            training=100,
            confirmation=5000,
            generator=1,
            plan=plan,
        )
    assert not isinstance(found.value, MechanismRaisedError), "nobody begins again"


def test_the_error_says_the_same_in_another_process() -> None:
    error = pickle.loads(pickle.dumps(MechanismRaisedError("it failed", "KeyError")))
    assert (str(error), error.kind) == ("it failed", "KeyError")


def test_exceptions_are_told_apart_by_type_alone() -> None:
    form = Form.of([1.0, Raised("KeyError"), Raised("ValueError")])
    assert form.facts == ("KeyError is raised", "ValueError is raised")
    target = as_target(raises_on_some_data, form_of(as_target(raises_on_some_data), [DATA, OTHER]))
    batch = target(OTHER, 3, np.random.default_rng(0))
    assert np.array_equal(batch, np.repeat(batch[:1], 3, axis=0))
    assert np.array_equal(target(OTHER * 0.75, 1, np.random.default_rng(0))[0], batch[0]), "the message is another"


def test_the_command_counts_an_exception_again(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "def f(data, size, generator):\n"
        "    if data[-1].any():\n"
        "        raise ValueError('no')\n"
        "    return generator.laplace(size=size)\n"
    )
    sizes = ["--training", "300", "--confirmation", "4000", "--records", "2", "--dimension", "1", "--no-learned"]
    done = CliRunner().invoke(command_line.app, ["audit", "mine.py:f", *sizes, "--json", "result.json"])
    assert done.exit_code == 1, done.output
    assert "event: ValueError is raised, likelier on the " in done.stdout
    assert "--pairs or --data-from" in done.stdout, "where data are refused that the mechanism does not admit"
    again = CliRunner().invoke(command_line.app, ["audit", "--replay", "result.json"])
    assert again.exit_code == 1, again.output
    assert "event: ValueError is raised" in again.stdout
