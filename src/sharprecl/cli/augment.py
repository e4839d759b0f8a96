"""``sharprecl augment``."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from sharprecl.cli.console import make_console, say
from sharprecl.cli.options import Address, Encoding, GpuShare, PoolOn, Separator, Sheet, Strict, Text
from sharprecl.cli.outputs import check_apart, check_folder, on_disk
from sharprecl.errors import ConfigError

# Wei & Zou (EMNLP 2019, Table 3) recommend 16 copies a text for 500 training texts, 8 for 2,000 and 4 for more.
_MOST_COPIES = 8
_PITFALL = (
    "note: training holds no copy out, nor a text whose copy it learns, as long as the column "
    "'augmented_from_text' stays; test texts must have been split off before"
)
_PITFALL_ALONE = (
    "note: training on these copies alone holds out all copies of a text or none, and beside originals no copy at all, "
    "as long as the column 'augmented_from_text' stays; test texts must have been split off before"
)


def augment(
    data: Annotated[
        str,
        Argument(
            help="Texts: a file, a folder of files or a pattern such as 'new/*.parquet', or a benchmark, whose "
            "training texts are taken."
        ),
    ],
    output: Annotated[
        Path,
        Option(
            "--output",
            "-o",
            help="File to write; its ending is its format. Of many files a folder, or a folder and a format, as in "
            "'new/*.jsonl'.",
            callback=on_disk,
        ),
    ],
    augmenter: Annotated[
        list[str] | None,
        Option(
            help="synonyms, back_translation, contextual or noise; may be repeated: each works on what the one before "
            "made.",
            show_default="synonyms",
        ),
    ] = None,
    text: Text = "text",
    label: Annotated[str | None, Option(help="Column with the labels.", show_default="label, if there is one")] = None,
    copies: Annotated[
        int | None, Option(help=f"New texts for each text (1); with --balance, at most that many ({_MOST_COPIES}).")
    ] = None,
    balance: Annotated[
        bool, Option("--balance", help="Make new texts for the rarest classes first, up to --budget.")
    ] = False,
    budget: Annotated[
        int | None, Option(help="New texts in all, with --balance.", show_default="as many as rows")
    ] = None,
    only_new: Annotated[bool, Option("--only-new", help="Leave the original rows out.")] = False,
    seed: Annotated[int, Option(help="Of everything that is drawn.", min=0)] = 0,
    set_: Annotated[
        list[str] | None, Option("--set", help="A setting of an augmenter, as in noise.swap=0.1; may be repeated.")
    ] = None,
    workers: Annotated[int, Option(help="Processes; the result is the same for any number.", min=1)] = 1,
    cache: Annotated[Path | None, Option(help="Folder where made texts are kept, to be used again.")] = None,
    encoding: Encoding = None,
    separator: Separator = None,
    sheet: Sheet = None,
    strict: Strict = False,
    resume: Annotated[bool, Option("--resume", help="Of many files make those that are not finished.")] = False,
    overwrite: Annotated[bool, Option("--overwrite", help="Replace the output file.")] = False,
    on: PoolOn = None,
    address: Address = None,
    gpu_share: GpuShare = None,
) -> None:
    """Write a file with augmented copies of its texts behind its own rows.

    The copy of a row has all its columns, its number, from 1, in the column 'augmented_from', and a mark of its text in
    'augmented_from_text'.

    Give it training texts only: a copy must not judge what learned its original.

    What was cut off goes on where it was when it is started again; of many files with --resume. Each of these is
    augmented for itself.
    """
    from sharprecl.augment.cache import views_folder
    from sharprecl.augment.registry import make_augmenter
    from sharprecl.cli.augmenting import Augmenting
    from sharprecl.cli.shard_work import pool_on
    from sharprecl.cli.shards import Shards, are_many
    from sharprecl.cli.tables import Reading
    from sharprecl.config import AUGMENTERS, assignments, augmenter_names
    from sharprecl.data.formats import ENDINGS

    names = [part for name in augmenter or ["synonyms"] for part in augmenter_names(name)]
    settings = assignments(set_ or [])
    if budget is not None and not balance:
        raise ConfigError("--budget says what --balance may spend; add --balance, or say with --copies how many")
    for option, value in (("--copies", copies), ("--budget", budget)):
        if value is not None and value < 1:
            raise ConfigError(f"{option} is {value}, but the least is 1")
    if idle := [name for name in settings if name in AUGMENTERS and name not in names]:
        raise ConfigError(f"--set {idle[0]}... says nothing to {'+'.join(names)}; add --augmenter {idle[0]}")
    make_augmenter(names, (), settings)  # a wrong name or setting should not cost the time to read the data
    shards = Shards(data, str(output), ENDINGS) if are_many(data) else None
    if shards and balance:
        raise ConfigError("--balance spends one budget on all rows of one file; put the files together, or leave it")
    pool = pool_on(on, shards, address, workers, 1, gpu_share, "auto")
    if shards:
        shards.check(resume=resume, overwrite=overwrite)
    elif resume:
        raise ConfigError("--resume is for many files; one goes on where it was cut off when it is started again")
    else:
        check_apart(data, output, overwrite)
    if cache is not None:
        check_folder(cache, "--cache")
    folder = views_folder() if cache is None else cache
    augmenting = Augmenting(
        names=names,
        settings=settings,
        text=text,
        label=label,
        copies=copies or (_MOST_COPIES if balance else 1),
        balance=balance,
        budget=budget,
        only_new=only_new,
        seed=seed,
        # Actors stand in other folders.
        cache=folder.absolute() if pool else folder,
        reading=Reading(encoding=encoding, separator=separator, sheet=sheet, strict=strict),
        workers=1 if pool else workers,
    )
    console = make_console()
    if shards:
        done = augmenting.many(shards, console, resume=resume, overwrite=overwrite, pool=pool)
    else:
        done = augmenting.one(data, output, console)
    say(console, f"{done.made} new texts from {done.rows} rows: {output}")
    say(console, _PITFALL_ALONE if only_new else _PITFALL)
