"""An event in the terms of whoever wrote the mechanism: places and facts instead of numbers of coordinates."""

from __future__ import annotations

import re

from dpmatrix.auditing.search.events import Event
from dpmatrix.auditing.targets.forms import Form

_COORDINATE = re.compile(r"coordinate (\d+)")


def in_words(event: Event, form: Form | None) -> str:
    """Return the sentence of an event of outputs that are seen in a form, if there is one."""
    sentence = event.sentence()
    if form is None:
        return sentence
    names, where = form.coordinates, "neighbour" if event.on_neighbour else "data"
    feature = event.feature.family.names[event.feature.row]
    alone = re.fullmatch(r"\|?coordinate (\d+)\|?", feature)
    # A fact is 1 or 0: above a threshold between the two it holds.
    if alone is not None and int(alone[1]) >= len(form.numbers) and 0 < event.threshold <= 1:
        fact = names[int(alone[1])]
        return f"{fact if event.at_least else f'it is not so that {fact}'}, likelier on the {where}"
    return _COORDINATE.sub(lambda found: f"[{names[int(found[1])]}]", sentence)
