"""Files of repositories from a folder, from a web server that misbehaves, and from nowhere."""

import hashlib
import http.server
import os
import re
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sharprecl.assets import remote
from sharprecl.assets.remote import RemoteFile, all_cached, fetch_files
from sharprecl.errors import AssetError

CONTENT = {"data/a.txt": b"first\n" * 1000, "b.txt": b"second\n"}
COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = tuple(
    RemoteFile("owner", "repository", COMMIT, path, hashlib.sha256(content).hexdigest(), len(content))
    for path, content in CONTENT.items()
)
Answer = Callable[[http.server.BaseHTTPRequestHandler, bytes], None]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SHARPRECL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr("pooch.core.time.sleep", lambda seconds: None)  # pooch waits before it tries again
    return tmp_path / "cache"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A mirror in a folder."""
    for file in FILES:
        path = tmp_path / "mirror" / file.location
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(CONTENT[file.path])
    monkeypatch.setenv("SHARPRECL_MIRROR", str(tmp_path / "mirror"))
    return tmp_path / "mirror"


class Server:
    """A mirror on the web; ``answers`` are used up first, one a request, then everything goes well."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answers: list[Answer] = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                content = CONTENT[self.path.partition(COMMIT + "/")[2]]
                (outer.answers.pop(0) if outer.answers else whole)(self, content)

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/base"


def whole(handler: http.server.BaseHTTPRequestHandler, content: bytes) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


def cut_off(handler: http.server.BaseHTTPRequestHandler, content: bytes) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content[: len(content) // 2])
    handler.close_connection = True


def damaged(handler: http.server.BaseHTTPRequestHandler, content: bytes) -> None:
    whole(handler, content[:-1] + b"?")


def status(code: int) -> Answer:
    return lambda handler, content: handler.send_error(code)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    mirror = Server()
    thread = threading.Thread(target=mirror.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    monkeypatch.setenv("SHARPRECL_MIRROR", mirror.address)
    yield mirror
    mirror.server.shutdown()
    thread.join()
    mirror.server.server_close()


def left_behind(cache: Path) -> set[str]:
    """Every file and scratch folder of the cache but the lock, which is meant to stay."""
    paths = {str(path.relative_to(cache)) for path in cache.rglob("*") if path.is_file() or path.suffix == ".tmp"}
    return {path for path in paths if not path.endswith(".lock")}


def test_a_folder_is_copied_once(folder: Path, cache: Path) -> None:
    told: list[str] = []
    assert not all_cached(FILES)
    paths = fetch_files("Toy", FILES, told.append)
    assert paths == tuple(cache / "repositories" / file.location for file in FILES)
    assert [path.read_bytes() for path in paths] == list(CONTENT.values())
    assert told == ["fetching Toy: data/a.txt (6 kB)", "fetching Toy: b.txt (1 kB)"]
    assert left_behind(cache) == {f"repositories/{file.location}" for file in FILES}
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths} == {0o644}
    assert all_cached(FILES)
    for path in folder.rglob("*.txt"):
        path.unlink()
    assert fetch_files("Toy", FILES, told.append) == paths
    assert len(told) == 2


def test_a_damaged_file_of_the_cache_is_fetched_again_and_the_others_are_not(folder: Path) -> None:
    first, second = fetch_files("Toy", FILES)
    first.write_bytes(first.read_bytes()[:-1] + b"?")
    told: list[str] = []
    fetch_files("Toy", FILES, told.append)
    assert first.read_bytes() == CONTENT["data/a.txt"]
    assert told == ["fetching Toy: data/a.txt (6 kB)"]
    assert second.exists()


def test_a_folder_without_the_file(folder: Path, cache: Path) -> None:
    (folder / FILES[1].location).unlink()
    with pytest.raises(
        AssetError, match=re.escape(f"no file {folder / FILES[1].location} (No such file or directory); c")
    ):
        fetch_files("Toy", FILES)
    assert left_behind(cache) == {f"repositories/{FILES[0].location}"}, "what is whole is kept"


def test_a_folder_with_another_file(folder: Path, cache: Path) -> None:
    (folder / FILES[0].location).write_bytes(b"version https://git-lfs")
    with pytest.raises(AssetError, match=r"data/a\.txt is damaged or not the pinned file .*; copy it there anew"):
        fetch_files("Toy", FILES)
    assert left_behind(cache) == set()


def test_a_folder_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHARPRECL_MIRROR", str(tmp_path / "gone"))
    with pytest.raises(
        AssetError, match=r"the folder .*gone, which does not exist; check .* owner/repository/commit/path"
    ):
        fetch_files("Toy", FILES)


def test_an_address_of_another_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHARPRECL_MIRROR", "ftp://me:secret@host/x")
    with pytest.raises(AssetError, match="'ftp://host/x'; name a folder, or an address that begins with http"):
        fetch_files("Toy", FILES)


@pytest.mark.parametrize("ending", ["", "/"])
def test_a_web_mirror(server: Server, monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    monkeypatch.setenv("SHARPRECL_MIRROR", server.address + ending)
    paths = fetch_files("Toy", FILES)
    assert [path.read_bytes() for path in paths] == list(CONTENT.values())
    assert server.asked == [f"/base/{file.location}" for file in FILES]


@pytest.mark.parametrize("answer", [cut_off, damaged, status(503)], ids=["cut off", "damaged", "503"])
def test_a_transfer_that_fails_is_tried_three_times(server: Server, cache: Path, answer: Answer) -> None:
    server.answers = [answer, answer]
    assert fetch_files("Toy", FILES[:1])[0].read_bytes() == CONTENT["data/a.txt"]
    assert len(server.asked) == 3
    assert left_behind(cache) == {f"repositories/{FILES[0].location}"}


@pytest.mark.parametrize(
    ("answer", "sentence", "asked"),
    [
        (cut_off, "could not be downloaded: the transfer broke off; check that SHARPRECL_MIRROR", 3),
        (damaged, r"damaged or not the pinned file \(its SHA-256 is not [0-9a-f]{12}…\); try again, or check", 3),
        (status(503), "the server answers '503 Server Error: Service Unavailable'", 3),
        (status(404), "the server answers '404 Client Error: Not Found'; check that SHARPRECL_MIRROR", 1),
    ],
    ids=["cut off", "damaged", "503", "404"],
)
def test_one_that_fails_for_good(server: Server, cache: Path, answer: Answer, sentence: str, asked: int) -> None:
    server.answers = [answer] * 9
    with pytest.raises(AssetError, match=rf"^http://127\.0\.0\.1:\d+/base/owner/.*/data/a\.txt .*{sentence}") as caught:
        fetch_files("Toy", FILES)
    assert "\n" not in str(caught.value)
    assert len(server.asked) == asked
    assert left_behind(cache) == set()
    server.answers = []
    assert fetch_files("Toy", FILES)[1].read_bytes() == CONTENT["b.txt"]


def test_a_password_is_not_told(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHARPRECL_MIRROR", server.address.replace("//", "//me:secret@"))
    server.answers = [status(404)]
    with pytest.raises(AssetError, match=r"^http://127") as caught:
        fetch_files("Toy", FILES)
    assert "secret" not in str(caught.value)


def test_without_a_mirror_the_public_host_is_asked(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    assert remote.RAW_HOST == "https://raw.githubusercontent.com"
    monkeypatch.setattr(remote, "RAW_HOST", server.address)
    monkeypatch.delenv("SHARPRECL_MIRROR")
    fetch_files("Toy", FILES)
    assert server.asked == [f"/base/{file.location}" for file in FILES]


def test_no_network(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "RAW_HOST", "http://127.0.0.1:9")
    monkeypatch.delenv("SHARPRECL_MIRROR", raising=False)
    sentence = r"the server cannot be reached .*; check the network connection, or let SHARPRECL_MIRROR name a folder"
    with pytest.raises(AssetError, match=sentence):
        fetch_files("Toy", FILES)
    assert left_behind(cache) == set()


def test_scratch_of_a_killed_process_is_swept(folder: Path, cache: Path) -> None:
    stale = cache / ".repositories.abc.tmp" / "owner"
    stale.mkdir(parents=True)
    fetch_files("Toy", FILES)
    assert left_behind(cache) == {f"repositories/{file.location}" for file in FILES}


def test_a_cache_that_cannot_be_made(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SHARPRECL_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(AssetError, match=r"Toy cannot be kept in the cache folder .*Not a directory.*SHARPRECL_CACHE"):
        fetch_files("Toy", FILES)


def test_threads_that_ask_at_once_fetch_once(server: Server) -> None:
    told: list[str] = []
    threads = [threading.Thread(target=fetch_files, args=("Toy", FILES, told.append)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(server.asked) == len(FILES)
    assert all_cached(FILES)


def test_a_bar_is_shown_on_a_terminal_only(
    server: Server, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch_files("Toy", FILES[:1], lambda line: None)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    fetch_files("Toy", FILES[1:], lambda line: None)
    assert "100%" in capsys.readouterr().err


def test_files_are_readable_whatever_the_umask_says(folder: Path) -> None:
    old = os.umask(0o077)
    try:
        (path, _) = fetch_files("Toy", FILES)
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
