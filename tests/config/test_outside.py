"""Methods from outside: how they are found, what is refused before any model is loaded, what counts as their code."""

import sys

import pytest

from outside import METHOD, Outside
from sharprecl.config import RunConfig, method_names, method_settings, outside_code, resolve, restored
from sharprecl.errors import ConfigError
from sharprecl.methods.base import Method
from sharprecl.methods.registry import method_class


@pytest.mark.parametrize("file", ["", "__init__.py"])
def test_an_address_leads_to_a_class_and_its_settings(outside: Outside, file: str) -> None:
    address = outside.write(file=file)
    config = resolve({"method": {"name": address, "factor": 3}})
    assert issubclass(method_class(address), Method)
    assert method_class(address).Config is method_settings(address) is type(config.method)
    assert config.kept()["method"] == {"name": address, "factor": 3.0, "kind": "plain"}
    assert resolve(config.kept()) == RunConfig(method=config.method) == config


def test_a_module_in_a_package(outside: Outside) -> None:
    outside.write("", "__init__.py")
    outside.write(file="deep.py")
    assert resolve({"method": {"name": f"{outside.name}.deep:Mine"}}).method.name == f"{outside.name}.deep:Mine"


def test_the_current_folder_is_looked_through_last(outside: Outside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", sys.path[1:])
    method_settings(outside.write())
    assert sys.path[-1] == str(outside.folder)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"factor": -1}, "^method.factor: Input should be greater than 0$"),
        ({"factr": 1}, r"^method: outside\d+:Mine has no setting 'factr'; it has factor, kind$"),
        (
            {"factor": "much", "kind": 3},
            "method.factor: Input should be a valid number.*; method.kind: Input should be",
        ),
    ],
)
def test_settings_are_checked(outside: Outside, settings: dict[str, object], sentence: str) -> None:
    address = outside.write()
    with pytest.raises(ConfigError, match=sentence):
        resolve({"method": {"name": address, **settings}})


NOT_OURS = "class Mine:\n    Config = 5\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "x = 1 / 0\n",
            r"cannot be imported \(ZeroDivisionError: division by zero, in .*outside\d+.py, line 1\); mend",
        ),
        ("def f(:\n", r"cannot be imported \(SyntaxError: invalid syntax \(outside\d+.py, line 1\)\); mend it first$"),
        ("import torchx\n", r"cannot be imported \(ModuleNotFoundError: No module named 'torchx', in .*line 1\)"),
        ("x = 1\n", r"outside\d+.py has no 'Mine'; is it another file that you mean\?$"),
        (NOT_OURS, "Mine is no method; a method is a subclass of sharprecl.methods.base.Method$"),
        ("Mine = 5\n", "Mine is no method"),
        (METHOD.replace("def build", "def built"), "Mine lacks build; sharprecl.methods.base.Method says what for$"),
        (
            METHOD.replace("    Config = ", "    config = "),
            r"Mine has no settings; write class MineConfig\(sharprecl.config",
        ),
        (METHOD.replace("Config = MineConfig", "Config = dict"), "Mine has no settings"),
        (
            METHOD.replace("= Field(2.0, gt=0)", "= Field(gt=0)"),
            r"MineConfig needs a default for every setting \(factor: ",
        ),
        (
            METHOD.replace("Config = MineConfig", "from sharprecl.config.methods import FocalConfig as Config"),
            r"the settings FocalConfig belong to the method 'focal'; give Mine a subclass of them with name: str = ",
        ),
    ],
)
def test_what_is_no_method_says_why(outside: Outside, text: str, sentence: str) -> None:
    address = outside.write(text)
    with pytest.raises(ConfigError, match=rf"^the method '{address}': .*{sentence}"):
        method_settings(address)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nowhere:Mine", "^the method 'nowhere:Mine': there is no module 'nowhere', neither among the installed "
         "packages nor in the current folder, /.*; go to the folder that holds it, or install its package$"),
        ("sharprecl.nowhere.mine:Mine", "there is no module 'sharprecl.nowhere'"),
        ("poly1.py:Poly1:", "'poly1.py:Poly1:' is no address of a method; write module:Class"),
        ("my/poly1:Poly1", "is no address of a method"),
        (":Poly1", "is no address of a method"),
        ("poly1:", "is no address of a method"),
        ("sharprecl.methods.focal:Focal", "the settings FocalConfig belong to the method 'focal'"),
        ("magic", "choose one of auto, sharprecl, .*, or write module:Class$"),
    ],
)  # fmt: skip
def test_what_is_nowhere_says_so(outside: Outside, name: str, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        resolve({"method": {"name": name}})


def test_settings_of_a_built_in_method_may_be_built_on(outside: Outside) -> None:
    outside.write(
        "from sharprecl.config.methods import FocalConfig\nfrom sharprecl.methods.focal import Focal\n"
        "class MineConfig(FocalConfig):\n    name: str = ''\nclass Mine(Focal):\n    Config = MineConfig\n"
    )
    config = resolve({"method": {"name": outside.address, "gamma": 1}})
    assert config.kept()["method"] == {"name": outside.address, "gamma": 1.0, "alpha": "none"}


@pytest.fixture
def installed(outside: Outside) -> Outside:
    outside.write()
    outside.install("a_package", mine=outside.address)
    return outside


def test_an_installed_package_s_method_has_a_short_name(installed: Outside) -> None:
    assert method_names()[-1] == "mine"
    config = resolve({"method": {"name": "mine", "factor": 3}})
    assert config.kept()["method"] == {"name": "mine", "factor": 3.0, "kind": "plain"}
    assert method_class("mine") is method_class(installed.address)
    assert outside_code("mine") == outside_code(installed.address)


def test_one_name_of_two_packages_is_refused(installed: Outside) -> None:
    installed.install("b_package", mine="elsewhere:Mine", other="elsewhere:Other")
    sentence = f"several packages have a method 'mine'; name one by its address: elsewhere:Mine, {installed.address}"
    with pytest.raises(ConfigError, match=sentence):
        method_settings("mine")
    with pytest.raises(ConfigError, match=r"the method 'other' \(elsewhere:Other\): there is no module 'elsewhere'"):
        method_settings("other")
    assert method_settings("focal").model_fields["name"].default == "focal"


def test_a_name_of_ours_cannot_be_taken(installed: Outside) -> None:
    installed.install("b_package", focal="elsewhere:Mine")
    with pytest.raises(ConfigError, match="'focal' names a method of sharprecl and an entry point for elsewhere:Mine"):
        resolve({"method": {"name": "focal"}})
    assert method_names().count("focal") == 1


def test_the_code_is_that_of_the_file_without_comments(outside: Outside) -> None:
    codes = []
    for text in (METHOD, METHOD.replace("More.", "Less.") + "\n# a remark\n", METHOD.replace("2.0", "2.5")):
        codes.append(outside_code(outside.write(text)))
    assert codes[0] == codes[1] != codes[2]
    assert outside_code("focal") == ""


def test_the_code_is_that_of_the_whole_package(outside: Outside) -> None:
    outside.write(file="__init__.py")
    codes = [outside_code(outside.address)]
    for text in ("x = 1\n", "x = 2\n", "{% template %}\n"):
        outside.write(text, "other.py")
        codes.append(outside_code(outside.address))
    assert len(set(codes)) == 4


def test_a_saved_configuration_needs_no_code(outside: Outside) -> None:
    kept = resolve({"method": {"name": outside.write(), "factor": 3}}).kept()
    (outside.folder / f"{outside.name}.py").unlink()
    outside.forget()
    assert restored(kept).kept() == kept
    assert outside.name not in sys.modules
    with pytest.raises(ConfigError, match="there is no module"):
        resolve(kept)
    with pytest.raises(ConfigError, match=r"training\.epochs: there is no such setting"):
        restored({**kept, "training": {"epochs": 3}})
