"""Samples drawn in parallel: the same samples, hence the same result, whoever draws them."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from attrs import frozen

from dpmatrix.auditing import AuditPlan, AuditResult, Target, audit, from_single_draw, neighbouring_pairs
from dpmatrix.auditing.targets.sampling import Sampler, generator_for
from dpmatrix.privacy.adjacency import Adjacency

PAIRS = neighbouring_pairs(2, 2, Adjacency.REPLACE_ONE)[:3]


def _one_draw(data: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    noise = generator.geometric(0.5, size=(2, 2)) - generator.geometric(0.5, size=(2, 2))
    return data.T @ data + np.tril(noise) + np.tril(noise, -1).T


@frozen
class Laplace:
    """Laplace noise, picklable."""

    scale: float

    def __call__(self, data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        """Draw a batch."""
        return np.rint(2**20 * (np.sum(data[:, 0]) + generator.laplace(scale=self.scale, size=size))) / 2**20


def run(target: Target, executor: Executor | None, *, workers: int = 2, learned: bool = False) -> AuditResult:
    plan = AuditPlan(stages=3, chunk=256, executor=executor, workers=workers, learned=learned)
    return audit(target, PAIRS, epsilon=1, training=300, confirmation=3000, generator=1, plan=plan)


@pytest.fixture(params=["processes", "threads"])
def executor(request) -> Iterator[Executor]:
    kind = {"processes": ProcessPoolExecutor, "threads": ThreadPoolExecutor}[request.param]
    with kind(max_workers=2) as pool:
        yield pool


@pytest.mark.parametrize("target", [Laplace(0.2), from_single_draw(_one_draw)], ids=["batches", "single draws"])
def test_the_result_does_not_depend_on_the_executor(executor: Executor, target: Target) -> None:
    alone = run(target, None)
    for workers in (1, 3):
        together = run(target, executor, workers=workers)
        assert (together.event, together.looks) == (alone.event, alone.looks)
        assert together.violated is alone.violated


def test_learned_events_travel_to_processes(executor: Executor) -> None:
    alone, together = (run(Laplace(0.2), pool, learned=True) for pool in (None, executor))
    assert together.looks == alone.looks
    assert together.violated


def test_every_chunk_has_noise_of_its_own() -> None:
    """Equal chunks, sides, pairs or stages would repeat a draw of 53 random bits."""
    seen = Sampler(Laplace(1.0), 5, None, 1, 100)
    batches = [seen.outputs(PAIRS[0].data, 1000, (purpose, place)) for purpose in range(2) for place in range(3)]
    assert len(np.unique(np.concatenate(batches))) > 5900
    states = {generator_for(5, (first, second)).integers(2**63) for first in range(40) for second in range(40)}
    assert len(states) == 1600


def test_a_failure_in_a_worker_reaches_the_caller(executor: Executor) -> None:
    with pytest.raises(ZeroDivisionError):
        run(_broken, executor)


def _broken(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    if size == 256:
        raise ZeroDivisionError
    return generator.normal(size=size)


def test_a_cluster_draws_the_same_samples() -> None:
    """The executor of a `distributed` cluster, two processes of this machine, with the interface of the others."""
    distributed = pytest.importorskip("distributed", reason="a cluster is an extra of its own")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        together = run(Laplace(0.2), client.get_executor(), workers=2)
    alone = run(Laplace(0.2), None)
    assert (together.event, together.looks) == (alone.event, alone.looks)
    assert together.violated
