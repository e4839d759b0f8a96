"""The figures of a diagnosis with their names, section by section: the terminal and the page show the same ones."""

from dataclasses import dataclass

from sharprecl.data.messages import plural, rows_phrase
from sharprecl.doctor.diagnosis import Diagnosis, DuplicateGroup
from sharprecl.doctor.findings import percent
from sharprecl.evaluation.table import DASH
from sharprecl.report.svg import clean

BUILT = ", by construction"
"""After figures that are what a method makes of any data, and not found in this."""


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it: (name, value) each."""

    title: str
    figures: tuple[tuple[str, str], ...]


def headline(found: Diagnosis) -> str:
    """What was examined, in a line."""
    used = f"{found.usable:,} of {found.rows:,} rows usable" if found.usable < found.rows else f"{found.rows:,} rows"
    return f"{clean(found.name)}: {used}, {plural(len(found.distribution.counts), 'class', 'classes')}"


def verdict(found: Diagnosis) -> str:
    """How many problems and warnings there are, in a line."""
    problems, warnings = (sum(one.severity == kind for one in found.findings) for kind in ("problem", "warning"))
    if problems + warnings == 0:
        return "nothing to mend"
    return f"{plural(problems, 'problem', 'problems')}, {plural(warnings, 'warning', 'warnings')}"


def label_section(found: Diagnosis) -> Section:
    """Skew."""
    labels = found.distribution
    return Section(
        "Labels",
        (
            ("imbalance ratio", f"{labels.imbalance_ratio:,.1f}"),
            ("effective number of classes", f"{labels.effective_classes:,.1f} of {len(labels.counts):,}"),
            ("Gini coefficient of the class sizes", f"{labels.gini:.2f}"),
            ("classes with 1 text, with 2, under 10", f"{labels.single:,}, {labels.pairs:,}, {labels.under_ten:,}"),
        ),
    )


def batch_section(found: Diagnosis) -> Section:
    """What a contrastive loss meets in a batch, and what prototypes and rebalancing make of it."""
    batches = found.batches
    smallest = next(reversed(batches.alone))
    return Section(
        f"Batches of {batches.batch_size:,}",
        (
            ("classes in a batch", f"{batches.expected_classes:,.1f}"),
            ("... with prototypes", f"{batches.classes_with_prototypes:,}{BUILT}"),
            (f"a text of {clean(smallest, 18)} meets no positive", percent(batches.alone[smallest])),
            ("... with prototypes", percent(0.0) + BUILT),
            ("positive pairs, largest class over smallest", _times(batches.pair_ratio)),
            ("... with two views of each text", _times(batches.two_view_pair_ratio)),
            ("positive pairs with prototypes and targets", _times(batches.balanced_pair_ratio)),
            ("... of the targets, rebalanced", _times(batches.rebalanced_pair_ratio) + BUILT),
        ),
    )


def duplicate_section(found: Diagnosis) -> Section:
    """Repeats, leaks and contradictions."""
    same = found.duplicates
    figures = [
        ("texts with more than one label", f"{same.conflicts:,}"),
        ("training texts that repeat an earlier one", f"{same.exact_train:,} equal, {same.near_train:,} nearly"),
    ]
    if found.distribution.test_counts:
        figures += [
            ("test texts that repeat an earlier one", f"{same.exact_test:,} equal, {same.near_test:,} nearly"),
            ("test texts that stand in training", f"{same.leaks:,} equal, {same.near_leaks:,} nearly"),
        ]
    figures.append(("compared for near repeats", plural(same.compared, "text", "texts")))
    return Section("Duplicates", tuple(figures))


def text_section(found: Diagnosis) -> Section:
    """What the encoder sees."""
    texts = found.texts
    figures = []
    if texts.truncated is not None:
        half, ninety, ninety_nine, most = texts.token_quantiles
        figures += [
            ("tokens: median, 90 %, 99 %, longest", f"{half:,.0f}, {ninety:,.0f}, {ninety_nine:,.0f}, {most:,.0f}"),
            (f"cut at {texts.max_length:,} tokens", percent(texts.truncated)),
        ]
        if texts.truncated_test is not None:
            figures.append((f"test texts cut at {texts.max_length:,} tokens", percent(texts.truncated_test)))
        figures.append(("nothing but unknown tokens", plural(texts.empty_count, "text", "texts")))
    scripts = list(texts.scripts.items())
    shown = ", ".join(f"{name.title()} {percent(share)}" for name, share in scripts[:3])
    figures.append(("scripts", (shown or "no letters") + (f" and {len(scripts) - 3} more" if len(scripts) > 3 else "")))
    return Section(f"Texts, as {clean(texts.encoder, 30)} reads them" if texts.encoder else "Texts", tuple(figures))


def error_section(found: Diagnosis) -> Section:
    """What a model of words alone says about labels, and reaches."""
    errors = found.label_errors
    if errors is None:
        return Section("Label errors", (("examined", "no: a finding says why"),))
    told = "cannot be told: words alone hardly beat guessing"
    figures = [
        ("labels that look wrong", told if errors.guesses else f"{errors.estimated:,} of {errors.examined:,} examined"),
        ("macro-F1 of words alone, out of fold", percent(errors.macro_f1)),
        ("accuracy of words alone, out of fold", percent(errors.accuracy)),
    ]
    if errors.test_macro_f1 is not None:
        figures.append(("macro-F1 of words alone, test file", percent(errors.test_macro_f1)))
    return Section("Label errors, and the floor to beat", tuple(figures))


def sections(found: Diagnosis) -> tuple[Section, ...]:
    """All sections in their order."""
    return (
        label_section(found),
        batch_section(found),
        duplicate_section(found),
        text_section(found),
        error_section(found),
    )


def shown_classes(found: Diagnosis, each: int) -> list[tuple[str, ...]]:
    """The ``each`` largest and smallest classes, or all if there are no more, with a row of dots between.

    A row: class, training texts, test texts, chance of no positive, out-of-fold F1; a dash where there is none.
    """
    names = list(found.distribution.counts)
    split = len(names) > 2 * each
    errors = found.label_errors
    rows: list[tuple[str, ...]] = []
    for name in [*names[:each], *names[-each:]] if split else names:
        test = found.distribution.test_counts.get(name, 0)
        f1 = None if errors is None else errors.f1_by_class.get(name)
        rows.append(
            (
                clean(name, 24),
                f"{found.distribution.counts[name]:,}",
                f"{test:,}" if found.distribution.test_counts else DASH,
                percent(found.batches.alone[name]),
                DASH if f1 is None else f"{100 * f1:.1f}",
            )
        )
    if split:
        rows.insert(each, (f"... {len(names) - 2 * each:,} more", "", "", "", ""))
    return rows


def group_rows(group: DuplicateGroup) -> str:
    """``rows 3 and 9, test row 4``."""
    parts = ((group.rows, ""), (group.test_rows, "test "))
    return ", ".join(f"{which}{rows_phrase([row - 1 for row in rows])}" for rows, which in parts if rows)


def _times(ratio: float | None) -> str:
    if ratio is None:
        return DASH
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.1f}"
