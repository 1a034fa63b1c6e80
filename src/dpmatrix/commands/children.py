"""A computation in a child process with limits: outside its hypotheses a margin may take any time and any memory."""

from __future__ import annotations

import json
import os
import resource
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from dpmatrix.errors import InvalidParameterError

MEMORY = 4 << 30
"""Bytes of addresses that the child may use."""


def in_a_child(compute: Callable[[], Any], seconds: int) -> Any:  # noqa: ANN401 - what JSON can hold
    """Return what a function returns, as JSON holds it, from a child with a limit of processor time and of memory.

    The arithmetic ends its process where it is asked for a matrix of no possible size; here that is the child.

    Parameters
    ----------
    compute
        Function of nothing.
    seconds
        Processor time.

    Raises
    ------
    InvalidParameterError
        If the child reaches a limit, or is ended by the arithmetic.
    """
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        with suppress(BaseException):  # whatever happens, this process ends here
            os.close(receiver)
            _limit(seconds)
            with os.fdopen(sender, "wb") as told:
                told.write(json.dumps(compute()).encode())
        os._exit(0)
    os.close(sender)
    with os.fdopen(receiver, "rb") as told:
        said = told.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
        problem = f"to compute the margin there takes more than {seconds} s of processor time"
        raise InvalidParameterError("point", problem, "pass more with --seconds, or smaller sizes")
    if not said:
        problem = f"the margin cannot be computed there: it takes more than {MEMORY >> 30} GiB, or a size is impossible"
        raise InvalidParameterError("point", problem, "change the sizes; --fields says what is meant")
    return json.loads(said)


def _limit(seconds: int) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what the arithmetic says as it ends is not for a person
    # at the second limit of time, a second later, the process would end without saying why
    limits = {resource.RLIMIT_CORE: 0, resource.RLIMIT_CPU: seconds, resource.RLIMIT_AS: MEMORY}
    for which, limit in limits.items():
        with suppress(ValueError, OSError):  # a system may not know a limit, or have a lower one
            resource.setrlimit(which, (limit, limit + 1))
