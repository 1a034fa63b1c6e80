"""How well the auditor does on the zoo: detection, certified bound over truth, samples, time; and false alarms.

Run by `make bench` for a few specimens, or as a file for the whole table:
``python tests/benchmarks/test_zoo_detection.py [--seconds 60] [--repetitions 20] [name ...]``.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from concurrent.futures import Executor, ThreadPoolExecutor

import pytest
from attrs import evolve

from dpmatrix.auditing.zoo import Specimen, correct_specimens, faulty_specimens, specimen
from dpmatrix.auditing.zoo.trial import Budget, Finding, examine

CONFIDENT = Budget(training=12_000, confirmation=2**20, stages=6, tightness=0.9, seconds=60.0)
QUICK = Budget(training=300, confirmation=4000, stages=2, seconds=10.0)
WIDE = 9


def budget_for(creature: Specimen, seconds: float) -> Budget:
    """Take fewer outputs where they are large."""
    if creature.dimension < WIDE:
        return evolve(CONFIDENT, seconds=seconds)
    return evolve(
        CONFIDENT, training=CONFIDENT.training // 4, confirmation=CONFIDENT.confirmation // 4, seconds=seconds
    )


def number(value: float | None) -> str:
    return "-" if value is None or math.isnan(value) else f"{value:.3g}"


def row(finding: Finding) -> str:
    creature = finding.specimen
    truth = creature.truth()
    true = (number(truth.epsilon), number(truth.delta), "" if truth.exact else " (>=)") if truth else ("-", "-", "")
    verdict = "yes" if finding.violated else ("hidden" if creature.is_hidden else "NO")
    cells = (
        creature.name,
        f"d={creature.dimension}",
        f"{float(creature.epsilon):g}, {float(creature.delta):g}",
        f"{true[0]}, {true[1]}{true[2]}",
        verdict,
        f"{number(finding.epsilon)}, {number(finding.delta)}",
        number(finding.share_of_truth()),
        f"{finding.samples:,}",
        f"{finding.seconds:.1f}",
    )
    return "| " + " | ".join(cells) + " |"


def table_of_faults(creatures: tuple[Specimen, ...], seconds: float, executor: Executor) -> None:
    heads = (
        "| mechanism | size | claimed eps, delta | true eps, delta | detected | certified eps, delta | bound/truth |"
    )
    print(f"{heads} samples | s |\n|---|---|---|---|---|---|---|---|---|", flush=True)
    findings = []
    for place, creature in enumerate(creatures):
        findings.append(examine(creature, budget_for(creature, seconds), generator=place, executor=executor))
        print(row(findings[-1]), flush=True)
    demanded = [finding for finding in findings if finding.specimen.is_demanded()]
    shares = [
        finding.share_of_truth()
        for finding in demanded
        if (truth := finding.specimen.truth()) is not None and math.isfinite(truth.epsilon)
    ]
    print(f"\ndetected {sum(found.violated for found in demanded)} of {len(demanded)} that exceed the claim by a fifth")
    if shares:
        print(f"bound over finite true epsilon: least {min(shares):.2f}, {sum(share >= 0.8 for share in shares)} of "
              f"{len(shares)} at least 0.8")  # fmt: skip


def table_of_alarms(creatures: tuple[Specimen, ...], repetitions: int) -> None:
    print("\n| correct mechanism | false alarms | repetitions | s |\n|---|---|---|---|", flush=True)
    for creature in creatures:
        begin = time.perf_counter()
        alarms = sum(examine(creature, QUICK, generator=seed).violated for seed in range(repetitions))
        print(f"| {creature.name} | {alarms} | {repetitions} | {time.perf_counter() - begin:.1f} |", flush=True)


@pytest.mark.parametrize("name", ["rows-unclipped", "wishart-printed", "sparse-vector-4", "fixed-seed"])
def test_time_to_detect(benchmark, name: str) -> None:
    creature = specimen(name)
    budget = Budget(training=2000, confirmation=2**16, stages=5, tightness=0.0)
    finding = benchmark.pedantic(lambda: examine(creature, budget, generator=1), rounds=3)
    assert finding.violated


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="for each faulty mechanism")
    parser.add_argument("--repetitions", type=int, default=20, help="of each correct mechanism")
    parser.add_argument("--alarms", action="store_true", help="only count false alarms")
    parser.add_argument("names", nargs="*", help="faulty mechanisms; all without any")
    arguments = parser.parse_args()
    wanted = tuple(specimen(name) for name in arguments.names) or faulty_specimens()
    if not arguments.alarms:
        with ThreadPoolExecutor(os.cpu_count()) as executor:
            table_of_faults(wanted, arguments.seconds, executor)
    if not arguments.names:
        table_of_alarms(correct_specimens(), arguments.repetitions)
    return 0


if __name__ == "__main__":
    sys.exit(main())
