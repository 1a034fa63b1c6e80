"""An audit that begins again where the mechanism raises an exception that no sample had shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.targets.adapters import form_of
from dpmatrix.auditing.targets.forms import Form
from dpmatrix.auditing.targets.target import MechanismRaisedError, Target

Answer = TypeVar("Answer")


def begun_again(
    run: Callable[[Form | None], Answer], form: Form | None, target: Target, sets: Sequence[FloatArray]
) -> Answer:
    """Run an audit; where an exception ends it, once more, from the beginning, with exceptions as outputs.

    An audit raises such an error before any output is counted for a verdict, or gives none: whether it begins again
    depends on outputs that decide nothing else, and the failure probability stays what it is.

    Parameters
    ----------
    run
        Audits outputs in a form.
    form
        That the first run takes; in any form an exception is an output already.
    target, sets
        From which the form of the second run is chosen, as in `form_of`.

    Raises
    ------
    MechanismRaisedError
        If there is no such form, since the mechanism raised an exception in every sample.
    """
    try:
        return run(form)
    except MechanismRaisedError as error:
        wider = None if form is not None else form_of(target, sets, raised=[error.kind])
        if wider is None:
            raise
    return run(wider)
