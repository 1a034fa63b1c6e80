"""A second set, of writers who had seen neither the first set nor the auditor. `LATER` lists it."""

from __future__ import annotations

from audit.strangers.later import clinics, learners, payrolls, schools, sensors, shops
from audit.strangers.record import LATER

__all__ = ["LATER", "clinics", "learners", "payrolls", "schools", "sensors", "shops"]
