"""What a file of proofs may not say: whatever makes Rocq accept what it did not check."""

from __future__ import annotations

import re

from dpmatrix.kernel.sources import LIBRARY, sentences

ANYWHERE = {
    r"Admitted|admit|Admit|give_up": "leaves a proof open",
    r"Axioms?|Parameters?|Conjectures?|Declare\s+Module|Module\s+Type": "assumes what it does not prove",
    r"Guard\s+Checking|Positivity\s+Checking|Universe\s+Checking|bypass_check|type-in-type": "turns a check off",
    r"(?:Un)?[Ss]et\s+Universe\s+Polymorphism|Primitive|Register": "changes what the kernel reads",
    r"Declare\s+ML\s+Module|Load|Add\s+LoadPath|Add\s+Rec|Drop|Cd|Redirect|Extraction": "reaches beyond the file",
}
"""Words, as patterns, and why they are refused."""

INSIDE = re.compile(
    r"^(?:#\[[^\]]*\]\s*)?(?:(?:Local|Global|Program|Polymorphic|Monomorphic)\s+)*(?:Let\s+)?"
    r"(?P<word>Hypothes[ei]s|Variables?|Context)\b"
)
"""What becomes a premise at the end of a section, and an axiom where there is none."""

FLAGS = f"-R . {LIBRARY}\n"
"""All of the project file: the options of the check are its own."""


def refused(file: str, text: str) -> list[str]:
    """List what a file says that it may not."""
    found = []
    sections: list[str] = []
    for sentence in sentences(text):
        for pattern, why in ANYWHERE.items():
            match = re.search(rf"(?<![\w'])(?:{pattern})(?![\w'])", sentence)
            if match:
                found.append(f"{file}: `{match[0]}` {why}")
        match = INSIDE.match(sentence)
        if match and not sections:
            found.append(f"{file}: `{match['word']}` outside a section is an axiom")
        match = re.match(r"^(Section|End|Module)\s+(\w+)", sentence)
        if match and match[1] == "Section":
            sections.append(match[2])
        elif match and match[1] == "End" and sections and sections[-1] == match[2]:
            sections.pop()
    return found


def refused_flags(text: str) -> list[str]:
    """List what is wrong with the project file."""
    return [] if text == FLAGS else [f"_CoqProject: it is to hold `{FLAGS.strip()}` and nothing else"]
