"""The recommended command is one that the real command line takes, and every reason belongs to an option of it."""

import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.main import get_command

from diagnoses import data as data_of
from diagnoses import text_report
from sharprecl.cli.main import app
from sharprecl.data.dialect import Dialect
from sharprecl.doctor import recommend as module
from sharprecl.doctor.diagnosis import Recommendation
from sharprecl.doctor.encoder import Encoder
from sharprecl.doctor.recommend import cleaned_name, usual_batch_size

SKEWED = (400, 60, 9, 2, 1)
TRAIN = get_command(app).commands["train"]


def recommend(
    data: str, counts, texts, batch_size: int, text="text", label="label", longest=None, seed=0, **options
) -> Recommendation:
    given = data_of(
        {f"class {place}": count for place, count in enumerate(counts)},
        text=text,
        label=label,
        encoder=Encoder(longest=longest),
        batch_size=batch_size,
        seed=seed,
    )
    return module.recommend(data, given, texts, **options)


def parsed(command: str) -> dict:
    program, name, *arguments = shlex.split(command)
    assert (program, name) == ("sharprecl", "train")
    return TRAIN.make_context(name, arguments).params


def test_what_can_be_fixed_is_fixed_first_and_the_cleaned_file_trained_on() -> None:
    found = recommend(
        "my data/tickets.old.csv", SKEWED, text_report(), 16, text="body text", label="queue", test="held out.csv",
        encoder="org/model", dialect=Dialect("cp1252", ";", "a"), seed=7, fixable=["--fix: 3 rows repeat others"],
    )  # fmt: skip
    (first, reasons), (second, _) = found.commands
    program, name, *arguments = shlex.split(first)
    assert (program, name) == ("sharprecl", "doctor")
    doctor = get_command(app).commands["doctor"].make_context(name, arguments).params
    expected = {
        "data": "my data/tickets.old.csv", "text": "body text", "label": "queue", "test": Path("held out.csv"),
        "fix": Path("tickets.old.cleaned.csv"), "encoder": "org/model", "encoding": "cp1252", "separator": ";",
        "sheet": "a",
        "seed": 7, "review": None, "overwrite": False,
    }  # fmt: skip
    assert {name: doctor[name] for name in expected} == expected
    assert reasons == ("--fix: 3 rows repeat others",)
    train = parsed(second)
    assert (train["data"], train["encoding"], train["separator"]) == ("tickets.old.cleaned.csv", None, ";")
    assert cleaned_name("a/b.json") == "b.cleaned.jsonl"
    assert recommend("x.csv", SKEWED, text_report(), 16).first == ""


def test_everything_that_was_given_comes_back() -> None:
    found = recommend(
        "my data/tickets.csv", SKEWED, text_report(), 16, text="body text", label="queue", test="held out.csv",
        leaks=True, encoder="org/model", dialect=Dialect("cp1252", ";"), seed=7, chosen_batch=True,
    )  # fmt: skip
    given_back = parsed(found.command)
    expected = {
        "data": "my data/tickets.csv", "text": "body text", "label": "queue", "drop_leaks": True,
        "encoder": "org/model", "encoding": "cp1252", "separator": ";", "seed": 7,
        "method": "sharprecl", "max_length": 416, "batch_size": 16, "view": None,
    }  # fmt: skip
    assert {name: given_back[name] for name in expected} == expected
    assert (str(given_back["test"]), str(given_back["output"])) == ("held out.csv", "runs/tickets")


def test_a_benchmark_has_no_columns_and_defaults_are_left_out() -> None:
    found = recommend("r52", SKEWED, text_report(), 128, benchmark=True)
    assert found.command == ("sharprecl train r52 --output runs/r52 --method sharprecl --max-length 416")
    assert [reason.partition(":")[0] for reason in found.reasons] == [
        "--method sharprecl", "--max-length 416", "no --batch-size",
    ]  # fmt: skip
    assert all(reason.partition(":")[0] in found.command for reason in found.reasons[:-1])
    assert "has 400 times the texts of the smallest" in found.reasons[0]


@pytest.mark.parametrize(
    ("counts", "method"), [((100, 90), "cross_entropy"), ((500, 30), "sharprecl"), (SKEWED, "sharprecl")]
)
def test_the_method_follows_the_label_distribution(counts, method: str) -> None:
    assert parsed(recommend("x.csv", counts, text_report(), 16).command)["method"] == method


@pytest.mark.parametrize(
    ("tokens", "longest", "length", "words"),
    [
        (17.0, 512, 32, "99 % of the texts have at most 17 tokens"),
        (32.0, None, 32, "at most 32 tokens"),
        (0.0, 512, 16, "at most 0 tokens"),
        (128.0, 128, 128, "at most 128 tokens"),
        (400.0, 128, 128, "all that the encoder takes; 99 % of the texts would need 400"),
        (3000.0, None, 512, "longer ones are slow; 99 % of the texts would need 3,008"),
        (900.0, 8192, 912, "at most 900 tokens"),
    ],
)
def test_the_length_covers_99_percent_where_the_encoder_can(tokens, longest, length, words) -> None:
    found = recommend("x.csv", SKEWED, text_report(token_quantiles=(1.0, 2.0, tokens, 9e9)), 16, longest=longest)
    assert parsed(found.command)["max_length"] == length
    assert words in found.reasons[1]


def test_without_a_tokenizer_nothing_is_said_of_lengths() -> None:
    facts = text_report(encoder="", truncated=None, token_quantiles=())
    assert parsed(recommend("x.csv", SKEWED, facts, 16).command)["max_length"] is None


def test_batch_sizes() -> None:
    assert [usual_batch_size(number) for number in (1, 1023, 1024, 6532, 10**6)] == [16, 16, 32, 128, 128]
    chosen = recommend("x", SKEWED, text_report(), 16, chosen_batch=True)
    assert chosen.reasons[-1] == "--batch-size 16: as you chose: 30 steps an epoch"
    own = recommend("x", (9, 4, 2), text_report(), 16)
    assert own.reasons[-1] == "no --batch-size: training takes 16 by itself here: 1 step an epoch"
    assert parsed(own.command)["batch_size"] is None


def test_a_file_whose_name_begins_like_an_option() -> None:
    given_back = parsed(recommend("-x.csv", SKEWED, text_report(), 16, test="--y.csv").command)
    assert (given_back["data"], str(given_back["test"])) == ("./-x.csv", "--y.csv")


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)


@given(NAMES, NAMES, NAMES)
def test_any_name_survives_the_shell(data: str, text: str, label: str) -> None:
    given_back = parsed(recommend(data, SKEWED, text_report(), 16, text=text, label=label).command)
    assert given_back["data"].removeprefix("./") == data.removeprefix("./")
    assert (given_back["text"], given_back["label"]) == (text, label)
