"""``sharprecl new-method``: a method of your own to begin with, which works, and its tests."""

import importlib.util
import keyword
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from sharprecl.cli.outputs import check_folder, on_disk
from sharprecl.errors import ConfigError
from sharprecl.files import write_text

_TEMPLATES = {"{}.py": "poly1.py", "test_{}.py": "test_poly1.py.txt", "{}.md": "poly1.md"}


def new_method(
    name: Annotated[str, Argument(help="Of the method and its file, as in poly1 or my_loss.")],
    output: Annotated[Path, Option("--output", "-o", help="Folder for the three files.", callback=on_disk)] = Path(),
) -> None:
    """Write a method of your own to begin with, its tests, and a row for docs/METHODS.md."""
    from sharprecl.config import method_names

    if not name.isidentifier() or not name.islower() or keyword.iskeyword(name):
        raise ConfigError(f"{name!r} is no name of a Python file; write it in small letters, as in my_loss")
    if name in method_names():
        raise ConfigError(f"there is a method {name!r} already; choose another name")
    check_folder(output, "--output")
    files = {output / pattern.format(name): template for pattern, template in _TEMPLATES.items()}
    if there := [str(path) for path in files if path.exists()]:
        raise ConfigError(f"{' and '.join(there)} would be replaced; choose another name or --output")
    if (known := importlib.util.find_spec(name)) is not None and known.origin is not None:
        raise ConfigError(f"Python has a module {name!r} already ({known.origin}); choose another name")
    title = "".join(part.capitalize() for part in name.split("_"))
    for path, template in files.items():
        text = Path(__file__).with_name(template).read_text(encoding="utf-8")
        # In the templates this package is the first party; where they go, it is a third one, in one block with PyTorch.
        text = text.replace("\n\nfrom sharprecl.config", "\nfrom sharprecl.config")
        write_text(path, text.replace("Poly1", title).replace("poly1", name))
    method, test, row = files
    inside = "" if output == Path() else f"cd {output}; "
    typer.echo(f"{method}: settings and loss; now Poly-1, to be changed into yours")
    typer.echo(f"{test}: {inside}python -m pytest {test.name}")
    typer.echo(f"{row}: a row for docs/METHODS.md, where the method goes into the package")
    typer.echo(
        f"try it: {inside}sharprecl train data.csv --method {name}:{title} --set method.epsilon=2 -o runs/{name}"
    )
