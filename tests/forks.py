"""A forked child, and what becomes of it."""

from __future__ import annotations

import os
from collections.abc import Callable


def in_a_fork(act: Callable[[], object]) -> str:
    """Run something in a forked child and give the error that it ends with, or ``"none"``."""
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        said = "none"
        try:
            act()
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(sender, said.encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(sender)
    said = os.read(receiver, 4096).decode()
    os.close(receiver)
    return said
