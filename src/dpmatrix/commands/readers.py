"""Who reads a file of records: this process, processes of this machine, or the workers of a `distributed` cluster."""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

from dpmatrix import __version__
from dpmatrix.commands.processes import processes
from dpmatrix.errors import InvalidParameterError, MissingExtraError, WorkerLostError

CONNECT_SECONDS = 10
"""How long a scheduler may take to answer."""
_REMEDY = "pass the address of a scheduler that runs, such as tcp://127.0.0.1:8786"


@contextmanager
def readers(workers: int, cluster: str | None) -> Iterator[tuple[Executor | None, int]]:
    """Yield an executor, or None for this process alone, and how many parts it reads at a time.

    Raises
    ------
    InvalidParameterError
        If both are given, or the cluster cannot be used.
    MissingExtraError
        If a cluster is given and `distributed` is not installed.
    WorkerLostError
        If a worker ends without a result.
    """
    if cluster is None:
        with processes(workers) as pool, _of_no_use_after_a_failure():
            if pool is not None:
                with _no_interrupts():
                    # A call for which nobody is idle starts a process, which inherits this.
                    for _ in range(workers):
                        pool.submit(int)
            yield pool, workers
        return
    if workers != 1:
        raise InvalidParameterError("workers", "a cluster has workers of its own", "pass --workers or --cluster")
    with _connected(cluster) as (client, threads):
        yield client.get_executor(), threads


@contextmanager
def _of_no_use_after_a_failure() -> Iterator[None]:
    """End the processes that were started meanwhile where the release fails, instead of waiting for their parts."""
    before = multiprocessing.active_children()
    try:
        yield
    except BaseException:
        for process in multiprocessing.active_children():
            if process not in before:
                process.terminate()
        raise


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Let processes that are started now leave an interrupt to this one, which ends them when they are done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _connected(address: str) -> Iterator[tuple[Any, int]]:
    try:
        import distributed
    except ImportError as error:
        raise MissingExtraError("distributed", "cluster") from error
    try:
        client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise InvalidParameterError("cluster", f"no scheduler answers at {address!r}", _REMEDY) from error
    with client:
        threads = _usable(client)
        try:
            yield client, threads
        except (distributed.scheduler.KilledWorker, distributed.comm.CommClosedError) as error:
            raise WorkerLostError(f"the cluster lost a worker before its part was summed: {error}") from error


def _usable(client: Any) -> int:  # noqa: ANN401 - distributed is not typed
    """Return the number of threads of the workers, once all of them are known to sum as this library does."""
    threads = sum(int(count) for count in client.nthreads().values())
    if not threads:
        raise InvalidParameterError("cluster", "it has no workers", "start some: dask worker ADDRESS")
    try:
        versions = client.run(_version)
    except ImportError as error:
        problem = "a worker cannot import dpmatrix"
        raise InvalidParameterError("cluster", problem, "install it wherever a worker runs") from error
    if set(versions.values()) != {__version__}:
        problem = f"its workers have dpmatrix {', '.join(sorted(set(versions.values())))}, and this is {__version__}"
        raise InvalidParameterError("cluster", problem, "install the same version everywhere")
    return threads


def _version() -> str:
    return __version__
