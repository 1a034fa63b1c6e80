"""The gate refuses a run in which evidence was skipped, left out, unbound or failing, in one process and in two."""

from __future__ import annotations

import json

import pytest

AUDIT, TESTS, PROOFS = "audit/test_one.py", "tests/test_two.py", "proofs_checks/test_three.py"
PARALLEL = pytest.mark.parametrize("parallel", [(), ("-n", "2")], ids=["one-process", "two-workers"])

ITEM = """

{marks}@pytest.mark.evidence("toy.{target}@0", role="{role}", grade="interval", region="x")
def test_{name}({fixtures}):
    {check}
"""


def item(
    name: str, check: str, *, marks: str = "", target: str = "alpha", role: str = "supports", more: str = ""
) -> str:
    """One more item of evidence, which goes wrong in its own way."""
    fixtures = ", ".join(filter(None, ["statement", more]))
    marks = f"{marks}\n" if marks else ""
    return ITEM.format(name=name, check=check, marks=marks, target=target, role=role, fixtures=fixtures)


SUPPORT = "assert certify(statement, BOX).answer is Truth.TRUE"
FIXTURES = """

@pytest.fixture
def no_setup():
    raise OSError("no disk")


@pytest.fixture
def no_teardown():
    yield
    raise OSError("no disk")


@pytest.fixture
def skipping():
    pytest.skip("not here")


class TestMarked:
    pytestmark = pytest.mark.evidence("toy.alpha@0", role="control", grade="interval", region="x")

    def test_of_a_class(self):
        pass
"""
DEADLY = "import flint\n    flint.fmpq_mat(-1, 1)"
"""Ends its process inside flint, by no name that evidence may not use."""
SKIPPED, FAILED = "evidence was skipped", "evidence was failed"
UNEVALUATED = "passed without evaluating toy.alpha unchanged and inside its hypotheses, or although it failed"
NO_COUNTEREXAMPLE = "passed without finding a point where the hypotheses of toy.refuted hold and it fails"
BROKEN = {
    "skip": (item("skip", SUPPORT, marks='@pytest.mark.skip(reason="later")'), SKIPPED),
    "skipif": (item("skipif", SUPPORT, marks='@pytest.mark.skipif(True, reason="later")'), SKIPPED),
    "skip_inside": (item("skip_inside", f"{SUPPORT}\n    pytest.skip('later')"), SKIPPED),
    "skip_import": (item("skip_import", f"pytest.importorskip('no_such_module')\n    {SUPPORT}"), SKIPPED),
    "skip_setup": (item("skip_setup", SUPPORT, more="skipping"), SKIPPED),
    "skip_empty": (item("skip_empty", SUPPORT, marks='@pytest.mark.parametrize("n", [])', more="n"), SKIPPED),
    "skip_subtest": (
        item(
            "skip_subtest", f"with subtests.test('part'):\n        pytest.skip('later')\n    {SUPPORT}", more="subtests"
        ),
        SKIPPED,
    ),
    "xfail": (item("xfail", "assert False", marks="@pytest.mark.xfail"), SKIPPED),
    "xfail_inside": (item("xfail_inside", f"{SUPPORT}\n    pytest.xfail('known')"), SKIPPED),
    "xpass": (item("xpass", SUPPORT, marks="@pytest.mark.xfail(strict=False)"), SKIPPED),
    "xpass_strict": (item("xpass_strict", SUPPORT, marks="@pytest.mark.xfail"), FAILED),
    "fail": (item("fail", f"{SUPPORT}\n    assert False"), FAILED),
    "fail_setup": (item("fail_setup", SUPPORT, more="no_setup"), FAILED),
    "fail_teardown": (item("fail_teardown", SUPPORT, more="no_teardown"), FAILED),
    "fail_one": (
        item("fail_one", "assert n and statement", marks='@pytest.mark.parametrize("n", [0])', more="n"),
        FAILED,
    ),
    "undecided": (item("undecided", "assert statement.at(Point(1))"), FAILED),
    "outside": (item("outside", "assert statement.at(Point(-1)) is Truth.TRUE"), FAILED),
    "unbound": (item("unbound", "assert 1 + 1 == 2"), UNEVALUATED),
    "other": (item("other", "assert FALSE.conclusion(Point(1)) is Truth.FALSE"), UNEVALUATED),
    "unnamed": (item("unnamed", "assert TRUE.at(Point(1)) is Truth.TRUE"), UNEVALUATED),
    "nudged": (item("nudged", "assert statement.nudged(lambda m: m + 1).at(Point(1)) is Truth.TRUE"), UNEVALUATED),
    "stripped": (item("stripped", "assert statement.without('x >= 0').at(Point(1)) is Truth.TRUE"), UNEVALUATED),
    "hypotheses": (item("hypotheses", "assert statement.applies(Point(1)) is Truth.TRUE"), UNEVALUATED),
    "forged": (
        item(
            "forged",
            "record_property('statements', {'named': ['toy.alpha'], 'evaluated': ['toy.alpha'], 'failed': []})",
            more="record_property",
        ),
        UNEVALUATED,
    ),
    "no_counterexample": (
        item("no_counterexample", "statement.conclusion(Point(-0.5))", target="refuted", role="refutes"),
        NO_COUNTEREXAMPLE,
    ),
    "counterexample_outside": (
        item(
            "counterexample_outside",
            "assert statement.without('x >= 0').at(Point(-0.5)) is Truth.FALSE",
            target="refuted",
            role="refutes",
        ),
        NO_COUNTEREXAMPLE,
    ),
    "toothless_control": (
        item("toothless_control", "assert statement.at(Point(1)) is Truth.TRUE", role="control"),
        "passed without seeing a changed version of toy.alpha fail",
    ),
    "supports_what_fails": (
        item("supports_what_fails", "assert statement.at(Point(1)) is Truth.FALSE", target="refuted"),
        "passed without evaluating toy.refuted unchanged and inside its hypotheses, or although it failed",
    ),
}


@PARALLEL
def test_evidence_that_did_not_do_its_work(toy, parallel) -> None:
    """Every other item of each claim is in order, so only the broken ones keep the gate closed."""
    toy.add(AUDIT, FIXTURES + "".join(text for text, _ in BROKEN.values()))
    toy.stamp()
    run = toy.audit(*parallel)
    outcomes = {item["node"]: item["outcome"] for item in json.loads(toy.ledger.read_text())["evidence"]}
    assert set(outcomes.values()) == {"passed", "skipped", "failed", "unbound"}
    suffixes = {"fail_one": "[0]", "skip_empty": "[NOTSET]"}
    run.objects_to(
        *(f"{AUDIT}::test_{name}{suffixes.get(name, '')}: {message}" for name, (_, message) in BROKEN.items()),
        f"{AUDIT}::TestMarked::test_of_a_class: passed without seeing a changed version of toy.alpha fail",
        "toy.alpha: violated: failed: ",
        "toy.alpha: the committed snapshot has",
    )


SELECTIONS = {
    "keyword": (["-k", "not alpha_control"], "alpha"),
    "mark": (["-m", "not slow"], "alpha"),
    "deselect": (["--deselect", f"{AUDIT}::test_alpha_control"], "alpha"),
    "first-failure": (["-x"], "failing"),
    "stepwise": (["--stepwise"], "failing"),
    "setup-only": (["--setup-only"], "alpha"),
}


@pytest.mark.parametrize(("arguments", "left_out"), SELECTIONS.values(), ids=SELECTIONS)
def test_deselected_evidence(toy, arguments, left_out) -> None:
    control = toy.item("alpha", "control")
    toy.edit(AUDIT, control, control.replace("@pytest.mark.evidence", "@pytest.mark.slow\n@pytest.mark.evidence"))
    if left_out == "failing":
        toy.edit(AUDIT, toy.item("alpha", "supports"), item("stop", "assert False") + toy.item("alpha", "supports"))
    toy.stamp()
    run = toy.audit(*arguments)
    assert run.code in (1, 2), run.text
    assert f"gate: {AUDIT}::test_alpha_control: evidence was deselected" in run.text
    assert "gate: CLOSED" in run.text


@pytest.mark.parametrize("arguments", [("-k", "not alpha_control"), ("-m", "not slow")], ids=["keyword", "mark"])
def test_deselected_evidence_in_two_workers(toy, arguments) -> None:
    control = toy.item("alpha", "control")
    toy.edit(AUDIT, control, control.replace("@pytest.mark.evidence", "@pytest.mark.slow\n@pytest.mark.evidence"))
    toy.stamp()
    toy.audit(*arguments, "-n", "2").objects_to(
        f"{AUDIT}::test_alpha_control: evidence was deselected",
        "toy.alpha: unearned: no control",
        "toy.alpha: the committed snapshot has",
    )


SPARE = '@pytest.mark.evidence("toy.alpha@0", role="supports", grade="interval", region="spare")\n'
CITED = """
from dpmatrix.reporting.citing import cite

alpha = cite("toy.alpha@0")

@alpha.supports(grade="interval", region="spare")
"""
LOST = {
    "ignored": (["--ignore", "audit/test_spare.py"], ""),
    "module-skip": ([], "pytest.skip('later', allow_module_level=True)\n"),
    "misnamed": (["-o", "python_functions=*supports *supports_repair *refutes *control"], ""),
    "other-files": (["-o", "python_files=test_[!s]*.py"], ""),
    "shadowed": ([], ""),
}


@pytest.mark.parametrize(
    ("spare", "arguments", "head"),
    [*((SPARE, *lost) for lost in LOST.values()), (CITED, *LOST["shadowed"])],
    ids=[*LOST, "cited-and-shadowed"],
)
def test_evidence_that_pytest_never_saw(toy, spare, arguments, head) -> None:
    """No claim needs it, so only the file itself tells that it exists."""
    last = "\n\ndef test_spare():\n    pass\n" if not arguments and not head else ""
    toy.add(
        "audit/test_spare.py", f"import pytest\n\n{head}\n{spare}def test_spare(statement):\n    assert False\n{last}"
    )
    toy.stamp()
    now = toy.fingerprints()["toy.alpha"]
    toy.audit(*arguments).objects_to(
        f"audit/test_spare.py: supports toy.alpha@{now} is written there and was not collected"
    )


def test_a_collection_error(stamped) -> None:
    stamped.add("proofs_checks/test_broken.py", "import no_such_module\n")
    run = stamped.audit()
    assert run.code == 2, run.text
    assert "No module named 'no_such_module'" in run.text
    assert "test_alpha_supports: evidence was deselected" in run.text
    assert "gate: CLOSED" in run.text
    assert not stamped.ledger.exists()
    run = stamped.audit("--continue-on-collection-errors")
    assert run.code == 1, run.text


@pytest.mark.parametrize("restarts", [(), ("--max-worker-restart", "0")], ids=["restarted", "not-restarted"])
def test_a_worker_that_dies(toy, restarts) -> None:
    toy.add(AUDIT, item("deadly", DEADLY))
    toy.stamp()
    run = toy.audit("-n", "2", *restarts)
    assert run.code not in (0, 5), run.text
    assert any(f"{AUDIT}::test_deadly: evidence was failed" in line for line in run.objections), run.text
    assert "gate: CLOSED" in run.text


def test_first_failure_in_two_workers(toy) -> None:
    toy.edit(AUDIT, toy.item("alpha", "supports"), item("stop", "assert False") + toy.item("alpha", "supports"))
    toy.stamp()
    run = toy.audit("-n", "2", "-x")
    assert run.code not in (0, 5), run.text
    assert "gate: CLOSED" in run.text


@pytest.mark.parametrize("parallel", [(), ("-n", "2")], ids=["one-process", "two-workers"])
def test_a_forged_ledger_is_not_believed(toy, parallel) -> None:
    """The old ledger says that all is well; the run says otherwise, and its ledger replaces the old one."""
    forged = json.dumps({"violations": [], "standings": {"toy.alpha": {"standing": "earned", "reasons": []}}})
    toy.ledger.parent.mkdir(parents=True)
    toy.ledger.write_text(forged)
    toy.drop(AUDIT, "alpha", "control")
    toy.stamp()
    toy.audit(*parallel).objects_to(
        "toy.alpha: unearned: no control",
        "toy.alpha: the committed snapshot has",
        f"{AUDIT}::test_alpha_control: the committed snapshot has its evidence",
    )
    assert json.loads(toy.ledger.read_text())["standings"]["toy.alpha"]["standing"] == "unearned"


STOPS = {
    # Raised, not signalled: a run in the background of a shell ignores SIGINT.
    "interrupt": ("raise KeyboardInterrupt", 2),
    "exit": ("pytest.exit('enough', returncode=0)", 1),
    "kill": (DEADLY, -6),
}


@pytest.mark.parametrize(("stop", "code"), STOPS.values(), ids=STOPS)
def test_an_interrupted_run_leaves_the_old_ledger_and_snapshot(toy, stop, code) -> None:
    toy.ledger.parent.mkdir(parents=True)
    toy.ledger.write_text("the old ledger")
    toy.add(AUDIT, item("stop", stop))
    toy.stamp()
    before = toy.standings.read_bytes()
    run = toy.audit("--accept-standings")
    assert run.code == code, run.text
    assert toy.ledger.read_text() == "the old ledger"
    assert toy.standings.read_bytes() == before
    assert "gate: open" not in run.text
    if code > 0:
        assert "gate: the run was interrupted" in run.text
        assert "gate: CLOSED" in run.text
