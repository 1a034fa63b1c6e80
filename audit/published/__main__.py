"""Run every auditor that is installed on every published mechanism, and print what came of it.

    python -m audit.published [--list] [--seconds S] [--only NAME ...] [--ours]

How the others are installed stands in `audit/peers/compare_auditors.py`; DP-Sniper needs torch and tensorboard as well,
and its repository on the path. An auditor that is not importable is left out, with a word about it.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterable, Mapping

from audit.peers.other_auditors import Row
from audit.published import PUBLISHED, Published
from audit.published.auditors import ALPHA, OTHERS, OURS, SECONDS, ask_other, ask_ours, installed, warm_up

WIDTHS = (30, 11, 10, 10, 9, 10)


def number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4g}"


def head(record: Published) -> str:
    """Return what is known of a record."""
    truth = record.truth()
    sign = "" if truth.exact else ">= "
    kind = f"faulty: {record.fault}" if record.fault else "right"
    claim = f"claimed ({record.epsilon:.4g}, {record.delta:g}), true epsilon {sign}{truth.epsilon:.4g}"
    return f"{record.name}; {claim}; {kind}"


def line(cells: Iterable[str]) -> str:
    return "".join(cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=False)).rstrip()


def answer(name: str, row: Row, outputs: int | None) -> str:
    """Return the line of one auditor."""
    if row.detected is None:
        return line((f"  {name}", row.remark))
    verdict = "refuted" if row.detected else "passed"
    count = "-" if outputs is None else str(outputs)
    return line((f"  {name}", verdict, number(row.epsilon), number(row.delta), f"{row.seconds:.1f}", count))


def tally(name: str, records: Iterable[Published], rows: Mapping[str, Row]) -> str:
    """Count what one auditor said of some records."""
    said = [(record, rows[record.name]) for record in records]
    asked = [(record, row) for record, row in said if row.detected is not None]
    faulty = [row for record, row in asked if not record.right]
    right = [row for record, row in asked if record.right]
    found, alarms = (sum(bool(row.detected) for row in some) for some in (faulty, right))
    seconds = sum(row.seconds for _, row in said if not math.isnan(row.seconds))
    return (
        f"{name}: {found} of {len(faulty)} faulty ones found, {len(faulty) - found} missed, "
        f"{alarms} of {len(right)} right ones refuted; {len(said) - len(asked)} without an answer; {seconds:.0f} s"
    )


def tallies(records: Iterable[Published], answers: Mapping[str, Mapping[str, Row]]) -> list[str]:
    """Count by auditor, in all and for each family."""
    records = list(records)
    families = list(dict.fromkeys(record.family for record in records))
    groups = [(family, [record for record in records if record.family == family]) for family in families]
    return [f"{group}, {tally(name, some, rows)}" for group, some in [*groups, ("all", records)]
            for name, rows in answers.items()]  # fmt: skip


def main(arguments: list[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="audit.published", description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="say what is known, and audit nothing")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of a processor, for each auditor and record")
    parser.add_argument("--only", nargs="*", help="names, or the beginnings of names")
    parser.add_argument("--ours", action="store_true", help="leave the others out")
    asked = parser.parse_args(arguments)
    records = [one for one in PUBLISHED if not asked.only or one.name.startswith(tuple(asked.only))]
    if asked.list:
        print("\n".join(map(head, records)))
        return 0
    others = [] if asked.ours else installed()
    for name in sorted(OTHERS.keys() - others):
        print(f"{name} is left out")
    warm_up(others, records[0])
    print(f"{asked.seconds:g} s of a processor for each auditor and mechanism, confidence 1 - {ALPHA:g}; epsilon and")
    print("delta: certified lower bounds; outputs: on all inputs together, in the last try of an auditor that is told")
    print(line(("", "verdict", "epsilon", "delta", "cpu s", "outputs")))
    answers: dict[str, dict[str, Row]] = {name: {} for name in (OURS, *others)}
    for record in records:
        print(head(record), flush=True)
        row, place = ask_ours(record, asked.seconds)
        answers[OURS][record.name] = row
        print(answer(OURS, row, None), flush=True)
        for name in others:
            row, outputs = ask_other(name, record, place, asked.seconds)
            answers[name][record.name] = row
            print(answer(name, row, outputs), flush=True)
    print("\n".join(tallies(records, answers)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
