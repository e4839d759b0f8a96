"""The page in a browser: by keyboard, on a phone, in the dark, with hostile texts. One server, one Chromium."""

import csv
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from sharprecl.data.tables import read_table
from sharprecl.serving import page
from sharprecl.serving.app import create_app
from sharprecl.serving.server import bind
from sharprecl.serving.service import Model, Service
from tiny import skewed_texts

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
TEXT = "refund invoice the card"


@pytest.fixture(scope="module")
def corrections(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("browser") / "corrections.csv"


@pytest.fixture(scope="module")
def address(model: Model, corrections: Path) -> Iterator[str]:
    service = Service(model)
    kept = page.Corrections(corrections, "text", "label")
    app = create_app(service, page.router(service, read_table(skewed_texts()), kept))
    taken = bind("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, ws="none", log_config=None))
    thread = threading.Thread(target=server.run, args=([taken],))
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{taken.getsockname()[1]}/"
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


Show = Callable[..., Any]


@pytest.fixture
def show(browser: Any, address: str) -> Iterator[Show]:
    """Opens the page; in the end nothing may have gone wrong in it, and nothing been asked of anyone else."""
    faults: list[str] = []
    contexts = []

    def opened(width: int = 1000, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 800}, **options)
        contexts.append(context)
        tab = context.new_page()
        # Chromium itself tells of every refusal.
        tab.on("console", lambda message: "status of 4" in message.text or faults.append(message.text))
        tab.on("pageerror", lambda error: faults.append(str(error)))
        tab.on("dialog", lambda dialog: faults.append("a script of a text ran"))
        tab.on("request", lambda one: one.url.startswith((address, "blob:")) or faults.append(one.url))
        tab.goto(address)
        tab.wait_for_selector("#right option", state="attached")
        return tab

    yield opened
    for context in contexts:
        context.close()
    assert faults == []


def ask(tab: Any, text: str) -> None:
    tab.fill("#text", text)
    tab.press("#text", "Control+Enter")
    answered(tab)


def answered(tab: Any) -> None:
    """Wait for both: they are asked for side by side."""
    tab.wait_for_selector("#words:visible:not(.busy)")
    tab.wait_for_selector("#neighbours li")


def test_a_text_is_classified_and_corrected_by_keyboard_alone(show: Show, model: Model, corrections: Path) -> None:
    tab = show()
    # The text has the focus from the start.
    tab.keyboard.type(TEXT)
    tab.keyboard.press("Control+Enter")
    answered(tab)
    [label] = model.classifier.predict([TEXT])
    assert tab.inner_text("#told").startswith(label)
    assert tab.get_attribute("#told", "aria-live") == "polite"
    assert tab.locator("#pieces").text_content() == TEXT
    for stop in ("go", "file", "right"):
        tab.keyboard.press("Tab")
        assert tab.evaluate("document.activeElement.id") == stop
    assert "solid" in tab.locator("#right").evaluate("element => getComputedStyle(element).outlineStyle")
    tab.keyboard.type("ship")
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#saved:has-text('Saved: 1')")
    assert list(csv.reader(corrections.open())) == [["text", "label"], [TEXT, "shipping"]]
    tab.keyboard.press("Tab")
    first = tab.inner_text("#effect")
    assert "without it" in first
    assert tab.get_attribute("#pieces :focus", "aria-label") == first
    tab.keyboard.press("ArrowRight")
    assert tab.inner_text("#effect") != first
    assert tab.locator("label[for=text], label[for=right], main, h1").count() == 4


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script><img src=x onerror=alert(2)> refund",
        "\u202e\u05e9\u05dc\u05d5\u05dd refund 🙂🇩🇪 مرحبا",
        "refund" * 3333,
        "refund 🙂 " * 2222,
    ],
    ids=["markup", "right to left", "one long word", "20,000 characters"],
)
def test_any_text_stays_a_text_and_on_a_phone(show: Show, text: str) -> None:
    tab = show(390)
    ask(tab, text)
    assert tab.locator("#pieces").text_content() == text
    assert tab.locator("#pieces img, #pieces script").count() == 0
    assert tab.evaluate("document.documentElement.scrollWidth") == 390


def test_dark_is_dark(show: Show) -> None:
    found = []
    for scheme in ("light", "dark"):
        tab = show(color_scheme=scheme)
        ask(tab, TEXT)
        style = (
            "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('.for')).color]"
        )
        found.append(tab.evaluate(style))
    (light, dark_ink), (dark, light_ink) = found
    assert sum(map(int, light[4:-1].split(", "))) > 600 > 200 > sum(map(int, dark[4:-1].split(", ")))
    assert dark_ink != light_ink


def test_a_file_becomes_a_table_and_a_download(show: Show, model: Model, tmp_path: Path) -> None:
    texts = skewed_texts()[0] * 2
    given = tmp_path / "stream.csv"
    given.write_text("id,body\n" + "".join(f"{number},{text}\n" for number, text in enumerate(texts)))
    tab = show(390)
    tab.set_input_files("#file", given)
    tab.wait_for_selector("#column")
    tab.select_option("#column", "body")
    tab.press("#column", "Tab")
    tab.keyboard.press("Enter")
    with tab.expect_download() as download:
        tab.click("#download")
    assert tab.locator("#rows tbody tr").count() == 100
    assert tab.inner_text("#count") == "130 rows; the first 100 are shown"
    assert tab.evaluate("document.documentElement.scrollWidth") == 390
    assert download.value.suggested_filename == "stream.answers.csv"
    with open(download.value.path(), encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["body"] for row in rows] == texts
    assert [row["predicted"] for row in rows] == model.classifier.predict(texts).tolist()


def test_what_is_wrong_is_said(show: Show, tmp_path: Path) -> None:
    tab = show()
    tab.press("#text", "Control+Enter")
    assert tab.inner_text("[role=alert]") == "There is no text yet."
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    tab.set_input_files("#file", tmp_path / "x.parquet")
    tab.wait_for_selector("[role=alert]:has-text('the page takes')")
