"""``sharprecl assets``."""

from typing import Annotated

import typer


def assets(
    names: Annotated[list[str] | None, typer.Argument(help="What to fetch; nothing means: list what there is.")] = None,
) -> None:
    """Fetch built-in encoders, data sets and lexicons into the cache, or list them."""
    from sharprecl.assets import ASSETS, cache_dir, fetch

    if not names:
        typer.echo(f"cache folder: {cache_dir()}")
        for name, asset in ASSETS.items():
            typer.echo(f"{name:12} {asset.requirement}")
        return
    for name in names:
        typer.echo(f"{name:12} {fetch(name, typer.echo)}")
