"""How well the auditor does on the suite of faulty mechanisms: detection, bound over truth, time; false alarms.

Measured is `audit_within` with its defaults, which is what ``dpmatrix audit`` and `audit_mechanism` run, on the pairs
of each specimen. Run by `make bench` for a few specimens, or as a file for the whole table:
``python -m tests.benchmarks.test_zoo_detection [--seconds 60] [--alarm-seconds 2] [--repetitions 100] [--workers 2]
[name ...]``. On a machine that does other work, ``--processor-time --workers 1`` gives every audit the seconds of one
processor.

Every audit is wrong with probability at most 1e-6. Those of the correct mechanisms are shorter, so that there can be
many of them; that they can see anything is shown by the same audits of the faulty ones.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from audit.zoo import Specimen, correct_specimens, faulty_specimens, specimen
from audit.zoo.trial import Allowance, Finding, examine

CONFIDENCE = 1e-6
ROUND = 10
Clock = Callable[[], float]


def number(value: float | None) -> str:
    return "-" if value is None or math.isnan(value) else f"{value:.3g}"


def row(finding: Finding) -> str:
    creature = finding.specimen
    truth, best = creature.truth(), creature.best_possible(finding.samples // 2, CONFIDENCE)
    true = (number(truth.epsilon), number(truth.delta), "" if truth.exact else " (>=)") if truth else ("-", "-", "")
    missed = "no verdict" if finding.no_verdict else ("hidden" if creature.is_hidden else "NO")
    verdict = "yes" if finding.violated else missed
    cells = (
        creature.name,
        f"d={creature.dimension}",
        f"{float(creature.epsilon):g}, {float(creature.delta):g}",
        f"{true[0]}, {true[1]}{true[2]}",
        verdict,
        f"{number(finding.epsilon)}, {number(finding.delta)}",
        number(finding.share_of_truth()),
        number(best / truth.epsilon if best is not None and truth is not None else None),
        f"{finding.samples:,}",
        f"{finding.seconds:.1f}",
        f"{finding.processor_seconds:.1f}",
        number(finding.density_epsilon or None),
    )
    return "| " + " | ".join(cells) + " |"


def table_of_faults(
    creatures: tuple[Specimen, ...], seconds: float, executor: Executor | None, workers: int, clock: Clock
) -> None:
    heads = (
        "| mechanism | size | claimed eps, delta | true eps, delta | detected | certified eps, delta | bound/truth |"
    )
    print(f"{heads} at best | samples | s | cpu s | by density |\n|{'---|' * 12}", flush=True)
    findings = []
    for place, creature in enumerate(creatures):
        allowance = Allowance(seconds=seconds, failure_probability=CONFIDENCE, clock=clock)
        findings.append(examine(creature, allowance, generator=place, executor=executor, workers=workers))
        print(row(findings[-1]), flush=True)
    demanded = [finding for finding in findings if finding.specimen.is_demanded()]
    shares = [
        finding.share_of_truth()
        for finding in demanded
        if (truth := finding.specimen.truth()) is not None and math.isfinite(truth.epsilon)
    ]
    print(f"\ndetected {sum(found.violated for found in demanded)} of {len(demanded)} that exceed the claim by a fifth")
    refused = [finding for finding in findings if finding.no_verdict]
    for finding in refused:
        print(f"no verdict on {finding.specimen.name}: {finding.no_verdict}")
    if shares:
        print("by density: what a density ratio certifies of epsilon without any outputs, where the density is known")
        print("at best: what no event could exceed but by luck of one in a hundred, with so many outputs; where known")
        print(f"bound over finite true epsilon: least {min(shares):.2f}, {sum(share >= 0.8 for share in shares)} of "
              f"{len(shares)} at least 0.8")  # fmt: skip


def alarms(name: str, seeds: range, seconds: float, processor_time: bool) -> tuple[int, int]:
    """Audit a mechanism again and again; return how often it was refuted, and how often there was no verdict."""
    clock = time.process_time if processor_time else time.monotonic
    allowance = Allowance(seconds=seconds, failure_probability=CONFIDENCE, clock=clock)
    findings = [examine(specimen(name), allowance, generator=seed) for seed in seeds]
    return sum(found.violated for found in findings), sum(bool(found.no_verdict) for found in findings)


def table_of_alarms(repetitions: int, workers: int, seconds: float, processor_time: bool) -> None:
    """Repeat in rounds over all mechanisms, so that a run that is broken off has seen all of them equally often."""
    names = [creature.name for creature in correct_specimens()]
    faulty = [creature.name for creature in faulty_specimens() if not creature.is_about_representation]
    totals, refusals = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    again = ([seconds], [processor_time])
    with ProcessPoolExecutor(workers) as executor:
        for start in range(0, repetitions, ROUND):
            seeds = range(start, min(repetitions, start + ROUND))
            rounds = executor.map(alarms, names, [seeds] * len(names), *(part * len(names) for part in again))
            for name, (refuted, refused) in zip(names, rounds, strict=True):
                totals[name] += refuted
                refusals[name] += refused
            print(f"{sum(totals.values())} false alarms in {len(names)} x {seeds.stop} audits", flush=True)
        control = executor.map(alarms, faulty, [range(1)] * len(faulty), *(part * len(faulty) for part in again))
        seen = sum(refuted for refuted, _ in control)
    print("\n| correct mechanism | false alarms | no verdict | repetitions |\n|---|---|---|---|")
    for name, refuted in totals.items():
        print(f"| {name} | {refuted} | {refusals[name]} | {repetitions} |")
    bound = CONFIDENCE * repetitions * len(names)
    print(f"\n{sum(totals.values())} false alarms; the probability of any is at most {bound:.2g}")
    print(f"control: the same audit, once each, refutes {seen} of {len(faulty)} faulty mechanisms", flush=True)


@pytest.mark.parametrize("name", ["rows-unclipped", "wishart-printed", "sparse-vector-4"])
def test_time_to_detect(benchmark, name: str) -> None:
    creature, allowance = specimen(name), Allowance(seconds=10.0, failure_probability=CONFIDENCE)
    finding = benchmark.pedantic(lambda: examine(creature, allowance, generator=1), rounds=3)
    assert finding.violated


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="for each faulty mechanism")
    parser.add_argument("--alarm-seconds", type=float, default=2.0, help="for each audit of a correct mechanism")
    parser.add_argument("--repetitions", type=int, default=100, help="of each correct mechanism; 0 for none")
    parser.add_argument("--workers", type=int, default=2, help="threads of one audit, or audits at a time")
    parser.add_argument("--processor-time", action="store_true", help="measure the seconds by the processor's clock")
    parser.add_argument("--alarms", action="store_true", help="only count false alarms")
    parser.add_argument("names", nargs="*", help="faulty mechanisms; all without any")
    arguments = parser.parse_args()
    wanted = tuple(specimen(name) for name in arguments.names) or faulty_specimens()
    if not arguments.alarms:
        clock = time.process_time if arguments.processor_time else time.monotonic
        # Threads, since targets are closures; one of them is this one.
        with ThreadPoolExecutor(arguments.workers) as pool:
            executor = pool if arguments.workers > 1 else None
            table_of_faults(wanted, arguments.seconds, executor, arguments.workers, clock)
    if not arguments.names and arguments.repetitions:
        table_of_alarms(arguments.repetitions, arguments.workers, arguments.alarm_seconds, arguments.processor_time)
    return 0


if __name__ == "__main__":
    sys.exit(main())
