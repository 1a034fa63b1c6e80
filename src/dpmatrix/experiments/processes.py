"""Processes for experiments, each with one thread: small matrices lose by more."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


@contextmanager
def pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Start processes afresh, since a library reads the number of its threads once; an error cancels what waits."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    executor = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
    try:
        yield executor
        executor.shutdown()
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        raise
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name)
            else:
                os.environ[name] = value


def in_process(
    function: Callable[Parameters, Result], *arguments: Parameters.args, **options: Parameters.kwargs
) -> Result:
    """Call a function in a process of its own, with one thread."""
    with pool(1) as executor:
        return executor.submit(function, *arguments, **options).result()
