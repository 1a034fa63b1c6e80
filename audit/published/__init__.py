"""Mechanisms that others have published to test auditors with, right and faulty, behind one interface.

Each is written from its description, and credited in its record. `PUBLISHED` lists all of them with their claims, the
inputs on which they are tried, and what is true about them there. `python -m audit.published` runs auditors on them.

Noise counts as if it were drawn from the real numbers, but where a record says that its low bits are the fault.
"""

from __future__ import annotations

from audit.published import (
    bug_reports,
    casacuberta,
    checkdp,
    delta_siege,
    dp_recorder,
    dp_sniper,
    float_attacks,
    lyu_su_li,
    statdp,
)
from audit.published.record import Input, Published, Truth

PUBLISHED: tuple[Published, ...] = (
    *statdp.RECORDS,
    *lyu_su_li.RECORDS,
    *checkdp.RECORDS,
    *dp_sniper.RECORDS,
    *bug_reports.RECORDS,
    *delta_siege.RECORDS,
    *float_attacks.RECORDS,
    *dp_recorder.RECORDS,
    *casacuberta.RECORDS,
)

__all__ = ["PUBLISHED", "Input", "Published", "Truth"]
