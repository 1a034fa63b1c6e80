"""What a run printed, read back, counted, and made into the table of the documentation."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence

from audit.peers.other_auditors import Row
from audit.published.record import Published

Answers = dict[str, dict[str, Row]]
"""By name of the mechanism and name of the auditor."""
WIDTHS = (30, 11, 10, 10, 9, 10, 80)
_NUMBER = r"(-|inf|[\d.e+-]+)"
_ANSWER = re.compile(rf"  (\S.*?)\s+(refuted|passed)\s+{_NUMBER}\s+{_NUMBER}\s+([\d.]+)\s+\d+(?:\s+(\S.*))?")
_SILENCE = re.compile(r"  (\S.*?)\s+((?:not asked|no verdict): .*)")


def number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4g}"


def line(cells: Iterable[str]) -> str:
    """Return cells in columns, with a blank after one that is too wide."""
    padded = (cell.ljust(width - 1) + " " for cell, width in zip(cells, WIDTHS, strict=False))
    return "".join(padded).rstrip()


def told(name: str, row: Row, outputs: int | None) -> str:
    """Return the line of one auditor."""
    if row.detected is None:
        return line((f"  {name}", row.remark))
    verdict = "refuted" if row.detected else "passed"
    numbers = (number(row.epsilon), number(row.delta), f"{row.seconds:.1f}", str(outputs))
    return line((f"  {name}", verdict, *numbers, row.remark))


def read(text: str, records: Sequence[Published]) -> Answers:
    """Return what runs said of records; a run that was broken off may lack some of the auditors."""
    known = {record.name for record in records}
    found: Answers = {}
    rows: dict[str, Row] = {}
    for words in text.splitlines():
        name, head, _ = words.partition("; claimed ")
        if head:
            # What is said of others than these is let go.
            rows = found.setdefault(name, {}) if name in known else {}
        elif match := _ANSWER.fullmatch(words):
            auditor, verdict, epsilon, delta, seconds, remark = match.groups()
            first, second = (math.nan if bound == "-" else float(bound) for bound in (epsilon, delta))
            rows[auditor] = Row(verdict == "refuted", first, second, float(seconds), remark or "")
        elif match := _SILENCE.fullmatch(words):
            rows[match[1]] = Row(None, math.nan, math.nan, math.nan, match[2])
    return found


def counts(records: Iterable[Published], rows: Mapping[str, Row]) -> tuple[tuple[int, int], tuple[int, int], int]:
    """Count what one auditor said of some records.

    Returns the faulty ones found and asked about, the right ones refuted and asked about, and those without an answer.
    About some an auditor may not have been asked.
    """
    found = {True: [0, 0], False: [0, 0]}
    silent = 0
    for row, record in ((rows[record.name], record) for record in records if record.name in rows):
        if row.detected is None:
            silent += 1
            continue
        found[record.right][0] += row.detected
        found[record.right][1] += 1
    (refuted, right), (caught, faulty) = found[True], found[False]
    return (caught, faulty), (refuted, right), silent


def tally(name: str, records: Sequence[Published], rows: Mapping[str, Row]) -> str:
    """Say what one auditor said of some records."""
    (caught, faulty), (refuted, right), silent = counts(records, rows)
    times = [rows[record.name].seconds for record in records if record.name in rows]
    seconds = sum(time for time in times if not math.isnan(time))
    return (
        f"{name}: {caught} of {faulty} faulty ones found, {faulty - caught} missed, "
        f"{refuted} of {right} right ones refuted; {silent} without an answer; {seconds:.0f} s"
    )


def groups(records: Iterable[Published]) -> list[tuple[str, list[Published]]]:
    """Return the records of each family, and all of them."""
    records = list(records)
    families = dict.fromkeys(record.family for record in records)
    return [*((one, [record for record in records if record.family == one]) for one in families), ("all", records)]


def by_auditor(answers: Answers) -> dict[str, dict[str, Row]]:
    """Return the answers by name of the auditor and name of the mechanism."""
    found: dict[str, dict[str, Row]] = {}
    for mechanism, rows in answers.items():
        for auditor, row in rows.items():
            found.setdefault(auditor, {})[mechanism] = row
    return found


def tallies(records: Iterable[Published], answers: Answers) -> list[str]:
    """Count by auditor, for each family and in all."""
    asked = [record for record in records if record.name in answers]
    rows = by_auditor(answers)
    return [f"{group}, {tally(auditor, some, said)}" for group, some in groups(asked) for auditor, said in rows.items()]


def page_rows(records: Iterable[Published], answers: Answers) -> list[str]:
    """Return the rows of the table of the documentation: a family each, and for each auditor what it found of what.

    A cell says how many faulty ones were found of those about which the auditor was asked, and how many right ones were
    refuted of those.
    """
    asked = [record for record in records if record.name in answers]
    rows = by_auditor(answers)
    lines = []
    for group, some in groups(asked):
        cells = []
        for said in rows.values():
            (caught, faulty), (refuted, right), _ = counts(some, said)
            cells.append(f"{caught} of {faulty}, {refuted} of {right}")
        lines.append(f"| {' | '.join([group, *cells])} |")
    seconds = [sum(row.seconds for row in said.values() if not math.isnan(row.seconds)) for said in rows.values()]
    return [*lines, f"| processor time | {' | '.join(f'{time:.0f} s' for time in seconds)} |"]
