"""The page of the tiny classifier, with training texts and a file for corrections."""

from pathlib import Path

import pytest
from fastapi import FastAPI

from sharprecl.data.tables import read_table
from sharprecl.serving import page
from sharprecl.serving.app import create_app
from sharprecl.serving.service import Model, Service
from tiny import skewed_texts


@pytest.fixture
def corrections(tmp_path: Path) -> Path:
    """The file, which is not there yet."""
    return tmp_path / "corrections.csv"


@pytest.fixture
def app(model: Model, corrections: Path) -> FastAPI:
    """With all that a page can have."""
    service = Service(model)
    kept = page.Corrections(corrections, "text", "label")
    return create_app(service, page.router(service, read_table(skewed_texts()), kept))
