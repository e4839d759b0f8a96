import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from sharprecl.config import MethodConfig
from sharprecl.errors import ConfigError
from sharprecl.llm.base import LanguageModelMethod
from sharprecl.methods.base import Method
from sharprecl.methods.cross_entropy import CrossEntropy
from sharprecl.methods.registry import method_class, method_names
from sharprecl.methods.sharprecl import SharpReCL


def test_names_lead_to_classes():
    assert method_class("sharprecl") is SharpReCL
    assert method_class("cross_entropy") is CrossEntropy


@pytest.mark.parametrize("name", method_names())
def test_every_method_has_one_short_file_that_holds_its_settings(name):
    kind = method_class(name)
    assert issubclass(kind, Method | LanguageModelMethod)
    assert issubclass(kind.Config, MethodConfig)
    assert kind.Config().name == name
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
    assert classes <= {method_class(name) for name in method_names()}


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ConfigError, match=r"no method 'supcon'; choose one of sharprecl, cross_entropy"):
        method_class("supcon")


def test_the_list_of_names_imports_no_method():
    code = (
        "import sys, sharprecl.methods.registry as registry; registry.method_names(); "
        "print('sharprecl.methods.sharprecl' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
