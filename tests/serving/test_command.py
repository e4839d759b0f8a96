"""What ``sharprecl serve`` says before it serves."""

import sys
from pathlib import Path

import pytest

from sharprecl.cli.serve import serve
from sharprecl.errors import AssetError, ConfigError, MissingExtraError


@pytest.mark.parametrize("package", ["fastapi", "uvicorn", "prometheus_client"])
def test_a_missing_package_is_named_with_its_cure(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"'{package}'.*pip install 'sharprecl\[serve\]'"):
        serve(Path("runs/tickets"))


def test_a_folder_without_a_classifier_and_limits_that_contradict_each_other(tmp_path: Path) -> None:
    with pytest.raises(AssetError, match="holds no trained classifier"):
        serve(tmp_path, port=0)
    with pytest.raises(ConfigError, match="lower --max-texts"):
        serve(tmp_path, port=0, queue=1)
