import subprocess
import sys
from typing import get_args

import pytest

from sharprecl.config import MethodConfig
from sharprecl.errors import ConfigError
from sharprecl.methods.base import Method
from sharprecl.methods.cross_entropy import CrossEntropy
from sharprecl.methods.registry import method_class, method_names
from sharprecl.methods.sharprecl import SharpReCL


def test_names_lead_to_classes():
    assert method_class("sharprecl") is SharpReCL
    assert method_class("cross_entropy") is CrossEntropy
    assert all(issubclass(method_class(name), Method) for name in method_names())


def test_every_configurable_method_is_registered():
    configurable = {section().name for section in get_args(get_args(MethodConfig)[0])}
    assert configurable == set(method_names())


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
