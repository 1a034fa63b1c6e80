"""Releases of every mechanism of the menu, as `dpmatrix pca` writes them, and what a refusal has to be."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from typer.testing import Result

from dpmatrix.claims import AuditRecord, AuditVerdict, Excess, Ledger, Standing, State, Way, code_name
from dpmatrix.mechanisms import LaplaceInputPerturbation
from dpmatrix.mechanisms.choice import AUTO, resolve
from dpmatrix.mechanisms.menu import DIRECTIONS, MATRICES, Settings
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import Entropy
from dpmatrix.release_certificates.record import release_record
from dpmatrix.spec import load

RECORDS = np.random.default_rng(3).uniform(-0.5, 0.5, (50, 3))
NAMES = (*MATRICES, *DIRECTIONS, AUTO)
GAUSSIAN = ("gaussian", "gaussian-orthogonal", "mod-sulq")


AUDIT = AuditRecord(
    "Laplace input perturbation",
    "simulation",
    AuditVerdict.NOT_REFUTED,
    "(1, 0)",
    0.25,
    0.0,
    "1 - 1e-9",
    outcome="passed",
    code=code_name(LaplaceInputPerturbation),
    adjacency="replace-one",
    unnoticed=Excess(Way.EVENTS, 1.0, 1.75, certain=False),
)


def released(
    name: str = "laplace",
    adjacency: Adjacency = Adjacency.REPLACE_ONE,
    *,
    rank: int = 2,
    epsilon: object = Fraction(1),
    delta: object = None,
    entropy: Entropy | None = None,
    columns: tuple[str, ...] = ("a", "b", "c"),
    **public: object,
) -> dict[str, Any]:
    """Return a release of the records as a JSON object."""
    public = {"norm_bound": 1, "over_norm": "clip", "calibration": "tight", **public}
    calibration = str(public.pop("calibration"))
    allowed = (Fraction(1, 10**6) if name in GAUSSIAN else 0) if delta is None else delta
    given = {"epsilon": epsilon, "adjacency": adjacency, **public}
    settings = Settings(mechanism=name, calibration=calibration, delta=allowed, public=given, rank=rank)
    mechanism, choice = resolve(settings, RECORDS.shape[1])
    release = mechanism.release(RECORDS, entropy=entropy)
    return json.loads(json.dumps(release_record(mechanism, release, columns, len(RECORDS), rank, choice)))


def written(folder: Path, record: dict[str, Any]) -> Path:
    """Write a release to a file in a folder."""
    path = folder / "release.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    return path


def refused(done: Result, *words: str) -> None:
    """Assert that a command ended in one line, with exit code 2, and that nothing was written."""
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr
    assert not [path.name for path in Path().iterdir() if path.suffix in (".html", ".jsonl", ".draft")]


def standing_run(state: State) -> Ledger:
    """Return a run that saw every claim as it is now, without evidence."""
    registry = load()
    return Ledger(
        (),
        {name: Standing(state) for name in registry.claims},
        registry.fingerprints,
        (),
        {},
        {claim.id: claim.verdict.value for claim in registry},
    )
