"""The answer to one text, for a person."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console

from sharprecl.cli.console import say
from sharprecl.data.messages import plural

if TYPE_CHECKING:
    from sharprecl.decision import Answers, Policy

_RUNNERS_UP = 3


def show_answer(console: Console, answers: "Answers", names: Sequence[str], policy: "Policy") -> None:
    """Print the class of the first text, how sure that is, what else it may be, and the set of classes."""
    best = int(answers.class_ids_N[0])
    if best < 0:
        say(console, "no answer: what the language model wrote is none of the labels")
        return
    chances = answers.probabilities_NC[0]
    shown = [best, *(index for index in (-chances).argsort(kind="stable") if index != best)][: 1 + _RUNNERS_UP]
    width = max(len(names[index]) for index in shown)
    if answers.abstained_N[0]:
        say(
            console,
            f"not sure: no class has the probability of {100 * policy.least_confidence:.1f} % that is asked for",
        )
    for place, index in enumerate(shown):
        mark = "" if place else "  <- best guess" if answers.abstained_N[0] else "  <- answer"
        say(console, f"{names[index].ljust(width)}  {100 * chances[index]:5.1f} %{mark}")
    if more := len(names) - len(shown):
        say(console, f"and {plural(more, 'less likely class', 'less likely classes')}")
    if answers.sets_NC is not None:
        level = f"the right one is among, {100 * policy.set_level:g} times in 100" if policy.set_level else "asked for"
        say(console, f"set that {level}: {', '.join(names[index] for index in answers.sets_NC[0].nonzero()[0])}")
