"""The tables of docs/recipe.md are what the log of trials gives."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "recipe.md"


def test_the_page_is_made_from_the_log(tmp_path: Path) -> None:
    copy = tmp_path / "recipe.md"
    shutil.copy(PAGE, copy)
    made = [sys.executable, str(ROOT / "benchmarks" / "recipe_report.py"), "--write", str(copy)]
    subprocess.run(made, check=True, capture_output=True, timeout=120)
    assert copy.read_text(encoding="utf-8") == PAGE.read_text(encoding="utf-8")
    assert "<!-- recipe: " in copy.read_text(encoding="utf-8")
