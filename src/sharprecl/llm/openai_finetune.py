"""Fine-tuning at a provider (OpenAI's interface): the paper's GPT-3.5 row.

1. Each training text becomes a conversation: who you are, the task with all labels and the text, the label as the
   answer (``prompts.py``; the paper gives no prompt).
2. ``openai_plan.py`` counts tokens and passes and says what training and judging will cost, offline. Nothing leaves
   this machine before somebody has allowed that sum (``max_cost``).
3. The conversations are uploaded, and a supervised fine-tuning job is started and waited for (``openai_job.py``). Its
   name is on disk, so a dropped connection, a restart of this command or a day without network neither loses it nor
   pays for a second one.
4. A text's class is what the new model answers to the same prompt at temperature 0 (``openai_answers.py``); an answer
   that is no label counts as wrong.

Decided here, since the paper is silent: ``n_epochs: auto`` is computed by the rule of the provider's guide and sent as
a number, since otherwise the cost could not be known beforehand; batch size and learning rate are left to the provider.
All texts are trained on, as nothing is chosen on held-out ones. The provider may have retired the paper's model: any
name that it fine-tunes will do.
"""

from hashlib import sha256
from pathlib import Path

import numpy as np

from sharprecl.config.language_models import OpenAIFinetuneConfig
from sharprecl.errors import ConfigError
from sharprecl.export.card import Card
from sharprecl.export.predictor import Backend, Fitted
from sharprecl.llm.openai_answers import ModelPage, OpenAIPredictor, read_page
from sharprecl.llm.openai_client import open_client
from sharprecl.llm.openai_endpoint import endpoint, name_endpoint
from sharprecl.llm.openai_job import Job, open_state
from sharprecl.llm.openai_plan import make_plan
from sharprecl.llm.prompts import make_prompt
from sharprecl.training.job import TrainingJob
from sharprecl.training.trainer import TrainingResult


class OpenAIFinetune(Backend):
    """See the module's docstring."""

    @classmethod
    def fit(cls, job: TrainingJob) -> Fitted:
        """Train at the provider, or go on with what was begun there.

        Raises:
            ConfigError: the cost was not allowed, there is no key, or no folder to keep the job's name in.
            ProviderError: the provider refused something or stayed away.
            SharpReCLError: the job failed.
        """
        table, config, callback, output = job.table, job.config, job.callback, job.output
        if output is None:
            raise ConfigError(
                "openai_finetune needs a folder for the job's name, without which a restart would pay twice; "
                "give --output, or fit(..., output=...)"
            )
        settings = config.method
        assert isinstance(settings, OpenAIFinetuneConfig)
        plan, address = make_plan(table, settings), endpoint(settings.base_url)
        client = open_client(address)
        request = {
            "endpoint": address,
            "model": settings.model,
            "n_epochs": plan.epochs,
            "batch_size": settings.batch_size,
            "learning_rate_multiplier": settings.learning_rate_multiplier,
            "seed": config.seed,
        }
        state = open_state(output, request, sha256(plan.data).hexdigest(), job.resume)
        if state.job is None:
            plan.check_allowed(settings.max_cost)
            callback.on_message(plan.sentence())
        # Only who allows a sum has named the address: the settings may be those of a folder that somebody gave away.
        name_endpoint(settings.base_url)
        model = Job(client, output, plan, state, callback.on_message, settings.poll_seconds).train()
        if state.trained_tokens is not None:
            billed = state.trained_tokens * plan.training_price / 1e6
            callback.on_message(f"the provider counts {state.trained_tokens:,} tokens: about ${billed:.2f}")
        estimated = plan.tokens * plan.epochs
        outcome = TrainingResult(
            best_epoch=plan.epochs,
            epochs=plan.epochs,
            steps=state.steps,
            tokens=estimated if state.trained_tokens is None else state.trained_tokens,
            seconds=state.seconds,
            peak_memory_bytes=0,
            precision="unknown",
            device="provider",
        )
        facts = {
            "base_model": settings.model,
            "epochs": plan.epochs,
            "estimated_tokens": estimated,
            "estimated_dollars": plan.cost,
            "trained_tokens": state.trained_tokens,
        }
        page = ModelPage(model=model, base_model=settings.model, base_url=address)
        predictor = OpenAIPredictor(page, make_prompt(settings, table.label_names), settings, output)
        notes = ["the trained model lives at the provider: answers cost money, and end when it is retired there"]
        return Fitted(predictor, outcome, np.empty(0, dtype=np.int64), facts, notes)

    @classmethod
    def load(cls, folder: Path, card: Card, device: str) -> OpenAIPredictor:
        """Read which model answers; the key is needed only when it is asked.

        Raises:
            AssetError: the page about the model is gone or damaged.
        """
        del device
        settings = OpenAIFinetuneConfig.model_validate(card.config["method"])
        return OpenAIPredictor(read_page(folder), make_prompt(settings, card.label_names), settings, folder)
