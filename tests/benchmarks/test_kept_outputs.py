"""How often an audit raises a false alarm where outputs repeat: honestly, seeded, cached, or handed out several times.

Measured is `audit_mechanism`, which is the audit of the command, at a claimed failure probability of 1e-6, on
mechanisms that would keep their claim if their outputs were independent. Run as a file for the whole table:

    python -m tests.benchmarks.test_kept_outputs [--audits 30] [--seconds 1] [--workers N] [name ...]

With ``--workers`` the samples are drawn in so many processes of their own, started for each audit, as the command does.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections import Counter
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction

import pytest

from dpmatrix.auditing import audit_mechanism
from dpmatrix.auditing.assertion import PrivacyViolationError
from dpmatrix.auditing.certify.confidence import upper_confidence_bound
from dpmatrix.errors import NoVerdictError
from dpmatrix.privacy import Adjacency
from tests.benchmarks.kept_outputs import KEEPERS, Keeper, forget

NOT_COVERED = 0.05
OUTCOMES = ("false alarm", "no verdict", "passed")
Outcome = tuple[str, str]


def _processes(workers: int) -> AbstractContextManager[Executor | None]:
    if not workers:
        return nullcontext()
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))


def outcome(keeper: Keeper, seconds: float, workers: int, generator: int) -> Outcome:
    """Audit once, from a state that nothing was drawn from; return the outcome and its reason, if there is one."""
    forget()
    try:
        with _processes(workers) as executor:
            audit_mechanism(
                keeper.mechanism,
                epsilon=1,
                adjacency=Adjacency.REPLACE_ONE,
                records=3,
                dimension=1,
                seconds=seconds,
                clock=time.monotonic if workers else time.process_time,
                failure_probability=Fraction(1, 10**6),
                executor=executor,
                workers=max(1, workers),
                generator=generator,
            )
    except PrivacyViolationError:
        return "false alarm", ""
    except NoVerdictError as error:
        return "no verdict", str(error)
    return "passed", ""


def main(arguments: list[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="tests.benchmarks.test_kept_outputs")
    parser.add_argument("--audits", type=int, default=30, help="of each mechanism")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each audit")
    parser.add_argument("--workers", type=int, default=0, help="processes that draw; 0 is the calling one")
    parser.add_argument("names", nargs="*", choices=[[], *KEEPERS], help="of mechanisms; all if none")
    asked = parser.parse_args(arguments)
    print(f"| mechanism | outputs | audits | {' | '.join(OUTCOMES)} |\n|{'---|' * 6}", flush=True)
    total: Counter[str] = Counter()
    reasons: list[str] = []
    for name in asked.names or KEEPERS:
        keeper = KEEPERS[name]
        outcomes = [outcome(keeper, asked.seconds, asked.workers, seed) for seed in range(asked.audits)]
        found = Counter(word for word, _ in outcomes)
        said = Counter(reason for _, reason in outcomes if reason)
        reasons += [f"{name}, {times} of {asked.audits}: {reason}" for reason, times in said.items()]
        total += found
        kind = "independent" if keeper.independent else "not independent"
        counts = " | ".join(str(found[word]) for word in OUTCOMES)
        print(f"| {name} | {kind} | {asked.audits} | {counts} |", flush=True)
    audits, alarms = sum(total.values()), total["false alarm"]
    print("", *reasons, sep="\n")
    most = upper_confidence_bound(alarms, audits, NOT_COVERED)
    print(f"\n{alarms} false alarms in {audits} audits; at 95 % the rate is below {most:.2g}")
    return 0


@pytest.mark.parametrize("name", ["randomised_response", "cached"])
def test_no_alarm_where_outputs_repeat(name: str) -> None:
    keeper = KEEPERS[name]
    assert outcome(keeper, 1.0, 0, 1)[0] == ("passed" if keeper.independent else "no verdict")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
