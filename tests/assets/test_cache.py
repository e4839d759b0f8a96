"""Where the cache folder is."""

from pathlib import Path

import pytest

from sharprecl.assets import cache_dir
from sharprecl.errors import AssetError


class TestCacheDir:
    def test_own_variable_wins_and_is_made_absolute(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
        monkeypatch.setenv("SHARPRECL_CACHE", "here")
        assert cache_dir() == tmp_path / "here"

    def test_shared_cache_then_home(self, monkeypatch):
        monkeypatch.delenv("SHARPRECL_CACHE", raising=False)
        monkeypatch.setenv("HOME", "/home/someone")
        monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
        assert cache_dir() == Path("/xdg/sharprecl")
        monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
        assert cache_dir() == Path("/home/someone/.cache/sharprecl")
        monkeypatch.delenv("XDG_CACHE_HOME")
        assert cache_dir() == Path("/home/someone/.cache/sharprecl")

    def test_no_home(self, monkeypatch):
        def homeless():
            raise RuntimeError("Could not determine home directory.")

        monkeypatch.delenv("SHARPRECL_CACHE", raising=False)
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.setattr(Path, "home", homeless)
        with pytest.raises(AssetError, match="SHARPRECL_CACHE"):
            cache_dir()
