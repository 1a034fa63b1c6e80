"""Figures of the page of benchmarks are those that the committed runs printed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from audit.by_name import pickles
from audit.published import PUBLISHED, Published
from audit.published.__main__ import head
from audit.published.auditors import OURS
from audit.published.low_bits import CONFIRMATION, LOW_BITS, TRAINING
from audit.published.tables import by_auditor, page_rows, read, tallies
from dpmatrix.documentation import pages
from tests.documentation.told_pages import page

RUNS = Path(__file__).resolve().parents[1] / "benchmarks"
PAGE = next(page.text for page in pages() if page.name == "benchmarks")
benchmarks = page("benchmarks")
SIEGE = "Delta-Siege"
METHODS = ("gaussian", "symmetrised-wishart", "sequential-ppca", "diffprivlib", "opendp")


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def printed() -> dict[tuple[str, str], list[str]]:
    """Return the lines of the run by case and method; a case is its name, number of columns and epsilon."""
    found = {}
    for line in (RUNS / "estimators_against_peers.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("| ") and not line.startswith("| data"):
            row = cells(line)
            *_, columns, epsilon = row[0].split(", ")
            found[f"{row[0].split(',')[0]}, {columns}, {epsilon}", row[1]] = row
    return found


def rows(section: str) -> dict[str, list[str]]:
    """Return the rows of the tables of a section that are about real records, by case."""
    text = PAGE.partition(f"## {section}\n")[2].partition("\n## ")[0]
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if re.match(r"\| (breast|insurance)", line):
            first, *rest = cells(line)
            name, columns, *_, epsilon = first.split(", ")
            found.setdefault(f"{name}, {columns}, {epsilon}", []).extend(rest)
    return found


def test_estimators_are_those_of_the_run() -> None:
    run, shown = printed(), rows("Two components in front of a classifier")
    assert len(shown) == 8
    for case, (random, *others) in shown.items():
        assert random == run[case, "random-projection"][4].split()[0]
        shares, (exact, *curves) = others[: len(METHODS)], others[len(METHODS) :]
        assert [share.split(",")[0] for share in shares] == [run[case, name][4].split()[0] for name in METHODS]
        assert [exact, *curves] == [run[case, name][5] for name in ("exact", "random-projection", *METHODS)]


ORTHOGONAL = "gaussian-orthogonal"
CHOICES = (
    "random-projection",
    "auto",
    "auto, delta",
    "symmetrised-wishart",
    "gaussian",
    "sequential-ppca",
    "diffprivlib",
    "opendp",
)


def choices() -> dict[tuple[str, str], tuple[str, str]]:
    """Return the share that a method captured in a case, and what was chosen; a dash where there is no share."""
    found = {}
    for line in (RUNS / "choices_against_peers.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("| ") and not line.startswith("| data"):
            case, method, _, _, share, _ = cells(line)
            name, taken, chosen = method.partition(": ")
            assert bool(taken) is name.startswith("auto")
            found[case, name] = (share.split()[0], chosen)
    return found


def test_choices_are_those_of_the_run() -> None:
    run = choices()
    text = PAGE.partition("## A mechanism that is chosen\n")[2].partition("\n## ")[0]
    table = [cells(line) for line in text.splitlines() if line.startswith("| ") and not line.startswith("| data")]
    assert len(table) == 16
    for first, *shares in table:
        name, d, n, epsilon = first.rsplit(", ", 3)
        case = f"{name}, {n.replace(',', '')}, {d}, {epsilon}"
        assert shares == [", ".join(filter(None, run[case, method])) for method in CHOICES]
        assert run[case, "exact"][0] == "1.000"
    share = {key: float(cell) for key, (cell, _) in run.items() if cell != "-"}
    for case in ("wine, 178, 13, 0.1", "wine, 178, 13, 1"):
        assert share[case, "symmetrised-wishart"] > share[case, "auto"]
    for case in ("wine, 178, 13, 0.1", "diabetes, 442, 10, 0.1"):
        assert share[case, "gaussian"] > share[case, "auto, delta"]
    taken = [case for (case, method), (_, name) in run.items() if method == "auto, delta" and name == ORTHOGONAL]
    assert all(share[case, "auto, delta"] >= share[case, "gaussian"] for case in taken if case.endswith(", 1"))
    assert sum(case.endswith(", 1") for case in taken) == 6


def test_auditors_are_those_of_the_run_and_everybody_saw_the_same() -> None:
    run = (RUNS / "auditors_compared.txt").read_text(encoding="utf-8")
    text = PAGE.partition("## Auditors\n")[2].partition("\n## ")[0]
    table = [cells(line) for line in text.splitlines() if re.match(r"\| (`dpmatrix|StatDP|DP-Aud)", line)]
    assert len(table) == 4
    tally = re.compile(
        r"^(whole output|summary), (.*): (\d+ of \d+) faulty ones refuted(?: \(dpmatrix of the same \d+: (\d+)\))?, "
        r"(\d+ of \d+) correct ones; ([\d.]+) s$",
        re.MULTILINE,
    )
    found = {(view, auditor): rest for view, auditor, *rest in tally.findall(run)}
    assert len(found) == 8
    for name, whole, summary, correct, seconds in table:
        auditor = "dpmatrix" if name.startswith("`") else name.split(":")[0]
        both = found["whole output", auditor], found["summary", auditor]
        for shown, (faulty, ours, *_) in zip((whole, summary), both, strict=True):
            assert shown == (f"{faulty} ({ours})" if ours else faulty)
        assert correct == ", ".join(row[2] for row in both)
        assert seconds == ", ".join(f"{row[3]} s" for row in both)


def test_counts_of_auditors_are_those_of_their_rows() -> None:
    """Each mechanism is asked about by all four under either view, or once where its output is one number."""
    run = (RUNS / "auditors_compared.txt").read_text(encoding="utf-8").partition("cpu s\n")[2]
    counted: dict[tuple[str, str, str], list[bool]] = {}
    for mechanism in re.split(r"\n(?=\S+ \((?:faulty|correct)\))", run.partition("\nwhole output,")[0]):
        kind = re.match(r"\S+ \((faulty|correct)\)", mechanism)
        parts = re.findall(r"^  (whole output|summary): .*\n((?:    .*(?:\n|$))+)", mechanism, re.MULTILINE)
        assert kind
        assert [view for view, _ in parts] in (["whole output", "summary"], ["whole output"])
        for view in ("whole output", "summary"):
            lines = dict(parts).get(view, dict(parts)["whole output"]).splitlines()
            said = dict(re.split(r"\s{2,}", line.strip(), maxsplit=1) for line in lines)
            assert len(said) == 4
            for auditor, words in said.items():
                if not words.startswith("not asked"):
                    counted.setdefault((view, auditor, kind[1]), []).append(words.startswith("violated"))
    tallies = re.findall(
        r"^(whole output|summary), (.*): (\d+) of (\d+) faulty .*?(\d+) of (\d+) correct", run, re.MULTILINE
    )
    assert len(tallies) == 8
    for view, auditor, *numbers in tallies:
        both = [counted[view, auditor, kind] for kind in ("faulty", "correct")]
        assert [int(number) for number in numbers] == [count for row in both for count in (sum(row), len(row))]


def test_published_mechanisms_are_those_of_the_run() -> None:
    """The run is about the mechanisms as they are now, its tallies are those of its rows, and so is the table."""
    run = (RUNS / "published_compared.txt").read_text(encoding="utf-8")
    answers = read(run, PUBLISHED)
    asked = [record for record in PUBLISHED if record.name in answers]
    faulty = [record for record in asked if not record.right]
    others = read((RUNS / "published_low_bits.txt").read_text(encoding="utf-8"), PUBLISHED)
    assert faulty == [record for record in PUBLISHED if not record.right and record.name not in others]
    lines = run.splitlines()
    for record in asked:
        assert head(record) in lines
    counted = tallies(PUBLISHED, answers)
    assert lines[-len(counted) :] == counted
    text = PAGE.partition("## Published mechanisms\n")[2].partition("\n## ")[0]
    first, _, *table = [line for line in text.splitlines() if line.startswith("|")]
    assert cells(first)[1:] == [name.replace("dpmatrix", "`dpmatrix.auditing`") for name in by_auditor(answers)]
    assert table == page_rows(PUBLISHED, answers)
    words = " ".join(text.split())
    assert f"{len(asked)} mechanisms" in words
    benchmarks.tells("published to test auditors with, {} of them faulty, re-implemented", len(faulty))
    found = {record.name: {name for name, row in answers[record.name].items() if row.detected} for record in faulty}
    missed = {name for name, finders in found.items() if not finders}
    alone = {name for name, finders in found.items() if finders == {"dpmatrix"}}
    theirs = {name for name, finders in found.items() if finders and "dpmatrix" not in finders}
    told = re.search(r"Ours missed (.*?), which StatDP found; ours alone found (.*?)\. Nobody found (.*?)\. ", words)
    assert told
    assert [set(re.findall("`(.*?)`", part)) for part in told.groups()] == [theirs, alone, missed]
    assert all("StatDP" in found[name] for name in theirs)
    assert not any(row.detected for record in asked if record.right for row in answers[record.name].values())
    longer = read((RUNS / "published_at_length.txt").read_text(encoding="utf-8"), PUBLISHED)
    again = {record.name for record in faulty if record.name in longer and longer[record.name]["dpmatrix"].detected}
    assert {record.name for record in faulty if record.name in longer} == missed | theirs
    part = re.search(r"ours found three of the eight that it had missed: (.*?) \(", words)
    assert part
    assert set(re.findall("`(.*?)`", part[1])) == again
    assert (len(again), len(missed | theirs)) == (3, 8)
    assert not any(
        longer[record.name]["dpmatrix"].detected for record in asked if record.right and record.name in longer
    )


def named(records: Iterable[Published]) -> set[str]:
    return {record.name for record in records}


def test_low_bits_sums_and_replays_are_those_of_the_run() -> None:
    """Everybody was asked about all of them, and the page says who sees low bits and who does not."""
    run = (RUNS / "published_low_bits.txt").read_text(encoding="utf-8")
    answers = read(run, PUBLISHED)
    asked = [record for record in PUBLISHED if record.name in answers]
    first = read((RUNS / "published_compared.txt").read_text(encoding="utf-8"), PUBLISHED)
    assert {record.name for record in PUBLISHED} - set(answers) == set(first)
    lines = run.splitlines()
    others = ["StatDP", "DP-Sniper", "DP-Auditorium, histogram"]
    for record in asked:
        assert head(record) in lines
        assert list(answers[record.name]) == [OURS, LOW_BITS, *others, SIEGE]
    counted = tallies(PUBLISHED, answers)
    assert lines[-len(counted) :] == counted
    text = PAGE.partition("## Low bits, sums, and what a replay finds\n")[2].partition("\n## ")[0]
    heads, _, *table = [line for line in text.splitlines() if line.startswith("|")]
    assert cells(heads)[1:] == ["`dpmatrix.auditing`", "`audit_representation`", *others, SIEGE]
    assert table == page_rows(PUBLISHED, answers)
    faulty = [record for record in asked if not record.right]
    benchmarks.tells("*Given to all:* {} more mechanisms of others, {} of them faulty", len(asked), len(faulty))
    benchmarks.tells("it had {} outputs on each input to choose an event and {} to confirm it", TRAINING, CONFIRMATION)
    low = [record for record in faulty if record.low_bits]
    rest = [record for record in faulty if not record.low_bits]
    found = {name: [record for record in faulty if answers[record.name][name].detected] for name in by_auditor(answers)}
    told = [record for record in faulty if answers[record.name][OURS].detected is not None]
    assert [record for record in told if record not in found[OURS]] == low == found[LOW_BITS]
    beside = [record for record in asked if record.low_bits and record.right]
    benchmarks.tells("It missed each of the {} faults that lie in low bits", len(low))
    benchmarks.tells(
        "`audit_representation` found each of the {} and refuted none of the {} right", len(low), len(beside)
    )
    assert not any(row.detected for record in asked if record.right for row in answers[record.name].values())
    silent = {record.name for record in asked if answers[record.name][OURS].detected is None}
    assert silent == {"dp-recorder/no-noise"}
    for name in others:
        assert not named(low) & named(found[name])
        assert answers["dp-recorder/no-noise"][name].detected is (None if name == "DP-Sniper" else True)
        strange = answers["dp-recorder/missing-number"][name]
        assert (strange.detected, strange.remark) == (None, "not asked: takes finite numbers")
        missed = {record.name for record in rest if answers[record.name][name].detected is False}
        assert missed == (set() if name == "DP-Sniper" else {"dp-recorder/mean-by-the-size"})
    seen = named(low) & named(found[SIEGE])
    stated = [record for record in low if record.name in seen and answers[record.name][SIEGE].epsilon > record.epsilon]
    benchmarks.tells("Delta-Siege found {} of the {}, {} of them at the stated claim", len(seen), len(low), len(stated))
    assert named(rest) <= named(found[SIEGE])
    benchmarks.tells("Delta-Siege found all {} of these faults", len(rest))
    closed = [record for record in asked if not pickles(record.mechanism)]
    benchmarks.tells("in {} of the {} repetitions were looked for in one process alone", len(closed), len(asked))


def test_what_was_asked_again_with_new_processes_is_told_with_every_change() -> None:
    again = read((RUNS / "published_again.txt").read_text(encoding="utf-8"), PUBLISHED)
    stored = {}
    for run in ("published_compared.txt", "published_low_bits.txt"):
        stored |= read((RUNS / run).read_text(encoding="utf-8"), PUBLISHED)
    assert {name: list(rows) for name, rows in again.items()} == {name: [OURS] for name in again}
    changed = {name for name, rows in again.items() if rows[OURS].detected is not stored[name][OURS].detected}
    benchmarks.tells("Of {} mechanisms of both sections that ours was asked about again", len(again))
    words = " ".join(PAGE.split())
    told = re.search(
        r"that ours was asked about again with new processes, (.*?) \(`tests/benchmarks/published_again", words
    )
    assert told
    assert set(re.findall("`(.*?)`", told[1])) == changed
    right = {record.name for record in PUBLISHED if record.right}
    assert not any(again[name][OURS].detected for name in right & set(again))
