"""What a run makes of items about theorems, with Rocq and without."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import attrs
import pytest
from typer.testing import CliRunner, Result

from dpmatrix.claims import Citation, Evidence, Grade, Outcome, Registry, Role, State, snapshot, standings, violations
from dpmatrix.claims.evidence import KERNEL_GRADES
from dpmatrix.claims.ledger import dump
from dpmatrix.claims.registry import Catalogue
from dpmatrix.claims.snapshots import Piece
from dpmatrix.commands.kernel import _compare_packages
from dpmatrix.commands.line import app
from dpmatrix.kernel import checking
from dpmatrix.kernel.certificate import Certificate, certify, wanted_packages
from dpmatrix.kernel.sources import CERTIFICATE
from dpmatrix.reporting import kernel_run
from dpmatrix.reporting.kernel_run import KernelRun, NotInstalledError, spoken
from dpmatrix.reporting.session import Session
from dpmatrix.reporting.theorems import About
from dpmatrix.reporting.trials import Trials
from tests.kernel.conftest import CLAIM, EVEN, NORM

REPAIR = f"{CLAIM}+repair"
FOLDER = kernel_run.FOLDER


@pytest.fixture
def root(folder, registry, said, tmp_path_factory):
    """Return a checkout with the proofs and their certificate."""
    certificate = certify(folder.read(), said, registry, "2026-01-01", "8.16.1")
    folder.write(CERTIFICATE, dump(certificate.to_json()))
    root = tmp_path_factory.mktemp("checkout")
    (root / FOLDER).parent.mkdir()
    (root / FOLDER).symlink_to(folder.path)
    return root


@pytest.fixture
def item(folder, registry) -> Evidence:
    """Return an item that passed, about the law."""
    name, role, grade, region = spoken(folder.read().theorems[EVEN])[REPAIR]
    cited = Citation.parse(f"{name}@{registry.fingerprints[CLAIM]}")
    return Evidence("proofs_checks/kernel/test_wishart.py::x", cited, Role(role), Grade(grade), region, Outcome.PASSED)


def asked(wrong=(), general=()) -> KernelRun:
    return lambda run: attrs.evolve(run, wrong={EVEN: wrong, NORM: ()}, general=general)


def test_without_rocq_an_item_is_a_certificate_and_earns_nothing(root, registry, item) -> None:
    run = KernelRun.of(root, registry, asks=False)
    judged = run.judge(item)
    assert judged.outcome is Outcome.UNCHECKED
    assert judged.detail == f"theorem {EVEN}: certificate of 2026-01-01, not checked here"
    assert not judged.proves
    assert judged.accepted


def test_with_rocq_it_counts_and_what_is_wrong_fails_it(root, registry, item) -> None:
    run = KernelRun.of(root, registry, asks=False)
    assert asked()(run).judge(item).proves
    assert asked(wrong=("assumes x",))(run).judge(item).outcome is Outcome.FAILED
    assert asked(general=("a.v: Admitted",))(run).judge(item).outcome is Outcome.FAILED


def test_a_certificate_of_other_files_fails_whatever_the_item_looked_at(root, registry, item, folder) -> None:
    folder.change("laws/doubling.v", "(* Doubling", "(* The doubling")
    run = KernelRun.of(root, registry, asks=False)
    assert run.judge(item).outcome is Outcome.FAILED
    assert asked()(run).judge(item).outcome is Outcome.FAILED


@pytest.mark.parametrize(
    "change",
    [
        {"region": "theorem doubling_is_even: more than that"},
        {"role": Role.REFUTES},
        {"role": Role.CONTROL},
        {"grade": Grade.KERNEL_MARGIN},
        {"citation": Citation.parse(CLAIM)},
    ],
)
def test_an_item_that_says_what_no_theorem_says_is_bound_to_nothing(root, registry, item, change) -> None:
    other = attrs.evolve(item, **change)
    for run in (KernelRun.of(root, registry, asks=False), asked()(KernelRun.of(root, registry, asks=False))):
        assert run.judge(other).outcome is Outcome.UNBOUND
        assert any("what no theorem says" in one for one in run.objections([other], registry))
    assert KernelRun({}).judge(item).outcome is Outcome.UNBOUND


def test_a_theorem_without_an_item_and_a_wrong_one_close_the_gate(root, registry, item) -> None:
    run = KernelRun.of(root, registry, asks=False)
    assert run.objections([item], registry) == [f"kernel: the theorem {NORM} has no item about {REPAIR}"]
    assert "kernel: doubling_is_even: bad" in asked(wrong=("bad",))(run).objections([item], registry)
    assert KernelRun.of(root, Registry({}), asks=False).objections([], Registry({})) == []


def test_a_table_that_cannot_be_read_closes_the_gate(root, registry, folder) -> None:
    folder.write("theorems.toml", "[[")
    assert KernelRun.of(root, registry, asks=False).objections([], registry)[0].startswith("kernel: theorems.toml")


def test_rocq_that_is_not_there_is_not_asked(root, registry, monkeypatch) -> None:
    monkeypatch.setattr(kernel_run, "installed", lambda: False)
    with pytest.raises(NotInstalledError, match=r"debian-packages\.txt"):
        KernelRun.of(root, registry, asks=True)


def test_a_snapshot_is_the_same_whether_or_not_rocq_was_asked(root, registry, item) -> None:
    run = KernelRun.of(root, registry, asks=False)
    found = standings(registry, (), ())
    kept = [snapshot(registry, found, [one.judge(item)]) for one in (run, asked()(run))]
    assert kept[0] == kept[1]
    assert kept[0][CLAIM]["evidence"][item.node]
    assert Piece.of(item).item("x").outcome is Outcome.UNCHECKED


def test_only_theorems_may_be_left_unchecked(registry, item) -> None:
    unchecked = attrs.evolve(item, outcome=Outcome.UNCHECKED)
    found = standings(registry, (), ())
    committed = snapshot(registry, found)

    def objections(one: Evidence) -> list[str]:
        catalogue = Catalogue(tuple(registry.claims), frozenset())
        return [said for said in violations(registry, catalogue, [one], (), found, committed) if item.node in said]

    assert objections(unchecked) == []
    for grade in set(Grade) - KERNEL_GRADES:
        assert objections(attrs.evolve(unchecked, grade=grade))


def test_what_is_unchecked_earns_no_verdict_and_what_is_checked_does(registry, item) -> None:
    claim = registry[CLAIM]
    refutes = attrs.evolve(item, citation=Citation.parse(CLAIM), role=Role.REFUTES, grade=Grade.INTERVAL)
    controls = [attrs.evolve(refutes, citation=item.citation, role=Role.CONTROL)]
    alone = Registry.of([attrs.evolve(claim, uses=(), steps=())])
    for outcome, state in ((Outcome.PASSED, State.EARNED), (Outcome.UNCHECKED, State.UNEARNED)):
        evidence = [refutes, attrs.evolve(item, outcome=outcome), *controls]
        assert standings(alone, evidence, ())[CLAIM].state is state
    failed = attrs.evolve(item, outcome=Outcome.FAILED)
    assert standings(alone, [refutes, failed, *controls], ())[CLAIM].state is State.VIOLATED


def test_an_item_about_a_theorem_notices_no_emptied_margin(item) -> None:
    failed = attrs.evolve(item, outcome=Outcome.FAILED)
    trials = Trials("zero", hypotheses=False)
    assert not trials.notices(failed)
    assert trials.notices(attrs.evolve(failed, grade=Grade.SYMBOLIC))


def test_an_item_agrees_with_files_as_they_are_and_with_no_others(folder, registry, said, root) -> None:
    certificate = certify(folder.read(), said, registry, "2026-01-01", "8.16.1")
    params = About(folder.read(), certificate, tuple(folder.read().theorems.values())).evidence().args[1]
    assert [param.id for param in params] == [f"{EVEN}-{REPAIR}", f"definition_5_repaired-{REPAIR}"]
    law, margin = (param.values[0] for param in params)
    statement = registry[CLAIM].statements()[REPAIR]
    law.agrees(statement)
    margin.agrees(statement)
    with pytest.raises(AssertionError, match="fresh trace"):
        margin.agrees(statement.nudged(lambda value: value + 1))
    with pytest.raises(AssertionError, match="fails at a point"):
        law.agrees(statement.nudged(lambda value: value - 3))
    folder.change("laws/doubling.v", "(* Doubling", "(* The doubling")
    with pytest.raises(AssertionError, match="has changed since the check"):
        attrs.evolve(law, proofs=folder.read()).agrees(statement)


def test_the_programs_are_looked_for(monkeypatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert not checking.installed()


def test_standings_are_not_accepted_in_a_run_that_asks_rocq() -> None:
    with pytest.raises(pytest.UsageError, match="what every machine can check"):
        Session._kernel(SimpleNamespace(accepts=True), asks=True)


def test_the_command_says_what_to_install_where_there_is_no_rocq(monkeypatch) -> None:
    monkeypatch.setattr(checking, "installed", lambda: False)
    result = CliRunner().invoke(app, ["kernel", "--check"])
    assert result.exit_code == 2
    assert "debian-packages.txt" in result.output


@pytest.mark.parametrize("option", ["--check", "--certify", "--table", "--write"])
def test_the_command_says_where_to_run_it_where_there_are_no_proofs(option: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["kernel", option])
    assert result.exit_code == 2
    (line,) = result.output.splitlines()
    assert line.startswith(f"InvalidParameterError: folder: there are no proofs in {FOLDER}; run it in the checkout")
    assert "--folder" in line
    assert not list(tmp_path.iterdir())
    (tmp_path / FOLDER).mkdir(parents=True)
    assert CliRunner().invoke(app, ["kernel", option]).output.splitlines() == [line]
    assert not list((tmp_path / FOLDER).iterdir())


def test_the_help_says_how_long_a_check_takes() -> None:
    told = " ".join(CliRunner().invoke(app, ["kernel", "--help"]).output.replace("│", " ").split())
    assert "eight to ten minutes on two free cores" in told


def test_the_table_has_a_row_for_each_theorem_and_statement(root, monkeypatch) -> None:
    result = CliRunner().invoke(app, ["kernel", "--table", "--folder", str(root / FOLDER)])
    assert result.exit_code == 0, result.output
    assert "certificate of 2026-01-01, Rocq 8.16.1" in result.output
    assert result.output.count(REPAIR) == 2
    assert "1 claims, 1 of them with a theorem about laws or matrices; 0 steps of proofs" in result.output


def test_the_table_shows_the_theorems_of_one_claim_and_their_file(root) -> None:
    def shown(*arguments: str) -> Result:
        return CliRunner().invoke(app, ["kernel", *arguments, "--folder", str(root / FOLDER)])

    one = shown("--table", REPAIR.partition("+")[0])
    assert one.exit_code == 0, one.output
    assert one.output.count(REPAIR) == 2
    assert re.search(r"│ \w+/\w+\.v +│", one.output), "the file in which it is proved"
    other = shown("--table", "wishart.lemma-1")
    assert REPAIR not in other.output
    assert "0 claims, 0 of them" in " ".join(other.output.split())
    assert "no claim 'wishart.nobody'" in shown("--table", "wishart.nobody").stderr
    assert "it goes with --table alone" in shown("wishart.lemma-1").stderr


def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, code: int = 0) -> None:
    """Put a program in the place of Debian's package manager."""
    program = tmp_path / "dpkg-query"
    program.write_text(f"#!/bin/sh\nprintf '%s' '{answer}'\nexit {code}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))


def test_packages_are_those_of_the_machine(tmp_path, monkeypatch) -> None:
    manager(tmp_path, monkeypatch, "coq=2 installed\ngappa=1 not-installed\n", code=1)
    assert checking.packages(["coq=1", "gappa=1", "other=1"]) == ("coq=2",)
    monkeypatch.setenv("PATH", "")
    assert checking.packages(["coq=1"]) == ()


def test_a_certificate_has_the_packages_that_were_there(folder, registry, said) -> None:
    certificate = certify(folder.read(), said, registry, "2026-01-01", "8.16.1", ["coq=2"])
    folder.write(CERTIFICATE, dump(certificate.to_json()))
    assert Certificate.read(folder.path).packages == ("coq=2",)
    assert wanted_packages(folder.path) != certificate.packages


def test_the_command_names_packages_of_other_versions(folder, tmp_path, monkeypatch, capsys) -> None:
    wanted = wanted_packages(folder.path)
    name, _, version = wanted[0].partition("=")
    manager(tmp_path, monkeypatch, f"{name}=0 installed\n")
    _compare_packages(wanted, checking.packages(wanted))
    assert f"{name}: 0 here, {version} in debian-packages.txt" in capsys.readouterr().err
    manager(tmp_path, monkeypatch, "".join(f"{one} installed\n" for one in wanted))
    _compare_packages(wanted, checking.packages(wanted))
    assert capsys.readouterr().err == ""
