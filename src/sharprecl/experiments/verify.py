"""Results checked against themselves: figures computed anew from raw answers, names from what they name, tables made
again from the runs and compared letter for letter."""

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import numpy as np

from sharprecl.config import METHODS, merge, resolve
from sharprecl.errors import ConfigError, DataError, SharpReCLError
from sharprecl.experiments.collection import Records
from sharprecl.experiments.document import Document
from sharprecl.experiments.formats import FORMATS, write_document
from sharprecl.experiments.plan_file import load_plan
from sharprecl.experiments.recipe import Recipe, read_provenance
from sharprecl.experiments.store import load_records
from sharprecl.experiments.tables import make_document
from sharprecl.runs.code import code_hash
from sharprecl.runs.data import data_key, prepare
from sharprecl.runs.record import DataRecord, RunRecord, measure
from sharprecl.runs.spec import WORDS, run_key

_TOLERANCE = 1e-9  # Machines add floats in different orders.
_SHOWN = 5  # differing lines of a table that are told


def read_all(paths: list[Path]) -> tuple[Records, tuple[str, ...]]:
    """Runs and data of several folders or files together, and sentences about what they disagree on.

    Raises:
        DataError: one of them cannot be read.
    """
    every, faults = Records({}, {}), []
    for path in paths:
        found = load_records(path)
        for key, run in found.runs.items():
            if key in every.runs and every.runs[key].answers != run.answers:
                faults.append(f"run {key}: {path} holds other answers than what was read before it")
        for key, record in found.data.items():
            if key in every.data and every.data[key] != record:
                faults.append(f"data {key}: {path} describes them otherwise than what was read before it")
        every = Records(found.runs | every.runs, found.data | every.data, found.features | every.features)
    return every, tuple(faults)


def check_records(records: Records, *, with_data: bool = False) -> tuple[Records, tuple[str, ...]]:
    """Compute every run's figures and names anew.

    Args:
        records: what is checked.
        with_data: also load the data themselves and compare all that is kept of them: the true labels, the counts, the
            hash over the texts.

    Returns:
        The records with figures as computed anew, for tables, and a sentence about each fault.
    """
    faults: list[str] = []
    anew: dict[str, RunRecord] = {}
    code = code_hash()
    for key, run in sorted(records.runs.items()):
        data = records.data.get(run.data)
        anew[key], wrong = _remeasured(run, data)
        faults += [f"{_name(run, key)}: {what}" for what in (*wrong, *_misnamed(run, key, data, code))]
    for key, record in sorted(records.data.items()):
        faults += [f"data {key}: {what}" for what in _of_data(key, record)]
    if with_data:
        faults += _against_the_data(records)
    return replace(records, runs=anew), tuple(faults)


def _remeasured(run: RunRecord, data: DataRecord | None) -> tuple[RunRecord, list[str]]:
    """The run with figures computed anew from its answers, and where those that were kept differ."""
    if data is None:
        return run, [f"its data record {run.data} is missing"]
    try:
        metrics, f1 = measure(data.gold, run.answers, data.train_counts)
    except DataError as error:
        return run, [f"its answers cannot be judged, {error}"]
    faults = [
        f"{name} is kept as {_shown(kept)}, but the answers give {_shown(found)}"
        for name in sorted(metrics.keys() | run.metrics.keys())
        if not _equal(kept := run.metrics.get(name), found := metrics.get(name))
    ]
    wrong = [place for place, pair in enumerate(zip(run.f1, f1, strict=False)) if not _equal(*pair)]
    if wrong or len(run.f1) != len(f1):
        classes = ", ".join(data.label_names[place] for place in wrong) or "some class"
        faults.append(f"the kept F1 of {classes} is not what the answers give")
    return replace(run, metrics=metrics, f1=f1), faults


def _misnamed(run: RunRecord, key: str, data: DataRecord | None, code: str) -> Iterator[str]:
    """The key against what it names, and the resolved settings against what was asked for."""
    if run.key != key:
        yield f"it calls itself {run.key}"
    if run_key(run.spec, run.data, run.code) != key:
        yield "its key is not that of its settings, data and code; one of them was changed"
    kept = run.config.get("training", {}).get("select_on")
    method = str(run.config.get("method", {}).get("name"))
    # A method from outside, which nothing here imports, always trains an encoder.
    no_encoder = method == WORDS or (method in METHODS and METHODS[method].views == "none")
    expected = "last" if no_encoder else kept
    if run.selected_on != expected:
        yield f"it says that it was selected on {run.selected_on}, but its settings say {expected}"
    asked = merge(run.spec.settings, {"seed": run.spec.seed})
    if run.code == code and data is not None and method != WORDS:
        # All settings of a run of this code can be resolved anew; of others, only what was named is known.
        try:
            asked = resolve(asked, np.asarray(data.train_counts)).kept()
        except ConfigError as error:
            yield f"its settings cannot be resolved, {error}"
            return
    for path in _contradictions(json.loads(json.dumps(asked)), run.config):
        yield f"{path} is not what the plan asked for"


def _contradictions(asked: Any, kept: Any, path: str = "") -> Iterator[str]:
    """Where two trees of settings differ, among the settings that both have."""
    if isinstance(asked, dict) and isinstance(kept, dict):
        for name in sorted(asked.keys() & kept.keys()):
            yield from _contradictions(asked[name], kept[name], f"{path}.{name}" if path else name)
    elif asked != kept:
        yield path


def _of_data(key: str, data: DataRecord) -> Iterator[str]:
    if data.hash != key:
        yield f"it calls itself {data.hash}"
    if len(data.train_counts) != len(data.label_names):
        yield f"it has {len(data.label_names)} label names and {len(data.train_counts)} counts"
    elif any(not 0 <= label < len(data.label_names) for label in data.gold):
        yield "a true label is none of its classes"


def _against_the_data(records: Records) -> Iterator[str]:
    specs = {(data_key(run.spec), run.data): run.spec for run in records.runs.values()}
    for (_, key), spec in specs.items():
        kept = records.data.get(key)
        if kept is None:
            continue
        try:
            found = prepare(spec).record
        except SharpReCLError as error:
            yield f"data {key}: {spec.data} cannot be had to compare with, {error}"
            continue
        differing = [name for name, value in vars(found).items() if value != getattr(kept, name)]
        if differing:
            yield f"data {key}: {spec.data} has another {', '.join(differing)} than is kept"


def _equal(kept: float | None, found: float | None) -> bool:
    if kept is None or found is None:
        return kept is found
    return math.isclose(kept, found, rel_tol=0, abs_tol=_TOLERANCE)


def _shown(value: float | None) -> str:
    return "nothing" if value is None else f"{100 * value:.4f}"


def _name(run: RunRecord, key: str) -> str:
    ratio = "" if run.spec.ir is None else f"@{run.spec.ir:g}"
    method = run.config.get("method", {}).get("name", "?")
    return f"run {key[:12]} ({run.spec.data}{ratio}, {method}, seed {run.spec.seed})"


def check_tables(paths: list[Path], records: Records) -> tuple[str, ...]:
    """Make tables again from runs, and say in a sentence each what their files have otherwise.

    Args:
        paths: files that ``experiment table --to`` wrote.
        records: the runs, with figures as ``check_records`` computed them anew.
    """
    made: dict[Recipe, Document] = {}
    faults: list[str] = []
    for path in paths:
        try:
            faults += [f"{path}{fault}" for fault in _check_table(path, records, made)]
        except (ConfigError, DataError, OSError, ValueError) as error:
            faults.append(f"{path}: cannot be made again, {error}")
    return tuple(faults)


def _check_table(path: Path, records: Records, made: dict[Recipe, Document]) -> Iterator[str]:
    # Newlines as they are, for the comparison is letter for letter.
    text = path.read_bytes().decode("utf-8")
    provenance = read_provenance(text, str(path))
    if provenance.format not in FORMATS:
        yield f": there is no format {provenance.format!r}"
        return
    recipe = provenance.recipe
    if recipe not in made:
        made[recipe] = make_document(load_plan(recipe.plan), records, recipe)
    document = made[recipe].as_format(provenance.format)
    anew = write_document(document)
    if anew == text:
        return
    if document.provenance.runs != provenance.runs:
        yield ": it was made from other runs, or answers were changed since, or runs are missing or were added"
    old, new, shown = text.split("\n"), anew.split("\n"), 0
    for kind, first, last, start, stop in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal" or any("sharprecl-table: " in line for line in old[first:last]):
            continue
        shown += 1
        if shown > _SHOWN:
            yield ": and more lines"
            return
        says, gives = ("; ".join(lines).strip() or "nothing" for lines in (old[first:last], new[start:stop]))
        yield f", line {first + 1}: it says {says[:200]!r}, but the runs give {gives[:200]!r}"
    if not shown:
        yield ": what it says of how it was made is not what the runs give"
