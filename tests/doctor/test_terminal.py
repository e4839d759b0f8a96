"""What the terminal shows: everything, within 80 columns, and nothing of a label as markup or control."""

import io
import re
from dataclasses import replace

from rich.console import Console

from diagnoses import COUNTS, data, diagnosis, duplicates, label_errors
from sharprecl.doctor.diagnosis import Recommendation
from sharprecl.doctor.issues.base import Finding
from sharprecl.doctor.terminal import EACH, show
from sharprecl.evaluation.table import DASH


def shown(found, **settings) -> str:
    stream = io.StringIO()
    show(Console(file=stream, **{"width": 80, **settings}), found)
    return stream.getvalue()


def test_findings_first_figures_next_command_last() -> None:
    text = shown(diagnosis(errors=label_errors()))
    places = [
        text.index(words)
        for words in (
            "tickets.csv: 472 of 475 rows usable, 5 classes",
            "1 problem, 7 warnings",
            "problem  3 rows have no text in column 'body': rows 1, 2 and 3",
            "→ fill in or delete",
            "warning  1 class",
            "note     1 text of a rare class",
            "\nLabels\n",
            "imbalance ratio                                400.0\n",
            "\nBatches of 32\n",
            "\nDuplicates\n",
            "- rows 3 and 9 (billing, other): my card was charged twice",
            "\nTexts, as minilm reads them\n",
            "- row 41: other, rather billing (97% against 1%, rare or mislabelled?)",
            "\nRecommended\n",
            "sharprecl train tickets.csv --text body",
            "Mend the problems above first.",
        )
    ]
    assert places == sorted(places)


def test_piped_text_is_plain_and_fits_80_columns_but_for_the_command() -> None:
    text = shown(diagnosis())
    assert "\x1b" not in text
    command = diagnosis().recommendation.command
    assert command in text.splitlines(), "unbroken, to be copied"
    assert all(len(line) <= 80 for line in text.splitlines() if line != command)
    assert "\x1b[" in shown(diagnosis(), force_terminal=True)


def test_long_findings_wrap_under_themselves() -> None:
    text = shown(diagnosis(findings=(Finding("warning", "x", "word " * 40, "do " * 40),)))
    lines = text.partition("warning  the largest class")[0].splitlines()[3:]
    assert len(lines) >= 5
    assert all(line.startswith((" " * 9, "warning  word")) for line in lines)


def test_user_text_does_no_harm() -> None:
    evil = "[bold red]x[/]\x1b[2J\x07\nnext"
    counts = {evil: 9, "b": 2}
    found = diagnosis(
        name=evil,
        findings=(Finding("problem", "x", evil, evil),),
        given=data(counts, batch_size=4),
        errors=replace(
            label_errors(f1_by_class=dict.fromkeys(counts, 0.5)),
            suspects=(replace(label_errors().suspects[0], label=evil, text=evil),),
        ),
        recommendation=Recommendation("sharprecl train '[bold]x'", (evil,)),
    )
    text = shown(found, force_terminal=True, no_color=True)
    assert "\x1b[2J" not in text
    assert "\x07" not in text
    assert "[bold red]x[/]" in text
    assert "sharprecl train '[bold]x'" in text


def test_nothing_to_show_is_no_mistake() -> None:
    assert "nothing to mend" in shown(diagnosis(issues=()))
    text = shown(diagnosis(findings=(), same=duplicates(groups=(), conflicts=0)))
    assert "a finding says why" in text
    assert "Mend" not in text


def test_classes_are_shown_at_both_ends() -> None:
    text = shown(diagnosis(errors=label_errors()))
    assert f"\nother          1      {DASH}       100.0 %           0.0\n" in text
    assert not re.search(r"\n\.\.\. \d more", text)
    counts = {f"class {place}": 30 - place for place in range(2 * EACH + 2)}
    text = shown(diagnosis(data(counts)))
    assert "\n... 2 more" in text
    assert all((f"\n{name} " in text) == (name not in (f"class {EACH}", f"class {EACH + 1}")) for name in counts)
    # Dots for one class would take its line.
    assert not re.search(r"\n\.\.\. \d more", shown(diagnosis(data(dict(list(counts.items())[1:])))))
    assert "\nbilling      400      3  " in shown(diagnosis(data(COUNTS, {"billing": 3})))
