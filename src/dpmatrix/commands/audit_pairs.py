"""The pairs of data sets that an audit on the command line tries: the library's, or those of a file."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen

from dpmatrix.auditing import NeighbouringPair
from dpmatrix.auditing.pairs.of_domain import pairs_to_try
from dpmatrix.auditing.pairs.own import OwnPairs, own_pairs, pairs_of_data
from dpmatrix.auditing.planning.conditions import LIBRARY
from dpmatrix.auditing.targets.adapters import named_object
from dpmatrix.commands.supervision import Job
from dpmatrix.errors import InvalidParameterError, NoVerdictError
from dpmatrix.privacy import Adjacency


@frozen(eq=False)
class Offered:
    """What there is to try.

    Attributes
    ----------
    pairs
        In the unit ball.
    norm_bound
        What the records are multiplied by.
    source
        Whose they are, in words.
    digest
        Of the pairs that were handed over; None for the library's own.
    """

    pairs: tuple[NeighbouringPair, ...]
    norm_bound: float
    source: str = LIBRARY
    digest: str | None = None


def offered_by(job: Job) -> Offered:
    """Return the pairs that a job asks for.

    Raises
    ------
    InvalidParameterError
        If a file is not what it has to be.
    """
    adjacency = Adjacency(job.adjacency)
    if job.pairs is not None:
        own = own_pairs(_pairs_in(Path(job.pairs)), adjacency)
        return _offered(own, f"pairs of {job.pairs}")
    if job.data_from is not None:
        own = pairs_of_data(_data_in(job.data_from), adjacency, zero_rows=not job.delete_rows)
        return _offered(own, f"changes of a record of {job.data_from}")
    dimension, bound = (None, None) if job.domain is not None else (job.dimension, job.norm_bound)
    found = pairs_to_try(adjacency, job.records, dimension, bound, job.domain, job.delete_rows)
    return Offered(found.pairs, found.norm_bound)


def _offered(own: OwnPairs, source: str) -> Offered:
    sides = [side for pair in own.pairs for side in (pair.data, pair.neighbour)]
    shapes = json.dumps([side.shape for side in sides]).encode()
    digest = hashlib.sha256(shapes + b"".join(side.tobytes() for side in sides)).hexdigest()
    return Offered(own.pairs, own.norm_bound, source, digest)


def _pairs_in(path: Path) -> list[tuple[str, Any, Any]]:
    remedy = 'write a list of objects with "data" and "neighbour", each a list of rows, and "name" if you like'
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        problem = f"{path} cannot be read as JSON ({type(error).__name__})"
        raise InvalidParameterError("pairs", problem, remedy) from error
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise InvalidParameterError("pairs", f"{path} holds no list of objects", remedy)
    pairs = []
    for place, one in enumerate(found, start=1):
        unknown = sorted(one.keys() - {"data", "neighbour", "name"})
        if unknown or not {"data", "neighbour"} <= one.keys():
            raise InvalidParameterError("pairs", f"pair {place} of {path} has other fields", remedy)
        pairs.append((str(one.get("name", f"pair {place}")), one["data"], one["neighbour"]))
    return pairs


def _data_in(place: str) -> Any:  # noqa: ANN401
    module, _, name = place.partition(":")
    if name and module.endswith(".py"):
        found = named_object(place)
        try:
            return np.asarray(found() if callable(found) else found)
        except (Exception, SystemExit) as error:  # whatever the function raises, there are no data
            raise NoVerdictError(f"{place} gives no data: {type(error).__name__}") from error
    from dpmatrix.files import open_records

    with open_records(place) as records:
        blocks = [block.records for block in records.blocks]
    return np.vstack(blocks) if blocks else np.zeros((0, len(records.columns)))
