"""``sharprecl serve``."""

from typing import Annotated

from typer import Option

from sharprecl.cli.options import Device, TrainedRun


def serve(
    run: TrainedRun,
    host: Annotated[str, Option(help="Address to listen on; whoever reaches it may ask, there are no passwords.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, Option(help="0 is any free one.", min=0, max=65535)] = 8000,
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

    from sharprecl.serving.limits import Limits
    from sharprecl.serving.server import bind
    from sharprecl.serving.server import serve as answer
    from sharprecl.serving.service import Model, Service

    limits = Limits(max_texts, max_characters, max_body, queue, batch, wait / 1000, client_seconds=client_seconds)
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.WARNING)
    logging.getLogger("sharprecl.serving").setLevel(logging.INFO)
    taken = bind(host, port)
    answer(Service(Model.load(run, device), limits, device=device, threads=threads), taken, drain_seconds=drain_seconds)
