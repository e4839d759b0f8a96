"""Answers of a model that lives at the provider."""

import copy
import errno
import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from llm.fake_openai import KEY, FakeOpenAI, Fault
from llm.openai_help import settings, small_table, train
from sharprecl.config.language_models import OpenAIFinetuneConfig
from sharprecl.errors import AssetError, CheckpointError, ConfigError
from sharprecl.export.card import FILE, Card, read_card
from sharprecl.llm.openai_answers import ANSWERS, ModelPage, OpenAIPredictor
from sharprecl.llm.openai_client import ProviderError
from sharprecl.llm.openai_finetune import OpenAIFinetune
from sharprecl.llm.prompts import Prompt

CHAT = ("POST", "/chat/completions")
NAMES = ("access", "billing", "hardware", "shipping")
YES_1 = [-100, 0, -100, -100]


@pytest.fixture(autouse=True)
def agreed(server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)


def page_of(server: FakeOpenAI, model: str = "ft:x") -> ModelPage:
    return ModelPage(model=model, base_model="base", base_url=server.url)


def predictor(
    server: FakeOpenAI, words: tuple[str, ...] = NAMES, workers: int = 2, folder: Path | None = None
) -> OpenAIPredictor:
    prompt = Prompt("reason of the message", words, 256)
    answers = {"card stolen": words[1], "cannot log in": words[0].upper() + ".", "odd": "no label of yours"}
    server.provider.memory["ft:x"] = {prompt.user(text): answer for text, answer in answers.items()}
    return OpenAIPredictor(page_of(server), prompt, OpenAIFinetuneConfig(workers=workers), folder)


def card(server: FakeOpenAI) -> Card:
    config = settings(task="reason of the message", base_url=server.url).model_dump(mode="json")
    return Card(list(NAMES), "str", [1, 2, 3, 4], 256, "none", config)


def test_scores_are_certain_or_nan_without_an_answer(server: FakeOpenAI) -> None:
    scores, features = predictor(server).scores(["odd", "card stolen", "cannot log in", "card stolen"], embed=True)
    nan = np.nan
    np.testing.assert_array_equal(scores, [[nan] * 4, YES_1, [0, -100, -100, -100], YES_1])
    assert scores.dtype == features.dtype == np.float32
    assert features.shape == (4, 0)
    assert predictor(server).pooling == "none"
    assert predictor(server).scores([])[0].shape == (0, 4)


def test_a_request_is_the_training_prompt_at_temperature_0(server: FakeOpenAI) -> None:
    predictor(server).scores(["card stolen"])
    body = server.provider.bodies[-1]
    assert body["messages"] == Prompt("reason of the message", NAMES, 256).messages("card stolen")
    assert (body["model"], body["temperature"], body["max_completion_tokens"]) == ("ft:x", 0, 16)


def test_a_long_label_gets_room(server: FakeOpenAI) -> None:
    words = ("short", " ".join(["word"] * 40))
    known = predictor(server, words)
    assert known.scores(["card stolen"])[0][0, 1] == 0
    assert server.provider.bodies[-1]["max_completion_tokens"] > 40


def test_a_text_is_paid_for_once(server: FakeOpenAI) -> None:
    known = predictor(server, workers=1)
    server.provider.faults = [Fault(*CHAT, status=400, code="other", skip=1)]
    with pytest.raises(ProviderError):
        known.scores(["card stolen", "odd", "cannot log in"])
    known.scores(["card stolen", "odd", "cannot log in", "odd"])
    known.scores(["cannot log in"])
    assert server.provider.count(*CHAT) == 4


@pytest.mark.parametrize(
    "fault",
    [
        Fault(*CHAT, kind="drop", times=3),
        Fault(*CHAT, kind="lose", times=3),
        Fault(*CHAT, status=500, times=3),
        Fault(*CHAT, status=429, times=3, headers={"retry-after": "0.02"}),
    ],
    ids=lambda fault: f"{fault.kind}-{fault.status}",
)
def test_faults_are_survived(server: FakeOpenAI, fault: Fault) -> None:
    server.provider.faults = [fault]
    scores, _ = predictor(server).scores(["card stolen", "cannot log in"])
    assert scores.argmax(1).tolist() == [1, 0]
    assert fault.times == 0


@pytest.mark.parametrize("code", ["context_length_exceeded", "content_filter"])
def test_a_text_that_the_provider_refuses_has_no_answer(server: FakeOpenAI, code: str) -> None:
    server.provider.faults = [Fault(*CHAT, status=400, code=code)]
    scores, _ = predictor(server, workers=1).scores(["card stolen", "cannot log in"])
    assert np.isnan(scores[0]).all()
    assert scores[1, 0] == 0


def test_the_first_refusal_ends_it(server: FakeOpenAI) -> None:
    known = predictor(server)
    known.page = page_of(server, "ft:gone")
    with pytest.raises(ProviderError, match="finds nothing to answer with ft:gone"):
        known.scores([f"text {number}" for number in range(200)])
    assert server.provider.count(*CHAT) < 50


def test_saved_and_loaded_it_answers_alike(server: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = predictor(server).save(tmp_path, card(server))
    assert written.not_stock_because == "the trained model lives at the provider, who gives out no weights"
    assert read_card(tmp_path) == written
    with monkeypatch.context() as patch:
        patch.delenv("OPENAI_API_KEY")
        loaded = OpenAIFinetune.load(tmp_path, read_card(tmp_path), "auto")
    assert loaded.page == page_of(server)
    np.testing.assert_array_equal(loaded.scores(["card stolen"])[0], [YES_1])
    assert KEY not in "".join(path.read_text() for path in tmp_path.iterdir())


def test_saving_replaces_weights_of_ours_and_refuses_others(server: FakeOpenAI, tmp_path: Path) -> None:
    for name in ("ours", "foreign"):
        (tmp_path / name / "model").mkdir(parents=True)
    (tmp_path / "ours" / FILE).write_text("{}")
    predictor(server).save(tmp_path / "ours", card(server))
    assert not (tmp_path / "ours" / "model").exists()
    with pytest.raises(ConfigError, match="was not written by sharprecl"):
        predictor(server).save(tmp_path / "foreign", card(server))
    assert [path.name for path in (tmp_path / "foreign").iterdir()] == ["model"]


def test_a_damaged_page_is_told(server: FakeOpenAI, tmp_path: Path) -> None:
    with pytest.raises(AssetError, match="is gone"):
        OpenAIFinetune.load(tmp_path, card(server), "auto")
    (tmp_path / "openai_model.json").write_text(json.dumps({"model": 1}))
    with pytest.raises(AssetError, match="is damaged"):
        OpenAIFinetune.load(tmp_path, card(server), "auto")


def test_what_was_trained_can_be_saved_and_loaded(server: FakeOpenAI, tmp_path: Path) -> None:
    table = small_table()
    fitted, _ = train(tmp_path, server.url)
    fitted.predictor.save(tmp_path, card(server))
    loaded = OpenAIFinetune.load(tmp_path, read_card(tmp_path), "auto")
    np.testing.assert_array_equal(loaded.scores(table.texts)[0].argmax(1), table.label_ids)


def asked(server: FakeOpenAI) -> int:
    return server.provider.count(*CHAT)


def test_an_answer_is_on_disk_before_the_next_is_there(server: FakeOpenAI, tmp_path: Path) -> None:
    texts = ["card stolen", "odd", "cannot log in"]
    server.provider.faults = [Fault(*CHAT, status=400, code="other", skip=2)]
    with pytest.raises(ProviderError):
        predictor(server, workers=1, folder=tmp_path).scores(texts)
    assert len((tmp_path / ANSWERS).read_text().splitlines()) == 2
    # Another process, with the third text only to ask.
    scores, _ = predictor(server, folder=tmp_path).scores(texts)
    assert asked(server) == 4
    np.testing.assert_array_equal(scores.argmax(1)[[0, 2]], [1, 0])
    assert np.isnan(scores[1]).all()
    predictor(server, folder=tmp_path).scores(texts)
    assert asked(server) == 4
    assert KEY not in (tmp_path / ANSWERS).read_text()
    assert "stolen" not in (tmp_path / ANSWERS).read_text()


def test_another_model_or_prompt_is_asked_anew(server: FakeOpenAI, tmp_path: Path) -> None:
    first = predictor(server, folder=tmp_path)
    first.scores(["odd"])
    other = predictor(server, folder=tmp_path)
    other.page = page_of(server, "ft:y")
    server.provider.memory["ft:y"] = {}
    other.scores(["odd"])
    other.prompt = Prompt("something else", NAMES, 256)
    other.scores(["odd"])
    assert asked(server) == 3


@pytest.mark.parametrize("rest", [b'{"request": "ab', b"[1]\n", b'{"request": 1, "answer": "x"}\n', b"\xff\n"])
def test_a_torn_line_costs_only_itself(server: FakeOpenAI, tmp_path: Path, rest: bytes) -> None:
    predictor(server, folder=tmp_path).scores(["card stolen"])
    with (tmp_path / ANSWERS).open("ab") as stream:
        stream.write(rest)
    predictor(server, folder=tmp_path).scores(["card stolen", "odd"])
    predictor(server, folder=tmp_path).scores(["card stolen", "odd"])
    assert asked(server) == 2


def test_a_refused_text_is_remembered_too(server: FakeOpenAI, tmp_path: Path) -> None:
    server.provider.faults = [Fault(*CHAT, status=400, code="content_filter")]
    for _ in range(2):
        assert np.isnan(predictor(server, folder=tmp_path).scores(["card stolen"])[0]).all()
    assert asked(server) == 1


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
def test_a_disk_that_keeps_no_answers(
    server: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(descriptor: int) -> None:
        raise OSError(number, "made up")

    known = predictor(server, folder=tmp_path, workers=1)
    with monkeypatch.context() as patch:
        patch.setattr("sharprecl.llm.openai_answers.os.fsync", refuse)
        if number == errno.ENOSPC:
            with pytest.raises(CheckpointError, match="free some space"):
                known.scores(["card stolen"])
        else:
            with pytest.warns(UserWarning, match="cannot be written"):
                known.scores(["card stolen"])
    known.scores(["card stolen"])
    assert asked(server) == 1


def test_answers_go_along_into_another_folder(server: FakeOpenAI, tmp_path: Path) -> None:
    known = predictor(server, folder=tmp_path / "a")
    (tmp_path / "a").mkdir()
    known.scores(["card stolen"])
    known.save(tmp_path / "b", card(server))
    OpenAIFinetune.load(tmp_path / "b", read_card(tmp_path / "b"), "auto").scores(["card stolen"])
    assert asked(server) == 1


def test_what_was_judged_in_training_is_not_asked_again(server: FakeOpenAI, tmp_path: Path) -> None:
    table = small_table()
    fitted, _ = train(tmp_path, server.url)
    fitted.predictor.save(tmp_path, card(server))
    fitted.predictor.scores(table.texts)
    before = asked(server)
    loaded = OpenAIFinetune.load(tmp_path, read_card(tmp_path), "auto")
    np.testing.assert_array_equal(loaded.scores(table.texts)[0].argmax(1), table.label_ids)
    assert asked(server) == before


def test_it_can_be_pickled_and_copied_after_an_answer_and_without_the_key(server: FakeOpenAI) -> None:
    known = predictor(server)
    known.scores(["card stolen"])
    written = pickle.dumps(known)
    assert KEY.encode() not in written
    for twin in (pickle.loads(written), copy.deepcopy(known)):
        np.testing.assert_array_equal(twin.scores(["card stolen", "cannot log in"])[0].argmax(1), [1, 0])
    assert asked(server) == 3
