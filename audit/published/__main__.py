"""Run every auditor that is installed on every published mechanism, and print what came of it.

    python -m audit.published [--seconds S] [--only NAME ...] [--auditors NAME ...] [--low-bits]
                              [--known FILE]

How the others are installed stands in `audit/peers/compare_auditors.py`. DP-Sniper needs torch and tensorboard as well,
and its repository on the path; Delta-Siege needs torch and optuna, its repository, and that of DP-Opt, which it imports
(barryZZJ/dp-opt, commit cc3bf7e). A run with TensorFlow beside torch crashed, so the hockey-stick tester wants an
environment of its own. An auditor that is not importable is left out, with a word about it.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from audit.peers.other_auditors import Row
from audit.published import PUBLISHED, Published
from audit.published.auditors import ALPHA, OTHERS, OURS, SECONDS, ask_other, ask_ours, installed, place_of, warm_up
from audit.published.low_bits import LOW_BITS, ask_low_bits
from audit.published.tables import Answers, line, page_rows, read, tallies, told

NOTHING = Row(None, math.nan, math.nan, math.nan)


def head(record: Published) -> str:
    """Return what is known of a record."""
    truth = record.truth()
    sign = "" if truth.exact else ">= "
    kind = f"faulty: {record.fault}" if record.fault else "right"
    claim = f"claimed ({record.epsilon:.4g}, {record.delta:g}), true epsilon {sign}{truth.epsilon:.4g}"
    return f"{record.name}; {claim}; {kind}"


def ask_missing(record: Published, wanted: Sequence[str], known: Mapping[str, Row], seconds: float) -> dict[str, Row]:
    """Ask those auditors that have not said anything of a record, and print what each says."""
    rows: dict[str, Row] = {}
    missing = [name for name in wanted if name not in known]
    if missing:
        print(head(record), flush=True)
    for name in missing:
        ours = {**known, **rows}.get(OURS, NOTHING)
        if name == LOW_BITS:
            found = ask_low_bits(record)
        elif name == OURS:
            found = ask_ours(record, seconds)
        else:
            found = ask_other(name, record, place_of(record, ours), seconds)
        print(told(name, found.row, found.outputs), flush=True)
        rows[name] = found.row
    return rows


def main(arguments: list[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="audit.published", description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="say what is known, and audit nothing")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of a processor, for each auditor and record")
    parser.add_argument("--only", nargs="*", help="names, or the beginnings of names")
    parser.add_argument("--auditors", nargs="*", help="names of auditors, or their beginnings")
    parser.add_argument("--low-bits", action="store_true", help="ask our audit of low bits as well, where these count")
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
    there = [OURS, *([LOW_BITS] if asked.low_bits else []), *installed()]
    for name in sorted(OTHERS.keys() - there):
        print(f"{name} is not installed")
    wanted = [name for name in there if not asked.auditors or name.startswith(tuple(asked.auditors))]
    warm_up([name for name in wanted if name != LOW_BITS], records[0])
    print(f"{asked.seconds:g} s of a processor for each auditor and mechanism, confidence 1 - {ALPHA:g}; epsilon and")
    print("delta: certified lower bounds; outputs: on all inputs together, in the last try")
    print(line(("", "verdict", "epsilon", "delta", "cpu s", "outputs", "pair of ours")))
    # A digest of the name mixes families, and right ones with faulty ones: a part of the run is a sample of the whole.
    for record in sorted(records, key=lambda record: hashlib.sha256(record.name.encode()).digest()):
        said = answers.setdefault(record.name, {})
        said |= ask_missing(record, wanted, said, asked.seconds)
    print("\n".join(tallies(records, answers)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
