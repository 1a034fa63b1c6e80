"""What the estimators and the command publish: the release of the mechanism that was asked for, and nothing else.

The default mechanism, and the one that is chosen where a choice is asked for, are looked at with secret bits: fits and
runs on zero records are compared with the law that its statement describes, which is said to differ with probability at
most 1e-9 if it does not. The control is the law of a
third of epsilon. A size that two in five of its entries on the diagonal stay below, four in five of those released do:
at least 300 of 450, but with probability 1e-15, which 3,000 draws tell from two in five, but with probability 1e-9.

Everything else is exact: from the same bits the integers are those of the mechanism, built here from what was asked
for, with records of the bound, in both relations; and from one and the same release two neighbours get the same fit.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import dpmatrix.estimators
from audit.released.fits import (
    BOUND,
    COLUMNS,
    DATA,
    EPSILON,
    ESTIMATORS,
    NEIGHBOURS,
    asked,
    built,
    fitted,
)
from audit.released.matrices import KNorm, SymmetrisedWishart
from audit.released.settings import REPLACED, Setting
from audit.released.subjects import SecretSeed, Subject
from dpmatrix.__main__ import app
from dpmatrix.auditing.certify.laws import compare_laws
from dpmatrix.claims import AuditRecord, AuditVerdict, Excess, Way, code_name
from dpmatrix.errors import BudgetExceededError, InvalidParameterError, NotPrivateError
from dpmatrix.estimators import DPPCA, PrivacyBudget, PrivacyWarning
from dpmatrix.mechanisms import GaussianOrthogonal, KNormMechanism, SymmetrisedWishartMechanism, rounded_perturbation
from dpmatrix.mechanisms.menu import DIRECTIONS, MATRICES
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy

FITS = 150


def command(path: Path, data: np.ndarray, adjacency: Adjacency, *more: str) -> dict[str, Any]:
    """Run the command on a file and read what it prints."""
    path.write_text("a,b,c\n" + "".join(",".join(map(repr, row)) + "\n" for row in data.tolist()), encoding="utf-8")
    options = ["--epsilon", str(EPSILON), "--norm-bound", str(BOUND), "--adjacency", adjacency.value, "--json", *more]
    done = CliRunner().invoke(app, ["pca", str(path), "--header", *options])
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def integers_of(found: dict[str, Any]) -> list[list[int]]:
    """Return the integers that were printed."""
    return [[int(entry) for entry in row] for row in found["release"]["integers"]]


def test_every_estimator_is_audited() -> None:
    exported = [getattr(dpmatrix.estimators, name) for name in dpmatrix.estimators.__all__]
    assert {thing for thing in exported if hasattr(thing, "fit")} == set(ESTIMATORS)


@pytest.mark.filterwarnings("ignore::dpmatrix.estimators.PrivacyWarning")
@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize("mechanism", [*MATRICES, *DIRECTIONS])
def test_a_fit_releases_what_the_mechanism_does(mechanism: str, adjacency: Adjacency) -> None:
    kinds = ESTIMATORS if mechanism in MATRICES else (DPPCA,)
    for kind in kinds:
        for data in (DATA, NEIGHBOURS[adjacency]):
            fit = kind(**asked(adjacency, mechanism), random_state=7).fit(data)
            expected = built(adjacency, mechanism).release(data, entropy=SeededEntropy(7))
            assert fit.release_.integers.tolist() == expected.integers.tolist()
            assert fit.release_.grid == expected.grid
            assert fit.guarantee_ is None, "the bits are known"
        clipped = kind(**asked(adjacency, mechanism), random_state=7).fit(3 * DATA)
        expected = built(adjacency, mechanism).release(3 * DATA, entropy=SeededEntropy(7))
        assert clipped.release_.integers.tolist() == expected.integers.tolist()
        with pytest.raises(InvalidParameterError, match="no guarantee covers this refusal"):
            kind(**asked(adjacency, mechanism), over_norm="reject").fit(1.001 * DATA)


@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize("kind", ESTIMATORS)
def test_a_fit_is_a_function_of_the_release(monkeypatch, kind: type, adjacency: Adjacency) -> None:
    """With one release for both neighbours they get the same fit, to the last bit."""
    release = built(adjacency).release(DATA)
    monkeypatch.setattr(SymmetrisedWishartMechanism, "release", lambda *_data, **_bits: release)
    fits = [fitted(kind(**asked(adjacency)).fit(data)) for data in (DATA, NEIGHBOURS[adjacency])]
    assert fits[0] == fits[1]
    assert fits[0]["guarantee_"] == repr(release.guarantee)


@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize("mechanism", [*MATRICES, *DIRECTIONS])
def test_a_budget_pays_what_a_fit_promises(monkeypatch, mechanism: str, adjacency: Adjacency) -> None:
    """Before it is drawn, exactly and once; the fit that would exceed the limit draws nothing, and costs nothing."""
    promised = built(adjacency, mechanism).guarantee
    for kind in ESTIMATORS if mechanism in MATRICES else (DPPCA,):
        budget = PrivacyBudget(2 * promised.epsilon, 2 * promised.delta, adjacency.value)
        for _ in range(2):
            with monkeypatch.context() as patched:
                made = {**MATRICES, **DIRECTIONS}[mechanism]
                release = made.release

                def paid_before(self, data, *, entropy=None, release=release, budget=budget):
                    assert budget.spent[-1:] == (promised,), "nothing was paid"
                    return release(self, data, entropy=entropy)

                patched.setattr(made, "release", paid_before)
                before = budget.spent
                fit = kind(**asked(adjacency, mechanism), budget=budget).fit(DATA)
            assert budget.spent == (*before, promised) == (*before, fit.guarantee_)
        with monkeypatch.context() as patched:
            patched.setattr(made, "release", lambda *_data, **_bits: pytest.fail("it was drawn"))
            with pytest.raises(BudgetExceededError):
                kind(**asked(adjacency, mechanism), budget=budget).fit(DATA)
        assert budget.spent == (promised, promised)
        with pytest.raises(NotPrivateError), pytest.warns(PrivacyWarning):
            kind(**asked(adjacency, mechanism), budget=budget, random_state=1).fit(DATA)
        other = next(one for one in Adjacency if one is not adjacency)
        with pytest.raises(InvalidParameterError, match="one budget for each relation"):
            kind(**asked(other, mechanism), budget=budget).fit(DATA)
        assert budget.spent == (promised, promised)


def setting_of(adjacency: Adjacency) -> Setting:
    return Setting(EPSILON, Fraction(0), adjacency, Fraction(BOUND), COLUMNS, len(DATA))


@pytest.fixture
def compared(record_audit, say, failure_probability):
    """Compare outputs on zero records, shape (size, d, d), with the law of the default mechanism or of another."""

    def run(outputs: np.ndarray, adjacency: Adjacency, view: str, kind: type[Subject] = SymmetrisedWishart) -> None:
        subject, setting = kind(), setting_of(adjacency)
        released = subject.statistics(setting, outputs)
        laws = [
            subject.statistics(setting, subject.law(setting, epsilon, 20 * FITS, np.random.default_rng(5)))
            for epsilon in (EPSILON, EPSILON / 3)
        ]
        found, control = (compare_laws(released, law, failure_probability=failure_probability) for law in laws)
        say(f"{view}\n{found.message()}")
        assert not found.differs, found.message()
        assert control.differs, f"control: {control.message()}"
        record_audit(
            AuditRecord(
                subject.kind.name,
                f"{view} on zero records, d = {COLUMNS}, norm bound {BOUND}, secret bits",
                AuditVerdict.NOT_REFUTED,
                f"({EPSILON}, 0)",
                None,
                None,
                f"1 - {failure_probability}",
                "exact two-sample test against the law that the statement describes",
                code=code_name(subject.kind),
                adjacency=adjacency.value,
                samples=len(outputs),
                unnoticed=Excess(Way.LAW, float(EPSILON), float(3 * EPSILON), certain=False),
            )
        )

    return run


@pytest.mark.parametrize(("kind", "adjacency"), list(zip(ESTIMATORS, Adjacency, strict=True)))
def test_fits_have_the_noise_of_the_default_mechanism(compared, kind: type, adjacency: Adjacency) -> None:
    estimators = [kind(**asked(adjacency)) for _ in range(FITS)]
    fits = [estimator.fit(np.zeros_like(DATA)) for estimator in estimators]
    expected = built(adjacency).guarantee
    assert all(fit.guarantee_ == fit.expense_.guarantee == fit.release_.guarantee == expected for fit in fits)
    compared(np.stack([fit.release_.to_numpy() for fit in fits]), adjacency, f"{kind.__name__}.fit")


def test_the_command_has_the_noise_of_the_default_mechanism(compared, tmp_path: Path) -> None:
    outputs = []
    for _ in range(FITS):
        found = command(tmp_path / "zero.csv", np.zeros_like(DATA), REPLACED)
        assert found["guarantee"] == {"epsilon": str(EPSILON), "delta": "0", "adjacency": REPLACED.value}
        outputs.append(np.array(integers_of(found), dtype=float) * float(Fraction(found["release"]["grid"])))
    compared(np.stack(outputs), REPLACED, "dpmatrix pca")


@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_the_command_releases_what_the_mechanism_does(monkeypatch, tmp_path: Path, adjacency: Adjacency) -> None:
    """The records differ, one of them is clipped, and the bits are the same."""
    monkeypatch.setattr(rounded_perturbation, "SystemEntropy", lambda: SecretSeed(7))
    for data in (DATA, NEIGHBOURS[adjacency]):
        found = command(tmp_path / "records.csv", data, adjacency)
        expected = built(adjacency).release_blocks([data], COLUMNS, entropy=SeededEntropy(7))
        assert integers_of(found) == expected.integers.tolist()
        assert Fraction(found["release"]["grid"]) == expected.grid
        found = command(tmp_path / "long.csv", 3 * data, adjacency)
        expected = built(adjacency).release_blocks([3 * data], COLUMNS, entropy=SeededEntropy(7))
        assert integers_of(found) == expected.integers.tolist()


@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_what_the_command_prints_is_a_function_of_the_release(
    monkeypatch, tmp_path: Path, adjacency: Adjacency
) -> None:
    """With one release for both neighbours the same is printed; the number of records, where neighbours share it."""
    release = built(adjacency).release(DATA)

    def constant(self, blocks, dimension, *, entropy=None):
        for block in blocks:
            del block
        return release

    monkeypatch.setattr(SymmetrisedWishartMechanism, "release_blocks", constant)
    printed = [command(tmp_path / "records.csv", data, adjacency) for data in (DATA, NEIGHBOURS[adjacency])]
    assert printed[0] == printed[1]


# A mechanism that is chosen


CHOSEN = (
    (3, Fraction(0), KNormMechanism),
    (9, Fraction(0), None),
    (40, Fraction(1, 1000), GaussianOrthogonal),
)
"""Columns, the delta that is asked for, and what is chosen under both relations; None where each has its own."""


def bounded(rows: int, columns: int) -> np.ndarray:
    """Return records at the bound, one along each axis in turn."""
    return BOUND * np.eye(columns)[np.arange(rows) % columns]


def chosen(kind: type | None, adjacency: Adjacency, delta: Fraction) -> Any:
    """Build what is chosen: with 20 binary digits below the bound, and delta only where it is needed."""
    if kind is GaussianOrthogonal:
        return GaussianOrthogonal(EPSILON, adjacency=adjacency, norm_bound=BOUND, delta=delta, coordinate_bits=18)
    other = MATRICES["coupled-traces" if adjacency is REPLACED else "symmetrised-wishart"]
    return (kind or other)(EPSILON, adjacency=adjacency, norm_bound=BOUND)


@pytest.mark.filterwarnings("ignore::dpmatrix.estimators.PrivacyWarning")
@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize(("columns", "delta", "kind"), CHOSEN)
def test_a_fit_that_chooses_releases_what_it_chose(
    columns: int, delta: Fraction, kind: type | None, adjacency: Adjacency
) -> None:
    """With records of the bound and beyond it, its guarantee, and its price."""
    asks = {**asked(adjacency, "auto"), "delta": delta}
    built_one = chosen(kind, adjacency, delta)
    for estimator in ESTIMATORS:
        for data in (bounded(4, columns), bounded(5, columns), 3 * bounded(4, columns)):
            fit = estimator(**asks, random_state=7).fit(data)
            expected = built_one.release(data, entropy=SeededEntropy(7))
            assert fit.release_.integers.tolist() == expected.integers.tolist()
            assert fit.release_.grid == expected.grid
            assert fit.guarantee_ is None, "the bits are known"
        promised = built_one.guarantee
        assert (promised.epsilon, promised.delta) == (EPSILON, delta), "no more than was asked for"
        budget = PrivacyBudget(EPSILON, delta, adjacency.value)
        fit = estimator(**asks, budget=budget).fit(bounded(4, columns))
        assert budget.spent == (promised,) == (fit.guarantee_,)
        with pytest.raises(BudgetExceededError):
            estimator(**asks, budget=budget).fit(bounded(4, columns))


@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize("kind", ESTIMATORS)
def test_a_choice_is_a_function_of_the_columns(monkeypatch, kind: type, adjacency: Adjacency) -> None:
    """With one release for all, data sets of three columns get the same fit: down to none and up to thirty records."""
    release = chosen(KNormMechanism, adjacency, Fraction(0)).release(DATA)
    monkeypatch.setattr(KNormMechanism, "release", lambda *_data, **_bits: release)
    asks = {**asked(adjacency, "auto"), "delta": Fraction(1, 10**6)}
    counts = (4, 4) if adjacency is REPLACED else (0, 1, 6, 7, 8, 9, 29, 30)
    fits = [fitted(kind(**asks).fit(bounded(count, COLUMNS) * (-1) ** place)) for place, count in enumerate(counts)]
    fits.append(fitted(kind(**asks).fit(np.zeros_like(DATA))))
    assert all(fit == fits[0] for fit in fits)
    assert fits[0]["mechanism_"] == "'k-norm'"


@pytest.mark.parametrize(("kind", "adjacency"), list(zip(ESTIMATORS, Adjacency, strict=True)))
def test_fits_that_choose_have_the_noise_of_what_they_chose(compared, kind: type, adjacency: Adjacency) -> None:
    fits = [kind(**asked(adjacency, "auto")).fit(np.zeros_like(DATA)) for _ in range(FITS)]
    expected = chosen(KNormMechanism, adjacency, Fraction(0)).guarantee
    assert all(fit.guarantee_ == fit.expense_.guarantee == fit.release_.guarantee == expected for fit in fits)
    view = f"{kind.__name__}.fit, which chose"
    compared(np.stack([fit.release_.to_numpy() for fit in fits]), adjacency, view, KNorm)


@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_the_command_chooses_without_the_records(monkeypatch, tmp_path: Path, adjacency: Adjacency) -> None:
    """It releases what was chosen; and from one release neighbours get the same lines, and other numbers of records."""
    monkeypatch.setattr(rounded_perturbation, "SystemEntropy", lambda: SecretSeed(7))
    options = ["--mechanism", "auto", "--delta", "1e-6"]
    built_one = chosen(KNormMechanism, adjacency, Fraction(0))
    for data in (DATA, NEIGHBOURS[adjacency], 3 * DATA):
        found = command(tmp_path / "records.csv", data, adjacency, *options)
        expected = built_one.release_blocks([data], COLUMNS, entropy=SeededEntropy(7))
        assert integers_of(found) == expected.integers.tolist()
        assert found["guarantee"] == {"epsilon": str(EPSILON), "delta": "0", "adjacency": adjacency.value}
    release = built_one.release(DATA)

    def constant(self, blocks, dimension, *, entropy=None):
        for block in blocks:
            del block
        return release

    monkeypatch.setattr(KNormMechanism, "release_blocks", constant)
    sets = [DATA, NEIGHBOURS[adjacency], *([] if adjacency is REPLACED else [bounded(n, COLUMNS) for n in (7, 8, 30)])]
    printed = [command(tmp_path / "records.csv", data, adjacency, *options) for data in sets]
    assert all(one == printed[0] for one in printed)
