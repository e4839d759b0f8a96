"""``sharprecl cache``."""

import re
import shutil
from pathlib import Path
from typing import Annotated, Literal

import typer
from typer import Argument, Option


def cache(
    what: Annotated[Literal["show", "clear"], Argument(help="What to do.")] = "show",
    assets: Annotated[
        bool, Option("--assets", help="Clear the fetched assets too, which no running command may be reading.")
    ] = False,
) -> None:
    """Show what lies in the user's cache folder, or clear it of the texts that were made of training texts."""
    from sharprecl.assets import cache_dir
    from sharprecl.augment.cache import views_folder

    parts = [("views", "plain text made of training texts, for this user alone", _views(views_folder()))]
    parts += [(path.name, "fetched", [path]) for path in _fetched(cache_dir())]
    typer.echo(f"cache folder: {cache_dir()}")
    for name, about, paths in parts:
        size = sum(map(_size, paths)) / 1e6
        if what == "clear" and (assets or name == "views"):
            _remove(paths)
            about = "cleared"
        typer.echo(f"{name:24} {size:10,.1f} MB  {about}")


def _views(folder: Path) -> list[Path]:
    """The files of made texts; whatever else lies there is not ours."""
    return sorted(path for path in folder.glob("*.jsonl") if re.fullmatch(r"[0-9a-f]{64}", path.stem))


def _fetched(folder: Path) -> list[Path]:
    """The folders of assets, of any version, and of files from repositories."""
    from sharprecl.assets import ASSETS
    from sharprecl.assets.remote import FOLDER

    ours = re.compile(rf"(?:{'|'.join(map(re.escape, ASSETS))})-\d[\w.]*|{re.escape(FOLDER)}")
    return [path for path in sorted(folder.glob("*")) if path.is_dir() and ours.fullmatch(path.name)]


def _size(path: Path) -> int:
    parts = path.rglob("*") if path.is_dir() else [path]
    return sum(part.stat().st_size for part in parts if part.is_file())


def _remove(paths: list[Path]) -> None:
    for path in paths:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
