"""``sharprecl predict``."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from sharprecl.cli.console import make_console, say, show_notes
from sharprecl.cli.options import (
    Device,
    Encoding,
    Kind,
    Overwrite,
    Prefix,
    PriorHere,
    Resume,
    Separator,
    Sheet,
    Strict,
    TextAsTrained,
    TrainedRun,
)
from sharprecl.data.messages import plural
from sharprecl.errors import ConfigError

if TYPE_CHECKING:
    from sharprecl.classifier import TextClassifier
    from sharprecl.cli.streams import Tell


def predict(
    run: TrainedRun,
    data: Annotated[
        str | None,
        Argument(help="Texts to classify: a file, - for standard input, or a benchmark, whose test texts are taken."),
    ] = None,
    output: Annotated[
        str | None, Option("--output", "-o", help="File for the answers; its ending is its format. - prints them.")
    ] = None,
    one_text: Annotated[
        str | None, Option("--one-text", help="Classify this text alone, and print the answer.")
    ] = None,
    text: TextAsTrained = None,
    probabilities: Annotated[
        bool, Option("--probabilities", help="Add a column with the probability of every class.")
    ] = False,
    prefix: Prefix = "",
    prior: PriorHere = None,
    for_excel: Annotated[
        bool, Option("--for-excel", help="Write .csv and .tsv as Excel opens them; .xlsx needs no such thing.")
    ] = False,
    resume: Resume = False,
    overwrite: Overwrite = False,
    device: Device = "auto",
    kind: Kind = None,
    encoding: Encoding = None,
    separator: Separator = None,
    sheet: Sheet = None,
    strict: Strict = False,
) -> None:
    """Classify texts with a trained classifier; all columns of the input are kept."""
    from sharprecl.cli.one_text import show_answer
    from sharprecl.cli.stream_source import PIPE, Given
    from sharprecl.cli.streams import Work, by_length
    from sharprecl.cli.tables import Reading
    from sharprecl.data.formats import format_of
    from sharprecl.data.writers import check_place
    from sharprecl.decision import Policy
    from sharprecl.decision.columns import column_names, columns_of
    from sharprecl.decision.shift import MOST_TEXTS
    from sharprecl.export.card import read_card

    if one_text is not None:
        if data is not None or output is not None:
            raise ConfigError("--one-text answers on the terminal; give either that, or texts and --output")
        card = read_card(run)
        if prior == "estimate":
            raise ConfigError("one text tells nothing of class shares; give many texts in a file, or another --prior")
        if not one_text.strip():
            raise ConfigError("--one-text has nothing to read; write the text in quotes behind it")
        classifier = _load(run, device, prior)
        show_answer(make_console(), classifier.answer([one_text]), card.label_names, classifier.policy_)
        return
    if data is None or output is None:
        raise ConfigError("give texts and --output, as in new.csv -o answers.csv, or one text with --one-text")
    if for_excel and Path(output).suffix.lower() not in (".csv", ".tsv", ".xlsx"):
        raise ConfigError(f"Excel opens .xlsx, .csv and .tsv, not {output}; name another --output")
    if prior == "estimate" and data == PIPE:
        raise ConfigError("--prior estimate reads all texts before it answers the first; give them in a file")
    if output != PIPE:
        check_place(Path(output))
    card = read_card(run)
    reading = Reading(encoding=encoding, separator=separator, sheet=sheet, strict=strict)
    given = Given(data, output, text or card.text_column, kind, reading, resume, overwrite)
    given.check()
    console = make_console(stderr=output == PIPE)
    rows, ending = given.rows(card.label_column, lambda sentence: say(console, sentence))
    form = format_of(ending if output == PIPE else Path(output).suffix.lower(), rows.origin, for_excel=for_excel)
    policy = Policy.from_dict(card.policy)
    silent = 0

    def load() -> "Callable[[Sequence[str], Tell], dict[str, list[Any]]]":
        classifier = _load(run, device, None if estimated else prior)
        if estimated:
            show_notes(console, [classifier.for_prior_of(work.sample).sentence(card.label_names)])

        def answer(texts: Sequence[str], tell: "Tell") -> dict[str, list[Any]]:
            nonlocal silent
            answers = classifier.policy_.answers(by_length(texts, classifier.scores, tell))
            silent += sum(map(bool, texts)) - int((answers.class_ids_N >= 0).sum())
            every = columns_of(answers, card.label_names, probabilities=probabilities, typed=form.typed)
            return {prefix + name: every[name] for name in new}

        return answer

    new = column_names(policy, card.label_names if probabilities else ())
    options = {"prefix": prefix, "prior": _content(prior), "probabilities": probabilities, "for_excel": for_excel}
    estimated = MOST_TEXTS if prior == "estimate" else 0
    as_read = for_excel or output == PIPE
    work = Work(given, run, rows, form, console, "classifying", options, as_read=as_read, sampled=estimated)
    size, listed = work.do([prefix + name for name in new], load, "give the new ones a --prefix, or ")
    # Those without a text, and those to which a language model gave no label.
    silent += len(rows.set_aside)
    without = f", {silent} of them without an answer (left empty)" if silent else ""
    where = "" if output == PIPE else f": {output}"
    say(console, f"{plural(size, 'row', 'rows')} classified{without}{where}")
    if listed:
        say(console, f"rows without a text: {listed}")


def _load(run: Path, device: str, prior: str | None) -> "TextClassifier":
    """The classifier, for the class shares that the user expects."""
    from sharprecl.classifier import TextClassifier

    classifier = TextClassifier.load(run, device=device)
    return classifier if prior is None else classifier.for_prior(prior)


def _content(prior: str | None) -> str | None:
    """What decides the class shares: the word, or what the file holds."""
    return Path(prior).read_text(encoding="utf-8", errors="replace") if prior and Path(prior).is_file() else prior
