"""How well the auditor does on the zoo: detection, certified bound over truth, samples, time; and false alarms.

Run by `make bench` for a few specimens, or as a file for the whole table:
``python tests/benchmarks/test_zoo_detection.py [--seconds 60] [--repetitions 1000] [--workers 2] [name ...]``.
On a machine that does other work, ``--processor-time --workers 1`` gives every fault the seconds of one processor.

Every audit is wrong with probability at most 1e-6. Those of the correct mechanisms are small, so that there can be many
of them; that they can see anything is shown by the same audits of the faulty ones.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor

import pytest
from attrs import evolve

from dpmatrix.auditing.zoo import Specimen, correct_specimens, faulty_specimens, specimen
from dpmatrix.auditing.zoo.trial import Budget, Finding, examine

CONFIDENT = Budget(training=12_000, confirmation=2**25, stages=12, tightness=0.92, seconds=60.0, chunk=2**14)
SMALL = Budget(training=150, confirmation=2000, stages=1, learned=False, replay=False)
WIDE = 9
FINISHING = 5.0
ROUND = 50


def budget_for(creature: Specimen, seconds: float) -> Budget:
    """Take fewer outputs where they are large, and keep some seconds for what is under way when the time is over."""
    share = 1 if creature.dimension < WIDE else 4
    return evolve(
        CONFIDENT,
        training=CONFIDENT.training // share,
        chunk=CONFIDENT.chunk // share,
        seconds=max(1.0, seconds - FINISHING),
    )


def number(value: float | None) -> str:
    return "-" if value is None or math.isnan(value) else f"{value:.3g}"


def row(finding: Finding) -> str:
    creature = finding.specimen
    truth, best = creature.truth(), creature.best_possible(finding.samples // 2, CONFIDENT.failure_probability)
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
        number(best / truth.epsilon if best is not None and truth is not None else None),
        f"{finding.samples:,}",
        f"{finding.seconds:.1f}",
        f"{finding.processor_seconds:.1f}",
        number(finding.density_epsilon or None),
    )
    return "| " + " | ".join(cells) + " |"


def table_of_faults(
    creatures: tuple[Specimen, ...], seconds: float, executor: Executor, clock: Callable[[], float]
) -> None:
    heads = (
        "| mechanism | size | claimed eps, delta | true eps, delta | detected | certified eps, delta | bound/truth |"
    )
    print(f"{heads} at best | samples | s | cpu s | by density |\n|{'---|' * 12}", flush=True)
    findings = []
    for place, creature in enumerate(creatures):
        budget = evolve(budget_for(creature, seconds), clock=clock)
        findings.append(examine(creature, budget, generator=place, executor=executor))
        print(row(findings[-1]), flush=True)
    demanded = [finding for finding in findings if finding.specimen.is_demanded()]
    shares = [
        finding.share_of_truth()
        for finding in demanded
        if (truth := finding.specimen.truth()) is not None and math.isfinite(truth.epsilon)
    ]
    print(f"\ndetected {sum(found.violated for found in demanded)} of {len(demanded)} that exceed the claim by a fifth")
    if shares:
        print("by density: what a density ratio certifies of epsilon without any outputs, where the density is known")
        print("at best: what no event could exceed but by luck of one in a hundred, with so many outputs; where known")
        print(f"bound over finite true epsilon: least {min(shares):.2f}, {sum(share >= 0.8 for share in shares)} of "
              f"{len(shares)} at least 0.8")  # fmt: skip


def alarms(name: str, seeds: range) -> int:
    """Audit a mechanism again and again, on its pairs in turn; return how often it was refuted."""
    creature = specimen(name)
    pairs = creature.pairs()
    return sum(examine(creature, SMALL, generator=seed, pairs=[pairs[seed % len(pairs)]]).violated for seed in seeds)


def table_of_alarms(repetitions: int, workers: int) -> None:
    """Repeat in rounds over all mechanisms, so that a run that is broken off has seen all of them equally often."""
    names = [creature.name for creature in correct_specimens()]
    faulty = [creature.name for creature in faulty_specimens() if not creature.is_about_representation]
    totals = dict.fromkeys(names, 0)
    with ProcessPoolExecutor(workers) as executor:
        for start in range(0, repetitions, ROUND):
            seeds = range(start, min(repetitions, start + ROUND))
            for name, refuted in zip(names, executor.map(alarms, names, [seeds] * len(names)), strict=True):
                totals[name] += refuted
            print(f"{sum(totals.values())} false alarms in {len(names)} x {seeds.stop} audits", flush=True)
        seen = sum(executor.map(alarms, faulty, [range(1)] * len(faulty)))
    print("\n| correct mechanism | false alarms | repetitions |\n|---|---|---|")
    for name, refuted in totals.items():
        print(f"| {name} | {refuted} | {repetitions} |")
    bound = float(SMALL.failure_probability) * repetitions * len(names)
    print(f"\n{sum(totals.values())} false alarms; the probability of any is at most {bound:.2g}")
    print(f"control: the same audit, once each, refutes {seen} of {len(faulty)} faulty mechanisms", flush=True)


@pytest.mark.parametrize("name", ["rows-unclipped", "wishart-printed", "sparse-vector-4", "fixed-seed"])
def test_time_to_detect(benchmark, name: str) -> None:
    creature = specimen(name)
    budget = Budget(training=2000, confirmation=2**16, stages=5, tightness=0.0)
    finding = benchmark.pedantic(lambda: examine(creature, budget, generator=1), rounds=3)
    assert finding.violated


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="for each faulty mechanism")
    parser.add_argument("--repetitions", type=int, default=1000, help="of each correct mechanism; 0 for none")
    parser.add_argument("--workers", type=int, default=2, help="threads of one audit, or audits at a time")
    parser.add_argument("--processor-time", action="store_true", help="measure the seconds by the processor's clock")
    parser.add_argument("--alarms", action="store_true", help="only count false alarms")
    parser.add_argument("names", nargs="*", help="faulty mechanisms; all without any")
    arguments = parser.parse_args()
    wanted = tuple(specimen(name) for name in arguments.names) or faulty_specimens()
    if not arguments.alarms:
        with ThreadPoolExecutor(arguments.workers) as executor:
            clock = time.process_time if arguments.processor_time else time.monotonic
            table_of_faults(wanted, arguments.seconds, executor, clock)
    if not arguments.names and arguments.repetitions:
        table_of_alarms(arguments.repetitions, arguments.workers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
