import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from sharprecl.classifier import backend_of
from sharprecl.config import METHODS, MethodConfig
from sharprecl.errors import ConfigError
from sharprecl.export.predictor import Backend
from sharprecl.methods.base import Method
from sharprecl.methods.cross_entropy import CrossEntropy
from sharprecl.methods.registry import method_class
from sharprecl.methods.sharprecl import SharpReCL


def test_names_lead_to_classes():
    assert method_class("sharprecl") is SharpReCL
    assert method_class("cross_entropy") is CrossEntropy


@pytest.mark.parametrize("name", METHODS)
def test_every_method_has_settings_a_backend_and_one_short_file(name):
    kind = method_class(name)
    assert METHODS[name]().name == name
    assert issubclass(METHODS[name], MethodConfig)
    assert issubclass(backend_of(METHODS[name]()), Backend)
    if issubclass(kind, Method):
        assert kind.Config is METHODS[name]
    else:
        assert backend_of(METHODS[name]()) is kind
    source = Path(inspect.getfile(kind))
    assert len(source.read_text(encoding="utf-8").splitlines()) <= 200
    assert len(inspect.getdoc(inspect.getmodule(kind))) > 300 or name == "cross_entropy"


def test_every_file_of_a_method_is_registered():
    folder = Path(inspect.getfile(CrossEntropy)).parent
    classes = set()
    for path in folder.glob("*.py"):
        module = importlib.import_module(f"sharprecl.methods.{path.stem}")
        found = (value for value in vars(module).values() if inspect.isclass(value) and issubclass(value, Method))
        classes |= {value for value in found if not inspect.isabstract(value)}
    assert classes <= {method_class(name) for name in METHODS}


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ConfigError, match=r"no method 'supcon'; choose one of sharprecl, cross_entropy"):
        method_class("supcon")


def test_settings_are_free_of_pytorch():
    code = (
        "import sys; from sharprecl.config import METHODS, resolve; "
        "[resolve({'method': {'name': name}}) for name in METHODS]; print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
