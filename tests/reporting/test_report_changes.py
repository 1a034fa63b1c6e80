"""The page of what changed: against the committed snapshot, an older revision or a file, in HTML and in JSON."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import attrs
import pytest
from typer.testing import CliRunner

import dpmatrix.commands.line as command_line
from dpmatrix.claims import Ledger, Origin, changes, read_snapshot, snapshot
from dpmatrix.claims.ledger import dump
from dpmatrix.errors import SnapshotError
from dpmatrix.reporting.html import render
from dpmatrix.reporting.snapshots import changes_since

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="no git on this machine")

AUTHOR = {
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
DATES = ("2026-01-02T03:04:05+00:00", "2026-02-03T04:05:06+00:00")


@attrs.frozen
class Checkout:
    """A specification's folder under version control."""

    root: Path

    @property
    def path(self) -> Path:
        """The snapshot."""
        return self.root / "spec" / "standings.json"

    def git(self, *arguments: str, date: str = DATES[0]) -> str:
        """Run git in the checkout."""
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        environment = os.environ | AUTHOR | dates
        done = subprocess.run(["git", *arguments], cwd=self.root, env=environment, capture_output=True, check=True)
        return done.stdout.decode().strip()

    def commit(self, record: object, date: str) -> str:
        """Commit a snapshot; return the commit's name."""
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_text(dump(record), encoding="utf-8")
        self.git("add", "spec/standings.json")
        self.git("commit", "-q", "-m", "Standings", date=date)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def checkout(tmp_path) -> Checkout:
    found = Checkout(tmp_path)
    found.git("init", "-q")
    return found


def record(run: Ledger, registry) -> dict[str, dict[str, object]]:
    return snapshot(registry, run.standings, run.evidence)


def differing(now: dict[str, dict[str, object]]) -> dict[str, dict[str, object]]:
    """Change a verdict, a text, and the evidence; drop a claim, and add one."""
    before = json.loads(json.dumps(now))
    before["wishart.theorem-4"]["verdict"] = "holds"
    before["wishart.theorem-3"]["fingerprint"] = "00000000"
    ((node, (line,)),) = list(before["wishart.lemma-1"]["evidence"].items())[:1]
    before["wishart.lemma-1"]["evidence"][node] = [line.replace(": everywhere", ": d <= 3")]
    before["wishart.lemma-2"]["evidence"]["audit/test_gone.py::test_it"] = ["control interval wishart.lemma-2: a box"]
    del before["wishart.theorem-6"]
    before["wishart.withdrawn"] = {"verdict": "open", "standing": "open", "fingerprint": "11111111"}
    return before


def check_differences(found) -> None:
    changed = {change.claim: change for change in found.changed}
    assert set(changed) == {"wishart.theorem-4", "wishart.theorem-3", "wishart.lemma-1", "wishart.lemma-2"}
    assert changed["wishart.theorem-4"].fields == {"verdict": ("holds", "refuted")}
    assert changed["wishart.theorem-3"].fields["fingerprint"][0] == "00000000"
    (altered,) = changed["wishart.lemma-1"].altered
    assert (altered.before.region, altered.now.region) == ("d <= 3", "everywhere")
    (lost,) = changed["wishart.lemma-2"].lost
    assert (lost.piece.node, lost.outcome) == ("audit/test_gone.py::test_it", "gone")
    assert list(found.new) == ["wishart.theorem-6"]
    assert list(found.gone) == ["wishart.withdrawn"]


def test_the_committed_snapshot_is_compared_and_not_a_draft(checkout, invented_run) -> None:
    registry, run, _ = invented_run
    first = checkout.commit(differing(record(run, registry)), DATES[0])
    checkout.path.write_text(dump(record(run, registry)))  # accepted, and not committed yet
    found = changes_since(run, checkout.path)
    assert found.origin == Origin("spec/standings.json", first, "2026-01-02T03:04:05Z") or (
        found.origin == Origin("spec/standings.json", first, DATES[0])
    )
    check_differences(found)
    second = checkout.commit(record(run, registry), DATES[1])
    found = changes_since(run, checkout.path)
    assert found.nothing
    assert found.origin.commit == second
    assert found.origin.date.startswith("2026-02-03T04:05:06")


def test_an_older_snapshot_by_revision_or_by_file(checkout, invented_run, tmp_path) -> None:
    registry, run, _ = invented_run
    first = checkout.commit(differing(record(run, registry)), DATES[0])
    checkout.commit(record(run, registry), DATES[1])
    for revision in (first, first[:10], "HEAD~1", "HEAD^"):
        found = changes_since(run, checkout.path, revision)
        assert found.origin.commit == first
        assert found.origin.date.startswith("2026-01-02T03:04:05")
        check_differences(found)
    assert changes_since(run, checkout.path, "HEAD").nothing
    kept = tmp_path / "kept.json"
    kept.write_text(dump(differing(record(run, registry))))
    found = changes_since(run, checkout.path, str(kept))
    assert found.origin == Origin(str(kept))
    check_differences(found)


def test_without_history_the_file_is_compared_and_its_date_is_unknown(tmp_path, invented_run) -> None:
    registry, run, _ = invented_run
    path = tmp_path / "spec" / "standings.json"
    found = changes_since(run, path)
    assert "no snapshot has been accepted yet" in found.origin.problem
    assert not found.nothing
    path.parent.mkdir()
    path.write_text(dump(record(run, registry)))
    found = changes_since(run, path)
    assert found.nothing
    assert found.origin == Origin("spec/standings.json")
    path.write_text("{")
    assert "is not a snapshot" in changes_since(run, path).origin.problem


@pytest.mark.parametrize(
    ("since", "problem"),
    [
        ("no-such-branch", "'no-such-branch' is neither a file nor a revision"),
        ("--help", "'--help' is neither a file nor a revision"),
        ("", "'' is neither a file nor a revision"),
        (".", "'.' is neither a file nor a revision"),
        ("HEAD~1", "revision 'HEAD~1' holds no spec/standings.json"),
        ("broken.json", "broken.json is not a snapshot of standings"),
        ("bytes.json", "bytes.json cannot be read"),
        ("ledger.json", "ledger.json is not a snapshot of standings"),
    ],
)
def test_what_is_no_snapshot_is_refused(checkout, invented_run, monkeypatch, since, problem) -> None:
    registry, run, _ = invented_run
    checkout.git("commit", "-q", "--allow-empty", "-m", "Nothing")
    checkout.commit(record(run, registry), DATES[1])
    (checkout.root / "broken.json").write_text("{")
    (checkout.root / "bytes.json").write_bytes(b"\xff\xfe\x00")
    (checkout.root / "ledger.json").write_text(dump(run.to_json()))
    monkeypatch.chdir(checkout.root)
    with pytest.raises(SnapshotError) as raised:
        changes_since(run, checkout.path, since)
    assert problem in str(raised.value)


def page(invented_run, found) -> str:
    _, run, described = invented_run
    titles = {"wishart": "One", "near-optimal": "Two"}
    return render(described, run, titles, (), changes=found)


def test_the_page_names_every_difference(invented_run) -> None:
    registry, run, _ = invented_run
    before = read_snapshot(json.dumps(differing(record(run, registry))), "x")
    text = page(invented_run, changes(run, before, Origin("spec/standings.json", "0123456789abcdef", DATES[0])))
    section = text[text.index('id="changes"') : text.index("<section aria-labelledby")]
    for part in (
        "commit <code>0123456789ab</code> of 2026-01-02",
        "Claims that changed: 4",
        '<a href="#wishart.theorem-4">wishart.theorem-4</a>',
        "verdict: holds &rarr; refuted",
        "text (fingerprint): 00000000 &rarr; ",
        "region: d &lt;= 3 &rarr; everywhere",
        "audit/test_gone.py::test_it",
        "New claims: 1",
        "Claims that are gone: 1",
        "wishart.withdrawn",
        "not recorded",
    ):
        assert part in section, part
    assert 'href="#wishart.withdrawn"' not in section
    assert "Nothing changed" not in section


def test_the_page_says_that_nothing_changed(invented_run) -> None:
    registry, run, _ = invented_run
    before = read_snapshot(json.dumps(record(run, registry)), "x")
    text = page(invented_run, changes(run, before, Origin("spec/standings.json")))
    assert "<strong>Nothing changed</strong>" in text
    assert "whose commit and date are not known" in text
    assert "on the same evidence" in text
    assert "Claims that changed" not in text
    assert 'id="changes"' not in page(invented_run, None)


def test_the_page_says_what_it_cannot_compare(invented_run) -> None:
    registry, run, _ = invented_run
    old = {claim: {**entry} for claim, entry in record(run, registry).items()}
    for entry in old.values():
        del entry["evidence"]
    text = page(invented_run, changes(run, read_snapshot(json.dumps(old), "x"), Origin("spec/standings.json")))
    assert f"does not say what evidence there was for {len(old)} claims" in text
    assert "on the same evidence" not in text
    text = page(invented_run, changes(run, {}, Origin("x", problem="there is <none>")))
    assert "Compared with nothing: there is &lt;none&gt;" in text
    assert "<strong>Nothing changed" not in text


def test_stamps_of_another_text_are_shown(invented_run) -> None:
    registry, run, _ = invented_run
    now = attrs.evolve(run, fingerprints={**run.fingerprints, "wishart.lemma-1": "22222222"})
    found = changes(now, read_snapshot(json.dumps(record(run, registry)), "x"), Origin("x"))
    text = page(invented_run, found)
    assert "Evidence that was written for another text of its claim: 2" in text
    assert "22222222" in text


def test_the_command_compares_and_writes_both_files(checkout, invented_run, monkeypatch) -> None:
    registry, run, _ = invented_run
    checkout.commit(differing(record(run, registry)), DATES[0])
    checkout.commit(record(run, registry), DATES[1])
    monkeypatch.chdir(checkout.root)
    monkeypatch.setattr(command_line, "STANDINGS", checkout.path)
    ledger = checkout.root / command_line.DEFAULT_LEDGER
    ledger.parent.mkdir(parents=True)
    ledger.write_text(dump(run.to_json()))

    def report(*arguments: str):
        return CliRunner().invoke(command_line.app, ["report", *arguments])

    assert "build/audit/report.html and build/audit/report.json" in report().stdout
    data = json.loads((ledger.parent / "report.json").read_text())
    assert data["changes"]["nothing"] is True
    assert data["summary"]["pieces_of_evidence"] == len(run.evidence)
    assert data["summary"]["test_items"] == len({item.node for item in run.evidence})
    assert {"findings", "certificates", "audits", "environment"} <= data.keys()

    report("--since", "HEAD~1", "--output", "other.html")
    data = json.loads(Path("other.json").read_text())
    changed = {entry["claim"]: entry for entry in data["changes"]["changed"]}
    assert changed.keys() == {"wishart.theorem-4", "wishart.theorem-3", "wishart.lemma-1", "wishart.lemma-2"}
    assert changed["wishart.theorem-4"]["fields"] == {"verdict": ["holds", "refuted"]}
    assert data["changes"]["since"]["commit"] == checkout.git("rev-parse", "HEAD~1")
    assert data["changes"]["new"].keys() == {"wishart.theorem-6"}
    assert "Claims that changed: 4" in Path("other.html").read_text()

    result = report("--since", "no-such-branch")
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith("SnapshotError: 'no-such-branch' is neither a file nor a revision")
    assert report("--output", "report.json").exit_code == 2
