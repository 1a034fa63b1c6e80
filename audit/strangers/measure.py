"""Audit every stranger as its user would, with the claim and nothing else, and say what came of it.

    python -m audit.strangers.measure --results FILE [--table FILE] [--later] [--until HH:MM] [--only NAME ...]

Each mechanism is handed to `dpmatrix audit` by its name, one at a time, in an order that has nothing to do with what
they are, so that a part of the run is a sample of the whole. Each result is a line of the results file. What stands
there of the same function with the same claim is not measured again, unless other work left it too little of the
processors to mean anything; such results count as starved, and are measured again after all others.
"""

from __future__ import annotations

import argparse
import hashlib
import inspect
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from audit.strangers import STRANGERS, Stranger
from audit.strangers.later import LATER

ROOT = Path(__file__).resolve().parents[2]
WORDS = {(True, 0): "passed", (True, 1): "false alarm", (False, 0): "missed", (False, 1): "found"}
ORDER = ["found", "missed", "no verdict", "passed", "false alarm", "starved"]
BUDGET, FAIR_SHARE = 60.0, 30.0  # seconds on the wall, which are the command's default, and of processors


@frozen
class Measured:
    """What the command said of one mechanism, and what it took: seconds on the wall and of processors."""

    name: str
    source: str
    outcome: str
    seconds: float
    processor_seconds: float
    epsilon_bound: float | None
    confirmation: int | None
    reason: str

    @property
    def starved(self) -> bool:
        """Whether all the time went by with few processor seconds, and nothing was refuted in them."""
        refuted = self.outcome in ("found", "false alarm")
        return not refuted and self.seconds >= BUDGET and self.processor_seconds < FAIR_SHARE

    @property
    def word(self) -> str:
        """The outcome, as far as it means anything."""
        return "starved" if self.starved else self.outcome


def source_of(stranger: Stranger) -> str:
    """Return a digest of the function and its claim, by which a result is known to be of them."""
    claim = f"{stranger.epsilon} {stranger.delta} {stranger.adjacency.value}"
    return hashlib.sha256((inspect.getsource(stranger.mechanism) + claim).encode()).hexdigest()[:12]


def command(stranger: Stranger, record: Path) -> list[str]:
    """Return the call of the command: the claim, a file for the result, and every default."""
    claim = ["--epsilon", f"{stranger.epsilon:g}", "--delta", f"{stranger.delta:g}"]
    relation = ["--adjacency", stranger.adjacency.value]
    return [sys.executable, "-m", "dpmatrix", "audit", stranger.place, *claim, *relation, "--json", str(record)]


def measure(stranger: Stranger) -> Measured:
    """Run the command in a folder of its own, and read its exit code and its file."""
    places = [str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(place for place in places if place)}
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "result.json"
        begin, used = time.monotonic(), processor_seconds()
        done = subprocess.run(
            command(stranger, record), cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        seconds, used = time.monotonic() - begin, processor_seconds() - used
        found: dict[str, Any] = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    # A traceback has the exit code of a violation, but leaves no file.
    code = done.returncode if found else 2
    said = [line for line in done.stderr.splitlines() if line.strip()]
    return Measured(
        name=stranger.name,
        source=source_of(stranger),
        outcome=WORDS.get((stranger.right, code), "no verdict"),
        seconds=round(seconds, 1),
        processor_seconds=round(used, 1),
        epsilon_bound=found.get("epsilon_lower_bound"),
        confirmation=found["counts"]["trials"] if found else None,
        reason=said[-1] if code == 2 and said else "",
    )


def processor_seconds() -> float:
    """Return the processor time of all processes that were started here and are over."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def known(results: Path, strangers: Sequence[Stranger] = STRANGERS) -> dict[str, Measured]:
    """Return the results of functions and claims as they are now."""
    lines = results.read_text(encoding="utf-8").splitlines() if results.exists() else []
    found = [Measured(**json.loads(line)) for line in lines]
    sources = {stranger.name: source_of(stranger) for stranger in strangers}
    return {result.name: result for result in found if sources.get(result.name) == result.source}


def summary(results: dict[str, Measured], strangers: Sequence[Stranger] = STRANGERS) -> str:
    """Return the counts in a line."""
    outcomes = [result.word for result in results.values()]
    counts = ", ".join(f"{outcomes.count(word)} {word}" for word in ORDER)
    return f"{counts}; {len(strangers) - len(outcomes)} of {len(strangers)} not measured"


def table(results: dict[str, Measured], strangers: Sequence[Stranger] = STRANGERS) -> str:
    """Return the table of what was measured, in the order of the list."""
    place = "audit/strangers" if strangers is STRANGERS else "audit/strangers/later"
    lines = [
        f"Mechanisms of `{place}`, written without a look at the auditor, audited by `dpmatrix audit` with its",
        "defaults: 60 s, two processes, confidence 1 - 1e-6, 20 records of length 3. Bound: the epsilon certified.",
        "Outputs: those that count for the verdict, on one side. Other work on the machine takes its part of cpu s.",
        "",
        f"    {summary(results, strangers)}",
        "",
        "| mechanism | claim | relation | true eps | outcome | bound | outputs | s | cpu s |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    reasons = []
    for stranger in strangers:
        if (result := results.get(stranger.name)) is None:
            continue
        bound = "-" if result.epsilon_bound is None else f"{result.epsilon_bound:.3g}"
        name = stranger.place.removeprefix("audit.strangers.")
        cells = [name, f"{stranger.epsilon:g}, {stranger.delta:g}", stranger.adjacency.value, stranger.true_epsilon]
        cells += [result.word, bound, str(result.confirmation or "-")]
        cells += [f"{result.seconds:.0f}", f"{result.processor_seconds:.0f}"]
        lines.append(f"| {' | '.join(cells)} |")
        reasons += [f"{name}: {text}" for text in (result.reason, stranger.note) if text]
    return "\n".join([*lines, "", *reasons]) + "\n"


def main() -> None:
    """Measure what is not known yet, and print one line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, required=True, help="one line for each result; read and added to")
    parser.add_argument("--table", type=Path, help="write the table of all results there are")
    parser.add_argument("--later", action="store_true", help="the second set")
    parser.add_argument("--until", help="HH:MM in UTC, today, after which no audit begins")
    parser.add_argument("--only", nargs="*", help="names of the mechanisms to measure")
    asked = parser.parse_args()
    strangers = LATER if asked.later else STRANGERS
    results = known(asked.results, strangers)
    # A digest of the name mixes modules, and right ones with faulty ones.
    mixed = sorted(strangers, key=lambda stranger: hashlib.sha256(stranger.name.encode()).digest())
    again = {name for name, result in results.items() if result.starved}
    for stranger in sorted(mixed, key=lambda stranger: stranger.name in again):
        if asked.until is not None and time.strftime("%H:%M", time.gmtime()) >= asked.until:
            break
        done = stranger.name in results and stranger.name not in again
        if done or (asked.only and stranger.name not in asked.only):
            continue
        result = measure(stranger)
        with asked.results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(result)) + "\n")
        results[stranger.name] = result
        print(f"{result.word:12} {result.seconds:6.1f} s  {stranger.place}  {result.reason}", flush=True)
        if asked.table is not None:
            asked.table.write_text(table(results, strangers), encoding="utf-8")
    if asked.table is not None:
        asked.table.write_text(table(results, strangers), encoding="utf-8")
    print(summary(results, strangers))


if __name__ == "__main__":
    main()
