"""Run every auditor that is installed on every published mechanism, and print what came of it.

    python -m audit.published [--list] [--seconds S] [--only NAME ...] [--ours] [--known FILE] [--page FILE]

How the others are installed stands in `audit/peers/compare_auditors.py`; DP-Sniper needs torch and tensorboard as well,
and its repository on the path. An auditor that is not importable is left out, with a word about it.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from pathlib import Path

from audit.published import PUBLISHED, Published
from audit.published.auditors import ALPHA, OTHERS, OURS, SECONDS, ask_other, ask_ours, installed, warm_up
from audit.published.tables import Answers, line, page_rows, read, tallies, told


def head(record: Published) -> str:
    """Return what is known of a record."""
    truth = record.truth()
    sign = "" if truth.exact else ">= "
    kind = f"faulty: {record.fault}" if record.fault else "right"
    claim = f"claimed ({record.epsilon:.4g}, {record.delta:g}), true epsilon {sign}{truth.epsilon:.4g}"
    return f"{record.name}; {claim}; {kind}"


def ask_all(record: Published, others: list[str], seconds: float) -> Answers:
    """Ask every auditor about a record, and print what each says."""
    ours = ask_ours(record, seconds)
    print(told(OURS, ours.row, ours.outputs), flush=True)
    rows = {OURS: ours.row}
    for name in others:
        answer = ask_other(name, record, ours.place, seconds)
        print(told(name, answer.row, answer.outputs), flush=True)
        rows[name] = answer.row
    return {record.name: rows}


def main(arguments: list[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="audit.published", description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="say what is known, and audit nothing")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of a processor, for each auditor and record")
    parser.add_argument("--only", nargs="*", help="names, or the beginnings of names")
    parser.add_argument("--ours", action="store_true", help="leave the others out")
    parser.add_argument("--known", type=Path, metavar="FILE", help="an earlier run, whose answers are not asked again")
    parser.add_argument("--page", type=Path, metavar="FILE", help="print the rows of the page from a run, and no more")
    asked = parser.parse_args(arguments)
    records = [one for one in PUBLISHED if not asked.only or one.name.startswith(tuple(asked.only))]
    if asked.list:
        print("\n".join(map(head, records)))
        return 0
    if asked.page is not None:
        print("\n".join(page_rows(records, read(asked.page.read_text(encoding="utf-8"), records))))
        return 0
    answers: Answers = {} if asked.known is None else read(asked.known.read_text(encoding="utf-8"), records)
    others = [] if asked.ours else installed()
    for name in sorted(OTHERS.keys() - others):
        print(f"{name} is left out")
    warm_up(others, records[0])
    print(f"{asked.seconds:g} s of a processor for each auditor and mechanism, confidence 1 - {ALPHA:g}; epsilon and")
    print("delta: certified lower bounds; outputs: on all inputs together, in the last try")
    print(line(("", "verdict", "epsilon", "delta", "cpu s", "outputs")))
    # A digest of the name mixes families, and right ones with faulty ones: a part of the run is a sample of the whole.
    for record in sorted(records, key=lambda record: hashlib.sha256(record.name.encode()).digest()):
        if record.name not in answers:
            print(head(record), flush=True)
            answers |= ask_all(record, others, asked.seconds)
    print("\n".join(tallies(records, answers)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
