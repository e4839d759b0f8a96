"""The settings of language models: one that is fine-tuned here with adapters, one that a provider fine-tunes."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field, field_validator

from sharprecl.config.address import check_address
from sharprecl.config.base import Fraction
from sharprecl.config.method import MethodConfig


def _quoted(value: object) -> object:
    """YAML reads an unquoted ``7`` or ``no`` as something else than text; a label that is a number is meant as one."""
    if not isinstance(value, Mapping):
        return value
    for name, word in value.items():
        if not isinstance(word, str):
            raise ValueError(f"the word for {str(name)!r} is {word!r}, which is no text; quote it: '{word}'")
    return {str(name): word for name, word in value.items()}


Dollars = Annotated[float, Field(ge=0)]
LabelWords = Annotated[dict[str, str], BeforeValidator(_quoted)]
"""Words for labels by the label's name."""


class LanguageModelConfig(MethodConfig):
    """Base of the methods whose model writes the label, without an encoder and classifier."""

    views = "none"
    trains_encoder = False
    more_than_a_loss = "it tunes a language model"
    ignores = ("view", "augment", "encoder", "training", "decision")
    heeds: ClassVar[tuple[str, ...]] = ("precision",)
    ignores_because = "which has no encoder"


class LlmLoraConfig(LanguageModelConfig):
    """Settings of the fine-tuned language model."""

    implementation = "sharprecl.llm.lora:LlmLora"
    backend = implementation
    heeds = ("precision", "checkpoint_seconds")
    # artidoro/qlora, qlora.py: its defaults; rate, warm-up, clipping and texts a step are the same as here. The paper's
    # models are in 4 bits by themselves.
    official = {"method": {"rank": 64, "alpha": 16, "dropout": 0.0, "target_modules": "all", "micro_batch_size": 1}}

    name: Literal["llm_lora"] = "llm_lora"
    model: str = Field(
        "smollm2", description="smollm2, bloom_7b1, llama2_7b, llama3_8b, a local folder or a Hugging Face id"
    )
    task: str = Field("category of the text", min_length=1, description="what the labels are, for the prompt")
    label_words: LabelWords = Field({}, description="what stands in the prompt for a label whose name says little")
    prompt: Literal["auto", "chat", "plain"] = Field("auto", description="auto is chat where the model has a template")
    max_words: int = Field(256, ge=1, description="words a text; the rest is cut off")
    rank: int = Field(16, ge=1, description="r of the adapters")
    alpha: int = Field(32, ge=1, description="the adapters' output is multiplied by alpha / r")
    dropout: float = Field(0.05, ge=0, lt=1, description="on the adapters' input")
    target_modules: Literal["auto", "all"] | tuple[str, ...] = Field(
        "auto",
        description="linear layers with an adapter; auto is PEFT's choice for the architecture (queries, values)",
    )
    quantization: Literal["auto", "none", "nf4"] = Field(
        "auto", description="of the frozen weights; auto is nf4 for the presets of 7 billion weights and more"
    )
    epochs: int = Field(3, ge=0, description="passes over the training texts; 0 asks the model as it is (zero-shot)")
    batch_size: int = Field(16, ge=1, description="texts a step")
    micro_batch_size: int = Field(8, ge=1, description="texts at a time within a step: for memory, not for the result")
    learning_rate: float = Field(2e-4, gt=0, description="AdamW's")
    warmup: Fraction = Field(0.03, description="share of all steps in which the learning rate rises")
    max_grad_norm: float = Field(0.3, gt=0, description="largest norm of the gradient")
    inference: Literal["score", "generate"] = Field(
        "score", description="the most probable label, or the answer that the model writes, if it is one"
    )
    scoring: Literal["sum", "mean"] = Field("sum", description="log-probability of a label's tokens, summed or a token")


class OpenAIFinetuneConfig(LanguageModelConfig):
    """Settings of fine-tuning at a provider. The key is no setting: it is read from OPENAI_API_KEY and kept nowhere."""

    implementation = "sharprecl.llm.openai_finetune:OpenAIFinetune"
    backend = implementation
    no_weights_because = "the provider takes each text once an epoch"
    permissions = frozenset({"max_cost", "poll_seconds", "workers"})

    name: Literal["openai_finetune"] = "openai_finetune"
    model: str = Field("gpt-3.5-turbo-0125", min_length=1, description="a model that the provider fine-tunes")
    task: str = Field("topic of the text", min_length=1, description="what the label tells, as the prompt calls it")
    label_words: LabelWords = Field(
        default_factory=dict, description="words that stand for labels in the prompt, for names that say nothing"
    )
    max_words: int = Field(256, ge=1, description="words of a text; the rest is cut off")
    n_epochs: Annotated[int, Field(ge=1, le=50)] | Literal["auto"] = Field(
        "auto", description="passes over the texts; auto is 3, more below 34 texts, fewer above 8,333"
    )
    batch_size: Annotated[int, Field(ge=1)] | Literal["auto"] = Field("auto", description="auto: the provider chooses")
    learning_rate_multiplier: Annotated[float, Field(gt=0)] | Literal["auto"] = Field(
        "auto", description="auto: the provider chooses"
    )
    max_cost: Dollars | None = Field(
        None,
        description="dollars for training and judging, by the estimate; null asks on a terminal, and refuses in Python",
    )
    price_per_million_training_tokens: Dollars | None = Field(
        None, description="dollars; null looks the model up in a small table"
    )
    price_per_million_input_tokens: Dollars | None = Field(None, description="the same for the prompts of answers")
    base_url: str | None = Field(None, description="of another provider; null is OPENAI_BASE_URL, else OpenAI")
    poll_seconds: float = Field(30.0, gt=0, description="between two looks at the running job")
    workers: int = Field(4, ge=1, le=64, description="answers asked for at a time")
    max_answer_tokens: int = Field(16, ge=1, description="length of an answer; more where a label needs more")

    @field_validator("base_url")
    @classmethod
    def _plain_address(cls, value: str | None) -> str | None:
        return None if value is None else check_address(value)
