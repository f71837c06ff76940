"""Prints precision and recall of what counts as an answer on the labelled pairs: run it as a script."""

import sys
from pathlib import Path

from pckc_domain.model.distillation import SourceChunk
from pckc_domain.policy.answering import AnswerText, answer_score, read_question
from pckc_domain.policy.distillation.distil import distil

HERE = Path(__file__).parent
Pair = tuple[bool, str, str]


def pairs(name: str) -> list[Pair]:
    """Return the labelled pairs of a half, ``tuning`` or ``held_out``."""
    lines = (HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.split(" | ")] for line in lines if line and not line.startswith("#")]
    return [(label == "yes", question, claim) for label, question, claim in cells]


def is_answered(question: str, text: str) -> bool:
    """Return whether *text*, as a document has it, answers *question*."""
    made = distil(SourceChunk(title="", place="", text=text)).claims
    claims = [
        AnswerText(
            text=one.text,
            subject=one.subject,
            attribute=one.attribute,
            value=one.value,
            type=one.type,
            polarity=one.polarity,
        )
        for one in made
    ]
    return any(answer_score(read_question(question), one) for one in claims or [AnswerText(text=text)])


def measured(labelled: list[Pair]) -> tuple[float, float]:
    """Return precision and recall of the answers."""
    found = [(label, is_answered(question, text)) for label, question, text in labelled]
    right = sum(label and said for label, said in found)
    said = sum(said for _, said in found)
    true = sum(label for label, _ in found)
    return right / said if said else 1.0, right / true


if __name__ == "__main__":
    for half in sys.argv[1:] or ("tuning", "held_out"):
        precision, recall = measured(pairs(half))
        sys.stdout.write(f"{half:<10}precision {precision:.2f}  recall {recall:.2f}  pairs {len(pairs(half))}\n")
        if half == "tuning":  # the other half is for reporting
            for label, question, text in pairs(half):
                if is_answered(question, text) is not label:
                    sys.stdout.write(f"  {'missed' if label else 'wrong'}: {question} | {text}\n")
