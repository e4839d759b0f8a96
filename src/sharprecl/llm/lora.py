"""A language model that is fine-tuned with low-rank adapters to write the label: the rows of the paper's LLM table.

1.  Every text becomes a prompt with the task and all labels (``prompts.py``); the label is what the model is to write.
2.  The model's own weights stay as they are, for models of 7 billion weights in 4 bits (QLoRA). Beside chosen linear
    layers W stand trainable B A of rank r: W x + (alpha / r) B A x (``causal.py``).
3.  Loss: the cross-entropy of the label's tokens, end token included; the prompt's tokens do not count. AdamW, constant
    rate after a short warm-up (``tuning.py``). Nothing is held out: the last epoch stays.
4.  The answer is the label that is most probable after the prompt (``scoring.py``), so there is always one. Generating
    and reading an answer is there too, and can fail.

Decided here: the paper gives neither prompt nor settings. Rank 16, alpha 32 and 3 epochs are common; ``official`` has
the values of QLoRA's own script. No class is given more weight than others, whatever the imbalance: the table's rows
are language models as they are used.
"""

from pathlib import Path
from typing import Any

import numpy as np
import torch

from sharprecl.config.language_models import LlmLoraConfig
from sharprecl.errors import AssetError
from sharprecl.export.card import ADAPTER, Card
from sharprecl.export.predictor import Backend, Fitted
from sharprecl.llm import causal
from sharprecl.llm.base_model import BasePage, load_base, preset, read_base
from sharprecl.llm.encoding import Encoder
from sharprecl.llm.predictor import LlmPredictor
from sharprecl.llm.prompts import Prompt, make_prompt
from sharprecl.llm.tuning import AdapterTask
from sharprecl.training.checkpoint import CheckpointFolder, checkpoint_identity
from sharprecl.training.hardware import peak_memory_bytes, pick_device, pick_precision
from sharprecl.training.history import HistoryFile
from sharprecl.training.job import TrainingJob
from sharprecl.training.names import CHECKPOINTS, HISTORY
from sharprecl.training.trainer import Trainer, TrainingResult

LONGEST = 2048
"""Tokens that a prompt and its label may have, where the model could take more: a text without spaces is one word,
however long, and the memory for attention grows with every token."""


class LlmLora(Backend):
    """See the module's docstring."""

    @classmethod
    def fit(cls, job: TrainingJob) -> Fitted:
        """Train on all texts of a table.

        Raises:
            SharpReCLError: settings, packages, the model or the disk do not allow it.
        """
        table, config, callback = job.table, job.config, job.callback
        settings = config.method
        assert isinstance(settings, LlmLoraConfig)
        place = pick_device(job.device)
        precision = pick_precision(config.training.precision, place)
        prompt = make_prompt(settings, table.label_names)
        if settings.epochs:
            causal.require_peft()
        model, source, page = load_base(
            BasePage(model=settings.model),
            four_bit=_four_bit(settings),
            device=place,
            precision=precision,
            say=callback.on_message,
        )
        encoder = _encoder(settings, prompt, causal.load_tokenizer(source), model)
        prompts, cut = encoder.prompts(table.texts)
        notes = list(table.notes)
        if cut:
            notes.append(
                f"{cut} of {len(table)} training texts are longer than {settings.max_words} words (method.max_words), "
                f"or than the model can take, and were cut off there"
            )
            callback.on_message(f"note: {notes[-1]}")
        trained = 0
        with torch.random.fork_rng(devices=[place.index or 0] if place.type == "cuda" else []):
            torch.manual_seed(config.seed)
            if settings.epochs:
                usual = preset(settings.model).target_modules
                targets = usual if settings.target_modules == "auto" else settings.target_modules
                model = causal.add_adapters(model, targets, settings, page.model)
                trained = sum(weight.numel() for weight in model.parameters() if weight.requires_grad)
                callback.on_message(f"fine-tuning {trained:,} weights of adapters on {len(table)} texts")
            answers = [encoder.label_ids[label] for label in table.label_ids]
            pad_id, weights = encoder.tokenizer.pad_token_id, table.weights
            task = AdapterTask(model, prompts, answers, pad_id, settings, config.seed, precision, weights)
            if settings.epochs:
                decisive = [prompts, answers], *([] if weights is None else [weights])
                outcome = _fine_tune(job, task, checkpoint_identity(config, precision, place.type, *decisive))
            else:
                outcome = TrainingResult(0, 0, 0, 0, 0.0, peak_memory_bytes(place), precision, str(place))
        facts = {
            "model": settings.model,
            "prompt_form": encoder.form,
            "example_prompt": encoder.prompt.plain("..."),
            "four_bit": _four_bit(settings),
            "trained_weights": trained,
            "prompt_tokens_mean": round(float(np.mean([len(ids) for ids in prompts])), 2),
            "truncated_texts": cut,
            "training_texts": len(table),
            "selection_texts": 0,
            "best_epoch": outcome.best_epoch,
            "epochs": outcome.epochs,
            "steps": outcome.steps,
        }
        predictor = LlmPredictor(model, page, encoder, settings)
        return Fitted(predictor, outcome, np.empty(0, dtype=np.int64), facts, notes)

    @classmethod
    def load(cls, folder: Path, card: Card, device: str) -> LlmPredictor:
        """Read the model again, from where it came, and the saved adapters.

        Raises:
            AssetError: the adapters are gone, or the model cannot be had or is another one.
        """
        settings = LlmLoraConfig.model_validate(card.config["method"])
        saved = folder / ADAPTER
        wanted = "adapter_config.json" if settings.epochs else "tokenizer_config.json"
        if not (saved / wanted).is_file():
            raise AssetError(f"{saved} is gone or incomplete (no {wanted}); copy the whole run again, or train again")
        place = pick_device(device)
        precision = pick_precision(card.config["training"]["precision"], place)
        model, _, page = load_base(
            read_base(saved), four_bit=_four_bit(settings), device=place, precision=precision, say=lambda line: None
        )
        if settings.epochs:
            model = causal.load_adapters(model, saved)
        prompt = make_prompt(settings, card.label_names)
        encoder = _encoder(settings, prompt, causal.load_tokenizer(str(saved)), model)
        return LlmPredictor(model, page, encoder, settings)


def _fine_tune(job: TrainingJob, task: AdapterTask, identity: str) -> TrainingResult:
    output, often = job.output, {"checkpoint_seconds": job.config.training.checkpoint_seconds}
    return Trainer(
        task,
        task.schedule,
        task.training.model_copy(update=often),
        job.callback,
        advice="make method.micro_batch_size or method.max_words smaller",
        lower="method.learning_rate",
        checkpoints=CheckpointFolder(output / CHECKPOINTS, identity) if output else None,
        history=HistoryFile(output / HISTORY) if output else None,
    ).run(job.resume)


def _four_bit(settings: LlmLoraConfig) -> bool:
    return settings.quantization == "nf4" or (settings.quantization == "auto" and preset(settings.model).four_bit)


def _encoder(settings: LlmLoraConfig, prompt: Prompt, tokenizer: Any, model: Any) -> Encoder:
    most = getattr(model.config.get_text_config(), "max_position_embeddings", None) or LONGEST
    return Encoder(prompt, tokenizer, settings.prompt, min(most, LONGEST))
