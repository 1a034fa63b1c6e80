"""The mutation tool catches what it should, reports what nobody notices, and wants no idle explanations."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.warm import tools

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "audit"))

from mutation.evidence import in_order  # noqa: E402 - a folder of scripts

SETTINGS = """
[pytest]
addopts = -p dpmatrix.reporting.pytest_plugin --import-mode=importlib
specification = toy_specification
packages = toy_specification
"""

PACKAGE = """
from dpmatrix.claims import Registry


def load():
    from toy_specification.bound import BOUND

    return Registry.of([BOUND])
"""

MODULE = """
import attrs
from flint import arb

from dpmatrix.claims import Claim, Condition, Kind, Locator, Statement, Verdict


@attrs.frozen
class Point:
    x: int


def bound_margin(p):
    return 3 - arb(p.x)


def small_margin(p):
    return 2 - arb(p.x)


BOUND = Claim(
    id="toy.bound",
    kind=Kind.LEMMA,
    source=Locator("toy", "Bound", "x <= 3"),
    statement=Statement("x <= 3", bound_margin, given=(Condition("x <= 2", small_margin),)),
    verdict=Verdict.HOLDS,
    because="2 < 3",
)
"""

EVIDENCE = '''
import pytest

from dpmatrix.claims import Truth, bind_hypotheses
from toy_specification.bound import Point


@pytest.mark.evidence("toy.bound", role="supports", grade="symbolic", region="whole x")
def test_bound(statement):
    """The bound is pinned at its end; the hypothesis only between whole numbers."""
    assert statement.conclusion(Point(3)) is Truth.TRUE
    assert float(statement.margin(Point(1))) == 2.0
    bind_hypotheses(statement, Point(2), {"x <= 2": Point(3)})
'''

EXPLAINED = """
[bound]
"small_margin: 2 -> fmpq(11, 5)" = "x is a whole number, so 2.2 says the same."
"""

IDLE = """
"bound_margin: 3 -> fmpq(33, 10)" = "idle: the evidence notices this one"
"bound_margin: 7 -> fmpq(77, 10)" = "idle: there is no 7"
"""


def mutate(
    root: Path, evidence: str, survivors: str, *options: str, module: str = MODULE, base: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """Run the tool on a toy specification."""
    files = {
        "pytest.ini": SETTINGS,
        "toy_specification/__init__.py": PACKAGE,
        "toy_specification/bound.py": module,
        "audit/test_toy.py": evidence,
        "survivors.toml": survivors,
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    toy = {"--root": root, "--specification": "toy_specification", "--survivors": root / "survivors.toml"}
    arguments = [str(word) for pair in toy.items() for word in pair] + [
        "--json",
        str(root / "out.json"),
        *options,
        "--base",
        *base,
        "--warm",
    ]
    return tools().run([str(REPOSITORY / "audit" / "mutate.py"), *arguments])


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], dict[str, dict]]:
    """Return the process, and its records by key."""
    root = tmp_path_factory.mktemp("toy")
    done = mutate(root, EVIDENCE, EXPLAINED + IDLE)
    assert (root / "out.json").exists(), done.stdout + done.stderr
    return done, {record["key"]: record for record in json.loads((root / "out.json").read_text(encoding="utf-8"))}


@pytest.mark.parametrize(
    "key",
    [
        "bound_margin: 3 -> fmpq(33, 10)",
        "bound_margin: 3 -> fmpq(27, 10)",
        "bound_margin: return X -> return -(X)",
        "bound_margin: 3 - -> + arb(p.x)",
        "small_margin: 2 -> fmpq(9, 5)",
        "small_margin: return X -> return -(X)",
        "BOUND: drop 'x <= 2'",
        "BOUND: Statement strict=True",
        "BOUND: Condition strict=True",
    ],
)
def test_planted_mutants_are_caught(outcome, key) -> None:
    record = outcome[1][key]
    assert record["outcome"] == "assertion"
    assert record["claims"] == ["toy.bound"]
    assert record["node"] == "audit/test_toy.py::test_bound"


def test_a_planted_survivor_is_reported_with_its_lines(outcome) -> None:
    done, records = outcome
    survivors = [key for key, record in records.items() if record["outcome"] == "survived"]
    assert survivors == ["small_margin: 2 -> fmpq(11, 5)"]
    assert records[survivors[0]]["diff"] == ["-    return 2 - arb(p.x)", "+    return fmpq(11, 5) - arb(p.x)"]
    assert records[survivors[0]]["explained"]
    assert "no item of evidence notices" not in done.stdout, "every survivor is explained"


def test_idle_explanations_are_errors(outcome) -> None:
    done, _ = outcome
    assert done.returncode == 1
    assert "explained, but it is killed by assertion" in done.stdout
    assert "explained, but no such mutant exists" in done.stdout


def test_evidence_that_fails_unchanged_is_refused(tmp_path) -> None:
    done = mutate(tmp_path, EVIDENCE.replace("== 2.0", "== 2.5"), "", "--module", "bound")
    assert done.returncode == 2
    assert "fails before anything is changed" in done.stdout
    assert not (tmp_path / "out.json").exists()


def test_a_clean_run_succeeds(tmp_path) -> None:
    done = mutate(tmp_path, EVIDENCE, EXPLAINED, "--sample", "2", "--claims", "toy.bound")
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))) == 2


ROOTED = MODULE.replace("3 - arb(p.x)", "3 - nonnegative_root(arb(p.x) * p.x)").replace(
    "from dpmatrix.claims", "from dpmatrix.exact import nonnegative_root\nfrom dpmatrix.claims", 1
)


def test_what_statements_compute_with_is_mutated_as_far_as_one_reaches_it(tmp_path) -> None:
    exact = "dpmatrix.exact"
    mutate(tmp_path, EVIDENCE, "", "--module", exact, "--state", str(tmp_path / "s"), module=ROOTED, base=(exact,))
    records = {record["key"]: record for record in json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))}
    dropped = records["nonnegative_root: value > -> <= 0"]
    assert (dropped["outcome"], dropped["claims"]) == ("assertion", ["toy.bound"])
    unreached = [record for key, record in records.items() if key.startswith("rational:")]
    assert {record["outcome"] for record in unreached} == {"unseen"}
    judged = json.loads((tmp_path / "s").read_text(encoding="utf-8").partition("\n")[2])
    assert not [name for name in judged if " rational:" in name], "nothing is run for what no statement reaches"


OF_THE_BASE = """
from flint import arb

from dpmatrix.exact import nonnegative_root


def test_zero():
    assert nonnegative_root(arb(0)) == 0
"""


def test_what_statements_compute_with_is_judged_by_its_own_tests(tmp_path) -> None:
    """The evidence asks for roots of positive numbers and would notice a change there; the test asks for that of 0."""
    exact = "dpmatrix.exact"
    (tmp_path / "of_base").mkdir()
    (tmp_path / "of_base" / "test_root.py").write_text(OF_THE_BASE, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --import-mode=importlib\n", encoding="utf-8")
    tool = [str(REPOSITORY / "audit" / "mutate_sources.py"), "--root", str(tmp_path)]
    tools().run([*tool, "--trace", str(tmp_path / "lines"), "--", "of_base"]).check_returncode()
    words = ("--module", exact, "--lines", str(tmp_path / "lines"))
    mutate(tmp_path, EVIDENCE, "", *words, module=ROOTED, base=(exact,))
    records = {record["key"]: record for record in json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))}
    root = {key: record for key, record in records.items() if key.startswith("nonnegative_root")}
    noticed = {key for key, record in root.items() if record["outcome"] == "assertion"}
    assert {root[key]["node"] for key in noticed} == {"of_base/test_root.py::test_zero"}
    assert root["nonnegative_root: value > -> <= 0"]["outcome"] == "survived", "asked of the test alone"
    assert {record["outcome"] for key, record in records.items() if key.startswith("rational:")} == {"unseen"}


def test_a_mutant_that_ends_its_process_is_noticed_by_a_crash(tmp_path) -> None:
    """Flint ends the process when it is asked for a matrix of -1 columns, as the text does where 3 is changed."""
    ending = MODULE.replace(
        "    return 3 - arb(p.x)", "    bound = 3\n    bound == 3 or fmpq_mat(2, -1, [])\n    return bound - arb(p.x)"
    ).replace("from flint import", "from flint import fmpq_mat,")
    mutate(tmp_path, EVIDENCE, "", "--module", "bound", module=ending)
    records = {record["key"]: record for record in json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))}
    assert records["bound_margin: 3 -> fmpq(33, 10)"]["outcome"] == "crash"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run that kept its fates; one of its modules has nothing to change."""
    root = tmp_path_factory.mktemp("kept")
    (root / "toy_specification").mkdir()
    (root / "toy_specification" / "words.py").write_text('"""Words."""\n', encoding="utf-8")
    done = mutate(root, EVIDENCE, EXPLAINED, "--state", str(root / "state"), "--table", str(root / "table.md"))
    assert done.returncode == 0, done.stdout + done.stderr
    (root / "first.json").write_bytes((root / "out.json").read_bytes())
    return root


def _again(root: Path, state: Path, evidence: str = EVIDENCE, *options: str) -> subprocess.CompletedProcess[str]:
    return mutate(root, evidence, EXPLAINED, "--state", str(state), *options)


def test_a_second_run_judges_only_what_changed(kept, tmp_path) -> None:
    state = tmp_path / "copy"
    text = (kept / "state").read_text(encoding="utf-8")
    state.write_text(text, encoding="utf-8")
    again = _again(kept, state)
    assert again.returncode == 0, again.stdout + again.stderr
    assert "evidence against mutants" not in again.stdout, "every fate was known"
    assert state.read_text(encoding="utf-8") == text
    changed = _again(kept, state, EVIDENCE.replace("pinned at", "fixed at"), "--operator", "sign")
    assert "evidence against mutants" in changed.stdout
    fates, before = (json.loads(each.partition("\n")[2]) for each in (state.read_text(encoding="utf-8"), text))
    judged = {name for name in before if "return X" in name}
    assert judged
    assert {name for name in before if fates[name]["against"] != before[name]["against"]} == judged


def test_a_run_goes_on_from_the_fates_of_a_part(kept, tmp_path) -> None:
    state = tmp_path / "part"
    first = mutate(kept, EVIDENCE, EXPLAINED, "--state", str(state), "--operator", "sum")
    assert first.returncode == 0, first.stdout + first.stderr
    known = json.loads(state.read_text(encoding="utf-8").partition("\n")[2])
    assert {name.partition(": ")[0] for name in known} == {"bound bound_margin", "bound small_margin"}
    whole = _again(kept, state)
    assert whole.returncode == 0, whole.stdout + whole.stderr
    fates = json.loads(state.read_text(encoding="utf-8").partition("\n")[2])
    assert {name: fates[name] for name in known} == known, "they were not judged again"
    assert len(fates) > len(known)


def test_what_nobody_noticed_is_judged_again_alone(kept) -> None:
    """A reason is no longer there, and then the evidence is better: the one survivor is told, and then caught."""
    first = mutate(kept, EVIDENCE, "")
    survivors = kept / "again.json"
    survivors.write_bytes((kept / "out.json").read_bytes())
    assert first.returncode == 1
    before = {record["key"]: record for record in json.loads(survivors.read_text(encoding="utf-8"))}
    better = EVIDENCE.replace("Truth.TRUE", "Truth.TRUE\n    assert statement.given[0].margin(Point(0)) == 2")
    for evidence, code, outcome in ((EVIDENCE, 1, "survived"), (better, 0, "assertion")):
        run = mutate(kept, evidence, "", "--again", str(survivors), "--table", str(kept / "again.md"))
        assert run.returncode == code, run.stdout + run.stderr
        counted = _rows(kept / "again.md")["all"]["mutants"]
        assert counted == str(len(before)), "with those that the earlier run judged"
        found = {record["key"]: record for record in json.loads((kept / "out.json").read_text(encoding="utf-8"))}
        assert found.pop("small_margin: 2 -> fmpq(11, 5)")["outcome"] == outcome
        assert found == {key: record for key, record in before.items() if record["outcome"] != "survived"}


def test_whole_numbers_are_tried_where_an_earlier_run_crashed(tmp_path) -> None:
    """A run that ended before it came to them leaves the module open, and the next one tries them."""
    module = MODULE.replace("3 - arb(p.x)", "3 - len('x' * 1) * arb(p.x)")
    earlier, table = tmp_path / "earlier.json", tmp_path / "table.md"
    first = mutate(tmp_path, EVIDENCE, EXPLAINED, module=module)
    assert first.returncode == 0, first.stdout + first.stderr
    records = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    crashed = [record["key"] for record in records if record["outcome"] == "crash"]
    whole = [record for record in records if record["key"] in ("bound_margin: 1 -> 2", "bound_margin: 1 -> 0")]
    assert crashed
    assert whole
    earlier.write_text(json.dumps([record for record in records if record not in whole]), encoding="utf-8")
    again = mutate(tmp_path, EVIDENCE, EXPLAINED, "--again", str(earlier), "--table", str(table), module=module)
    assert again.returncode == 0, again.stdout + again.stderr
    found = {record["key"] for record in json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))}
    assert found == {record["key"] for record in records}
    assert _rows(table)["all"]["mutants"] == str(len(records))


def test_what_was_explained_and_still_is_need_not_be_judged_again(kept, tmp_path) -> None:
    assert mutate(kept, EVIDENCE, EXPLAINED).returncode == 0
    earlier = tmp_path / "earlier.json"
    earlier.write_bytes((kept / "out.json").read_bytes())
    still = mutate(kept, EVIDENCE, EXPLAINED, "--again", str(earlier))
    assert (still.returncode, "nothing was judged" in still.stdout) == (2, True), still.stdout
    assert mutate(kept, EVIDENCE, "", "--again", str(earlier)).returncode == 1, "the reason is gone"


@pytest.mark.parametrize(
    "text",
    [
        *("[", "3", '{"a": 1}', '[{"module": "m"}]', '[{"module": "", "key": "", "outcome": "survived"}]'),
        '[{"module": "m", "key": "k", "outcome": "a word for none"}]',
        '[{"module": "m", "key": "k", "outcome": 3}]',
    ],
)
def test_what_is_no_record_of_a_run_is_refused(tmp_path, text) -> None:
    (tmp_path / "again").write_text(text, encoding="utf-8")
    run = mutate(tmp_path, EVIDENCE, "", "--again", str(tmp_path / "again"))
    assert run.returncode == 2
    assert "no answer" in run.stdout, run.stdout + run.stderr


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda text: text[: len(text) // 2], "is not a whole file of fates"),
        (lambda text: text[: text.index("\n") + 1], "is not a whole file of fates"),
        (lambda _: "", "is not a whole file of fates"),
        (lambda _: '{"format": "another"}\n{}\n', "is of another format"),
        (lambda text: text.replace("toy_specification", "other_specification", 1), "is about 'other_specification'"),
        (lambda text: text.replace('"survived"', '"assertion"', 1), "was changed after it was written"),
    ],
)
def test_half_a_file_of_fates_or_a_foreign_one_is_refused(kept, tmp_path, spoil, words) -> None:
    state = tmp_path / "state"
    state.write_text(spoil((kept / "state").read_text(encoding="utf-8")), encoding="utf-8")
    spoilt = state.read_text(encoding="utf-8")
    done = _again(kept, state)
    assert done.returncode == 2
    assert words in done.stdout
    assert state.read_text(encoding="utf-8") == spoilt


def _rows(table: Path) -> dict[str, dict[str, str]]:
    """Return the rows by their change; that of the sums is of all."""
    text = table.read_text(encoding="utf-8")
    head, *lines = ([cell.strip() for cell in line[1:-1].split("|")] for line in text.splitlines() if line[:1] == "|")
    return {row[2]: dict(zip(head, row, strict=True)) for row in lines[1:]}


def test_the_table_counts_by_module_and_kind_of_change(kept) -> None:
    assert "Every module was judged." in (kept / "table.md").read_text(encoding="utf-8")
    *rows, last = _rows(kept / "table.md").values()
    assert [(row["module"], row["change"]) for row in rows] == [
        *(("bound", kind) for kind in ("hypothesis", "literal", "sign", "strictness", "sum")),
        ("words", "none"),
    ]
    assert all(re.fullmatch("[0-9a-f]{16}", row["code"]) for row in rows)
    assert len({row["code"] for row in rows}) == 2
    assert sum(int(row["mutants"]) for row in rows) == int(last["mutants"]) > 0
    assert (rows[-1]["mutants"], last["explained"], last["module"]) == ("0", "1", "all")


def test_empty_margins_are_tried_when_asked_for(tmp_path) -> None:
    mutate(tmp_path, EVIDENCE, "", "--operator", "vacuous")
    records = {record["key"]: record for record in json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))}
    assert records["bound_margin: return X -> return minus-one"]["outcome"] == "assertion"
    assert records["bound_margin: return X -> return sign"]["claims"] == ["toy.bound"]
    assert {record["operator"] for record in records.values()} == {"vacuous"}


def test_what_noticed_most_in_the_least_time_is_asked_first() -> None:
    seconds = {"slow": 20.0, "quick": 0.1, "idle": 0.05, "last": 60.0}
    assert in_order(seconds, seconds, {"slow": 9, "quick": 1}) == ["quick", "slow", "idle", "last"]
    assert in_order(seconds, seconds, {"slow": 9000, "quick": 1}) == ["slow", "quick", "idle", "last"]
    assert in_order(seconds, seconds, {"quick": 1}, last="last")[0] == "last"
    assert in_order(seconds, seconds, {}) == ["idle", "quick", "slow", "last"]


def test_a_part_of_a_module_has_no_row(kept, tmp_path) -> None:
    """Of one kind of change, of one more that goes on from it, and in a table that has the module."""
    table, earlier = tmp_path / "part.md", tmp_path / "earlier.json"
    assert mutate(kept, EVIDENCE, EXPLAINED, "--operator", "sum", "--table", str(table)).returncode == 0
    assert "1 of 2 modules were judged, those below." in table.read_text(encoding="utf-8")
    assert [*_rows(table)] == ["none", "all"]
    earlier.write_bytes((kept / "out.json").read_bytes())
    mutate(kept, EVIDENCE, "", "--operator", "sign", "--again", str(earlier), "--table", str(table))
    assert [*_rows(table)] == ["none", "all"]
    table.write_bytes((kept / "table.md").read_bytes())
    part = _again(kept, kept / "state", EVIDENCE, "--operator", "sum", "--afresh", "--table", str(table))
    assert "by assertion" in part.stdout, "it was judged"
    assert table.read_bytes() == (kept / "table.md").read_bytes()


def test_what_an_earlier_run_does_not_know_of_this_code_is_judged(kept, tmp_path) -> None:
    """A record is lost, is of a mutant that is no more, or of another code; other words are the same code."""
    table, earlier = tmp_path / "again.md", tmp_path / "earlier.json"
    records = json.loads((kept / "first.json").read_text(encoding="utf-8"))
    lost, foreign, *_ = (record for record in records if record["outcome"] == "assertion")
    stranger = lost | {"key": "gone: 1 -> 2"}
    some = [record for record in records if record not in (lost, foreign)] + [foreign | {"code": "another"}, stranger]
    for known, module, judged in (
        (some, MODULE.replace("2 < 3", "two is less than three"), 2),
        (records, MODULE + "\n\nSPARE = None\n", len(records)),
    ):
        earlier.write_text(json.dumps(known), encoding="utf-8")
        run = mutate(kept, EVIDENCE, EXPLAINED, "--again", str(earlier), "--table", str(table), module=module)
        assert f"{judged}/{judged}" in run.stdout.partition("evidence against mutants")[2].replace(" ", ""), (
            run.stdout + run.stderr
        )
        assert "Every module was judged." in table.read_text(encoding="utf-8")
        found = json.loads((kept / "out.json").read_text(encoding="utf-8"))
        assert {record["key"] for record in found} == {record["key"] for record in records}


def test_what_the_table_has_is_not_judged_again(kept, tmp_path) -> None:
    """As long as the code is the same, words aside, and each survivor is explained."""
    table = tmp_path / "table.md"
    table.write_bytes((kept / "table.md").read_bytes())
    options = ("--table", str(table), "--state", str(kept / "state"))
    for module in (MODULE, MODULE.replace("2 < 3", "two is less than three")):
        same = mutate(kept, EVIDENCE, EXPLAINED, *options, module=module)
        assert (same.returncode, "nothing to judge" in same.stdout) == (0, True), same.stdout + same.stderr
        assert table.read_bytes() == (kept / "table.md").read_bytes()
    bare = mutate(kept, EVIDENCE, "", *options)
    assert bare.returncode == 1, bare.stdout + bare.stderr
    assert _rows(table)["all"]["survived"] == "1"
    table.write_bytes((kept / "table.md").read_bytes())
    changed = mutate(kept, EVIDENCE, EXPLAINED, "--table", str(table), module=MODULE + "\n\nSPARE = None\n")
    assert changed.returncode == 0, changed.stdout + changed.stderr
    before, after = _rows(kept / "table.md"), _rows(table)
    assert before["sum"]["code"] != after["sum"]["code"]
    assert before["none"] == after["none"], "the other module is the same"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda _: "",
        lambda _: "A text of another kind.\n",
        lambda text: text.replace("by crash", "by chance"),
        lambda text: text[: text.rindex("| all |")],
        lambda text: text.replace("| sum | ", "| sum | a"),
        lambda text: text.replace("| sum |", "| sign |"),
    ],
)
def test_a_file_that_is_no_table_is_refused(kept, tmp_path, spoil) -> None:
    table = tmp_path / "table.md"
    table.write_text(spoil((kept / "table.md").read_text(encoding="utf-8")), encoding="utf-8")
    spoilt = table.read_bytes()
    done = _again(kept, kept / "state", EVIDENCE, "--table", str(table))
    assert (done.returncode, "no answer" in done.stdout) == (2, True), done.stdout + done.stderr
    assert table.read_bytes() == spoilt


WAITING = """
import os, signal
from audit.mutation.pool import forked

def wait(_):
    os.write(1, b"%d\\n" % os.getpid())
    signal.pause()

list(forked(wait, [0, 1], lambda _: 60.0, workers=2))
"""


def test_a_run_that_is_told_to_end_leaves_no_process_behind() -> None:
    with subprocess.Popen([sys.executable, "-c", WAITING], cwd=REPOSITORY, stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        forked = [int(run.stdout.readline()) for _ in range(2)]
        run.send_signal(signal.SIGTERM)
        assert run.wait() == 128 + signal.SIGTERM
    for process in forked:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


ASKED_WHILE_IT_FORKS = """
import os, signal
fork = os.fork

def asked():
    process = fork()
    if process:
        os.kill(os.getpid(), signal.SIGTERM)
        print(process, flush=True)
    return process

os.fork = asked
""" + WAITING.replace('os.write(1, b"%d\\n" % os.getpid())', "pass")


def test_a_run_that_is_told_to_end_while_it_forks_leaves_no_process_behind() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASKED_WHILE_IT_FORKS], cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, check=False
    )
    assert done.returncode == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)


def test_benchmarks_are_collected_without_the_plugin_that_measures_them() -> None:
    """The tool collects all of `tests` so: an error there would be one of every campaign."""
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "tests/benchmarks"]
    alone = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=root, env=alone, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-1000:]
    assert "test_release_speed.py::" in done.stdout
