"""``sharprecl serve``."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from sharprecl.cli.options import Device, TrainedRun
from sharprecl.errors import ConfigError


def serve(
    run: TrainedRun,
    host: Annotated[str, Option(help="Address to listen on; whoever reaches it may ask, there are no passwords.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, Option(help="0 is any free one.", min=0, max=65535)] = 8000,
    neighbours: Annotated[
        str | None, Option(help="Training texts, a file or a benchmark; the page shows the nearest of them.")
    ] = None,
    corrections: Annotated[
        Path | None, Option(help="A .csv file for answers that are corrected on the page; 'train' takes it.")
    ] = None,
    name: Annotated[
        list[str] | None, Option(help="By which a proxy on this machine calls the page; may be repeated.")
    ] = None,
    page: Annotated[bool, Option("--page/--no-page", help="A page for people at /.")] = True,
    device: Device = "auto",
    threads: Annotated[int | None, Option(help="Of the model.", min=1, show_default="one a core")] = None,
    max_texts: Annotated[int, Option(help="Texts in a request.", min=1)] = 256,
    max_characters: Annotated[int, Option(help="Characters in a text.", min=1)] = 20_000,
    max_body: Annotated[int, Option(help="Bytes in a request.", min=1)] = 1 << 20,
    queue: Annotated[int, Option(help="Texts that may wait; more are told when to come again (429).", min=1)] = 512,
    batch: Annotated[int, Option(help="Texts that the model gets at once; a GPU wants more.", min=1)] = 16,
    wait: Annotated[float, Option(help="Milliseconds in which texts gather for a batch.", min=0)] = 3.0,
    client_seconds: Annotated[float, Option(help="Seconds that a client has to send its request.", min=0.1)] = 10.0,
    drain_seconds: Annotated[float, Option(help="Seconds in which new requests get 503 before the end.", min=0)] = 1.0,
) -> None:
    """Answer over HTTP with a trained classifier; a new model in the folder takes over by itself."""
    from sharprecl.extras import require

    for package in ("fastapi", "uvicorn", "prometheus_client"):
        require(package, "serve", "the server")

    import logging

    from sharprecl.cli.tables import Reading, training_table
    from sharprecl.export.card import read_card
    from sharprecl.serving import page as pages
    from sharprecl.serving.limits import Limits
    from sharprecl.serving.page.corrections import Corrections
    from sharprecl.serving.server import bind
    from sharprecl.serving.server import serve as answer
    from sharprecl.serving.service import Model, Service

    if not page and (neighbours or corrections):
        raise ConfigError("--neighbours and --corrections are for the page; leave --no-page out")
    limits = Limits(max_texts, max_characters, max_body, queue, batch, wait / 1000, client_seconds=client_seconds)
    card = read_card(run)
    training = kept = None
    if neighbours is not None:
        if card.pooling == "none":
            raise ConfigError(f"{run} is a language model without features to compare; leave --neighbours out")
        reading = Reading(encoding=None, separator=None, sheet=None, strict=False)
        training, _ = training_table(neighbours, card.text_column, card.label_column, reading, typer.echo)
    if corrections is not None:
        kept = Corrections(corrections, card.text_column, card.label_column)
        if neighbours is not None and corrections.resolve() == Path(neighbours).resolve():
            raise ConfigError(f"{corrections} is the training file, which is never changed; name another file")
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.WARNING)
    logging.getLogger("sharprecl.serving").setLevel(logging.INFO)
    taken = bind(host, port)
    service = Service(Model.load(run, device), limits, device=device, threads=threads)
    shown = pages.router(service, training, kept, name or ()) if page else None
    answer(service, taken, shown, drain_seconds=drain_seconds)
