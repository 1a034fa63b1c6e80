"""The whole check: the texts, what Rocq says of them, and the certificate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import attrs

from dpmatrix.claims import Registry
from dpmatrix.kernel.certificate import Certificate, changed
from dpmatrix.kernel.checking import Compiled, compile_all
from dpmatrix.kernel.judging import Proofs, told_by_rocq


@attrs.frozen
class Report:
    """What a whole check found.

    Parameters
    ----------
    proofs, compiled
        What was checked, and what Rocq said of it.
    general
        What is wrong, and of no theorem alone.
    wrong_theorems
        What is wrong with each theorem; theorems with nothing wrong are left out.
    """

    proofs: Proofs
    compiled: Compiled
    general: tuple[str, ...]
    wrong_theorems: Mapping[str, tuple[str, ...]]

    @property
    def wrong(self) -> bool:
        """Whether anything is wrong."""
        return bool(self.general or self.wrong_theorems)

    def lines(self) -> list[str]:
        """Return everything that is wrong, in lines."""
        return [*self.general, *(f"{name}: {one}" for name, found in self.wrong_theorems.items() for one in found)]


def check(
    folder: Path,
    registry: Registry,
    tell: Callable[[str], None],
    *,
    against_certificate: bool = True,
    independent: bool = False,
) -> Report:
    """Read, compile and judge all proofs.

    Parameters
    ----------
    folder, registry
        The proofs, and the claims.
    tell
        Called with one line for each file that was compiled.
    against_certificate
        Whether what is found has to be what the certificate says.
    independent
        Whether a second program reads what was compiled.
    """
    proofs = Proofs.read(folder)
    general = proofs.objections(registry)
    asked = [*proofs.theorems.values(), *proofs.instances.values()]
    compiled = compile_all(proofs.sources, asked, tell, independent=independent)
    general += compiled.errors
    found = told_by_rocq(proofs, compiled)
    if against_certificate:
        certificate = Certificate.read(folder)
        general += certificate.strangers(proofs)
        here = changed(certificate, proofs, compiled)
        found = {
            name: [*wrong, *certificate.objections(proofs, name), *here.get(name, ())] for name, wrong in found.items()
        }
    wrong = {name: tuple(problems) for name, problems in found.items() if problems}
    return Report(proofs, compiled, tuple(general), wrong)
