"""Looking a claim up: where it is specified, which code cites it, and in what time."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

import dpmatrix
from dpmatrix.__main__ import app
from dpmatrix.claims import nearest
from dpmatrix.errors import UnknownClaimError
from dpmatrix.reporting.implementations import cited_in_sources, implementations
from dpmatrix.spec import load, load_with_foundations, places

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("numpy", "scipy", "sympy", "dpmatrix.mechanisms", "dpmatrix.auditing", "pytest")


def test_every_claim_has_a_place_and_stands_there() -> None:
    folder = Path(dpmatrix.__file__).parent
    assert places().keys() == load().claims.keys()
    for claim, place in places().items():
        line = (folder / place.file).read_text(encoding="utf-8").splitlines()[place.line - 1]
        assert line == f'    id="{claim}",'


def test_a_claim_is_loaded_with_all_that_it_rests_on() -> None:
    whole = load()
    for claim in ("wishart.theorem-4", "cross.ppca-sample-complexity", "wishart.definition-1"):
        part = load_with_foundations(claim)
        assert part[claim] == whole[claim]
        uses = {use.removesuffix("+repair") for name in part.claims for use in part[name].uses}
        assert uses <= part.claims.keys()
        assert part.fingerprints[claim] == whole.fingerprints[claim]
    with pytest.raises(UnknownClaimError, match=r"did you mean wishart\.theorem-4"):
        load_with_foundations("wishart.theorem4")
    with pytest.raises(UnknownClaimError, match="did you mean near-optimal"):
        load_with_foundations("near-optimum")
    assert load_with_foundations("wishart.theorem-4", "wishart.lemma-1").claims.keys() >= {"wishart.lemma-1"}


def test_sources_and_the_code_that_runs_cite_the_same() -> None:
    cited = {one.name: set(one.citations) for one in implementations() if one.citations}
    assert {one.name: set(one.citations) for one in cited_in_sources()} == cited


def test_a_claim_names_the_file_of_each_proof_of_the_kernel() -> None:
    """Each file is there, and states a theorem of the name that the evidence gives."""
    done = CliRunner().invoke(app, ["claims", "wishart.theorem-4", "--json"])
    evidence = json.loads(done.stdout)["evidence"]
    kernel = [item for item in evidence if item["grade"].startswith("kernel")]
    assert len(kernel) > 3
    assert {item["node"] for item in kernel} == {item["node"] for item in evidence if "proved_in" in item}
    for item in kernel:
        name = item["region"].removeprefix("theorem ").partition(":")[0].rpartition(".")[2]
        assert re.search(rf"^(Theorem|Lemma) {name}\b", (ROOT / item["proved_in"]).read_text("utf-8"), re.MULTILINE)
    page = CliRunner().invoke(app, ["claims", "wishart.theorem-4"]).stdout
    assert page.count("    proved in proofs_checks/kernel/") == len(kernel)


def test_an_unknown_id_names_the_nearest() -> None:
    registry = load()
    with pytest.raises(KeyError, match=r"did you mean sliding-window\.theorem-12"):
        registry["sliding-window.theorem12"]
    error = registry.unknown("Wishart.Theorem_4")
    assert error.nearest[0] == "wishart.theorem-4"
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert {"wishart.theorem-4", "sliding-window.theorem-4"} <= set(nearest("theorem-4", registry.claims))
    assert nearest("xyzzy", registry.claims) == ()
    assert "did you mean" not in str(registry.unknown("xyzzy"))


@pytest.mark.parametrize(
    "command",
    ["claims wishart.theorem-4", "claims wishart", "claims --find noise", "findings", "sentences --document wishart"],
)
def test_a_look_up_starts_without_the_mechanisms(tmp_path, command: str) -> None:
    assert len(started(tmp_path, command, HEAVY)) > 500


OF_POINTS = ("dpmatrix.commands.statements", "dpmatrix.commands.record_fields", "dpmatrix.claims.evaluation")


def test_a_look_up_starts_without_what_evaluates_statements(tmp_path) -> None:
    started(tmp_path, "claims wishart.theorem-4", OF_POINTS)
    started(tmp_path, "claims --find noise", OF_POINTS)


def test_a_statement_is_evaluated_without_the_mechanisms(tmp_path) -> None:
    unwanted = (*HEAVY, "dpmatrix.documentation", "jinja2")
    command = "claims wishart.theorem-4 --at dimension=5,records=100,epsilon=1"
    assert "this point refutes the statement" in started(tmp_path, command, unwanted)
    assert "epsilon > 0" in started(tmp_path, "claims wishart.theorem-4 --fields", HEAVY)


def test_an_audit_starts_without_the_specification_and_the_report(tmp_path) -> None:
    assert "Usage: dpmatrix audit" in started(tmp_path, "audit --help", ("dpmatrix.spec", "jinja2", "sympy"))


def started(folder: Path, command: str, unwanted: Sequence[str]) -> str:
    """Run a command and return what it prints; time on a busy machine says nothing, but what is imported does."""
    program = (
        "import sys\n"
        f"sys.argv = ['dpmatrix', *{command.split()!r}]\n"
        "from dpmatrix.__main__ import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
        f"print('IMPORTED', *[name for name in {unwanted!r} if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].strip() == "IMPORTED"
    return done.stdout
