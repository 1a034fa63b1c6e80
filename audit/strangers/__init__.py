"""Small mechanisms as their users write them, most of them with a fault of habit.

They were written without a look at the auditor, to measure how well it does on other people's code. Each reads a matrix
of records as the command hands it over, 20 records of length 3 and Euclidean norm at most one, and says in its record
what it takes the columns for. `STRANGERS` lists all of them with their claims and with what is true about them.

All draw floating-point noise, whose low bits give data away in a way of their own. That is out of scope here: noise
counts as if it were drawn from the real numbers, and a mechanism is right or faulty in that sense.
"""

from __future__ import annotations

from audit.strangers import bounds, choices, clicks, gaussians, models, salaries, streams, surveys, wards
from audit.strangers.record import DIMENSION, RECORDS, STRANGERS, Stranger

__all__ = [
    "DIMENSION",
    "RECORDS",
    "STRANGERS",
    "Stranger",
    "bounds",
    "choices",
    "clicks",
    "gaussians",
    "models",
    "salaries",
    "streams",
    "surveys",
    "wards",
]
