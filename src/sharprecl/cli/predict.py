"""``sharprecl predict``."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from sharprecl.cli.console import make_console, say, show_notes
from sharprecl.cli.options import (
    Address,
    AnswerPrecision,
    Device,
    Encoding,
    GpuShare,
    Kind,
    Overwrite,
    PoolOn,
    PoolThreads,
    PoolWorkers,
    Prefix,
    PriorHere,
    Resume,
    Separator,
    Sheet,
    Strict,
    TextAsTrained,
    TrainedRun,
)
from sharprecl.cli.outputs import on_disk
from sharprecl.data.messages import plural
from sharprecl.errors import ConfigError

if TYPE_CHECKING:
    from rich.console import Console

    from sharprecl.classifier import TextClassifier
    from sharprecl.cli.streams import Answer, Tell


def predict(
    run: TrainedRun,
    data: Annotated[
        str | None,
        Argument(
            help="Texts to classify: a file, a folder of files or a pattern such as 'new/*.parquet', - for standard "
            "input, or a benchmark, whose test texts are taken."
        ),
    ] = None,
    output: Annotated[
        str | None,
        Option(
            "--output",
            "-o",
            help="File for the answers; its ending is its format. - prints them. Of many files a folder, or a folder "
            "and a format, as in 'answers/*.jsonl'.",
            callback=on_disk,
        ),
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
    precision: AnswerPrecision = None,
    kind: Kind = None,
    encoding: Encoding = None,
    separator: Separator = None,
    sheet: Sheet = None,
    strict: Strict = False,
    on: PoolOn = None,
    workers: PoolWorkers = None,
    threads: PoolThreads = 1,
    address: Address = None,
    gpu_share: GpuShare = None,
) -> None:
    """Classify texts with a trained classifier; all columns of the input are kept."""
    from sharprecl.cli.one_text import show_answer
    from sharprecl.cli.shard_work import answer_all, pool_on
    from sharprecl.cli.shards import Shards, are_many
    from sharprecl.cli.stream_source import PIPE, Given
    from sharprecl.cli.streams import Sample, Work, by_length
    from sharprecl.cli.tables import Reading
    from sharprecl.data.formats import ENDINGS, format_of
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
        classifier = _load(run, device, precision, prior)
        show_answer(make_console(), classifier.answer([one_text]), card.label_names, classifier.policy_)
        return
    if data is None or output is None:
        raise ConfigError("give texts and --output, as in new.csv -o answers.csv, or one text with --one-text")
    shards = Shards(data, output, ENDINGS) if are_many(data) else None
    for name in [shard.output.name for shard in shards.every] if shards else [output]:
        if for_excel and Path(name).suffix.lower() not in (".csv", ".tsv", ".xlsx"):
            raise ConfigError(f"Excel opens .xlsx, .csv and .tsv, not {name}; name another --output")
    if prior == "estimate" and data == PIPE:
        raise ConfigError("--prior estimate reads all texts before it answers the first; give them in a file")
    if output != PIPE and not shards:
        check_place(Path(output))
    card = read_card(run)
    reading = Reading(encoding=encoding, separator=separator, sheet=sheet, strict=strict)
    pool = pool_on(on, shards, address, workers, threads, gpu_share, device)
    if pool:
        # Actors stand in other folders.
        run = run.absolute()
    given = Given(data, output, text or card.text_column, kind, reading, resume, overwrite)
    if not shards:
        given.check()
    console = make_console(stderr=output == PIPE)
    policy = Policy.from_dict(card.policy)

    def load(console: "Console") -> "Answer":
        classifier = _load(run, device, precision, None if sample else prior)
        if sample:
            show_notes(console, [classifier.for_prior_of(sample.texts).sentence(card.label_names)])

        def answer(texts: Sequence[str], tell: "Tell", typed: bool) -> dict[str, list[Any]]:
            answers = classifier.policy_.answers(by_length(texts, classifier.scores, tell))
            # A language model may give no label.
            work.silent += sum(map(bool, texts)) - int((answers.class_ids_N >= 0).sum())
            every = columns_of(answers, card.label_names, probabilities=probabilities, typed=typed)
            return {prefix + name: every[name] for name in new}

        return answer

    new = column_names(policy, card.label_names if probabilities else ())
    sample = Sample(MOST_TEXTS) if prior == "estimate" else None
    work = Work(
        run,
        card.label_column,
        [prefix + name for name in new],
        load,
        partial(format_of, for_excel=for_excel),
        {
            "prefix": prefix,
            "prior": _content(prior),
            "probabilities": probabilities,
            "for_excel": for_excel,
            "precision": precision,
        },
        cure="give the new ones a --prefix, or ",
        as_read=for_excel or output == PIPE,
        sample=sample,
    )
    done = answer_all(shards, work, given, console, "classifying", pool)
    without = f", {done.without} of them without an answer (left empty)" if done.without else ""
    where = "" if output == PIPE else f": {output}"
    say(console, f"{plural(done.rows, 'row', 'rows')} classified{without}{where}")
    if done.listed:
        say(console, f"rows without a text: {done.listed}")


def _load(run: Path, device: str, precision: str | None, prior: str | None) -> "TextClassifier":
    """The classifier, for the class shares that the user expects."""
    from sharprecl.classifier import TextClassifier

    classifier = TextClassifier.load(run, device=device, precision=precision)
    return classifier if prior is None else classifier.for_prior(prior)


def _content(prior: str | None) -> str | None:
    """What decides the class shares: the word, or what the file holds."""
    return Path(prior).read_text(encoding="utf-8", errors="replace") if prior and Path(prior).is_file() else prior
