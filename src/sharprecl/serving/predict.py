"""``POST /predict``: texts in, decided answers out."""

from typing import Annotated, Any, Self

import numpy as np
from fastapi import APIRouter, Body
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from sharprecl.decision import Answers
from sharprecl.serving.problems import problems
from sharprecl.serving.service import Model, Service

_EXAMPLES = {
    "one": {"summary": "One text", "value": {"text": "my card was charged twice"}},
    "many": {
        "summary": "Several texts, with sets",
        "value": {"texts": ["my card was charged twice", "where is my parcel?"], "top_k": 2, "sets": True},
    },
}
_NO_TEXT = "there is no text"
_NO_LABEL = "the language model's answer is none of the labels"


class Chance(BaseModel):
    """How probable a class is."""

    label: str
    probability: float = Field(ge=0, le=1)


class Answer(BaseModel):
    """What the model makes of one text."""

    label: str | None = Field(
        description="The answer; null if there is none. Where thresholds were decided on, another class may be more "
        "probable."
    )
    confidence: float | None = Field(description="Calibrated probability of the label.", ge=0, le=1)
    abstained: bool = Field(description="The label is only the best guess, below the bar that was decided on, or null.")
    classes: list[Chance] = Field(description="The most probable classes, as many as asked for.")
    set: list[str] | None = Field(
        None, description="Labels that the true one is among as often as was decided; if asked for and learnt."
    )
    reason: str | None = Field(None, description="Why there is no label.")


class Reply(BaseModel):
    """Answers in the order of the texts."""

    model: str = Field(description="Version of the model that answered.")
    answers: list[Answer]


def _whole(value: Any) -> Any:
    """JSON knows one kind of number: 3.0 is an integer."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def router(service: Service) -> APIRouter:
    """The route that answers."""
    routes = APIRouter(tags=["answers"])
    limits = service.limits
    text_type = Annotated[str, Field(max_length=limits.characters)]

    class Question(BaseModel):
        """One text, or several."""

        # Exactly one of the two, which OpenAPI has to know too.
        model_config = ConfigDict(
            extra="forbid", strict=True, json_schema_extra={"oneOf": [{"required": ["text"]}, {"required": ["texts"]}]}
        )

        text: text_type = Field("", description="The text. A blank one gets no label.")
        texts: list[text_type] = Field([], description="Or several of them.", max_length=limits.texts)
        top_k: Annotated[int, BeforeValidator(_whole)] = Field(
            3, ge=1, le=1000, description="How many classes to list, the most probable first."
        )
        sets: bool = Field(False, description="Whether to add the set of labels, if the model has learnt sets.")

        @model_validator(mode="after")
        def _one_of_both(self) -> Self:
            if len({"text", "texts"} & self.model_fields_set) != 1:
                raise PydanticCustomError("one_of_both", 'the body has to have either "text" or "texts"')
            return self

    @routes.post("/predict", summary="Classify texts", responses=problems(408, 413, 422, 429, 503))
    async def predict(question: Annotated[Question, Body(openapi_examples=_EXAMPLES)]) -> Reply:
        texts = [question.text] if "text" in question.model_fields_set else question.texts
        model = service.model
        answers = await service.answer(texts, model)
        service.metrics.count(answers)
        return Reply(model=model.version, answers=listed(answers, texts, model, question.top_k, question.sets))

    return routes


def listed(answers: Answers, texts: list[str], model: Model, top_k: int, sets: bool) -> list[Answer]:
    """Answers as they are sent."""
    names, sets_NC = model.label_names, answers.sets_NC if sets else None
    found = []
    for row, class_id in enumerate(answers.class_ids_N.tolist()):
        if class_id < 0:
            reason = _NO_LABEL if texts[row].strip() else _NO_TEXT
            found.append(Answer(label=None, confidence=None, abstained=True, classes=[], reason=reason))
            continue
        chances_C = answers.probabilities_NC[row]
        found.append(
            Answer(
                label=names[class_id],
                confidence=answers.confidence_N[row],
                abstained=bool(answers.abstained_N[row]),
                classes=[
                    Chance(label=names[place], probability=chances_C[place])
                    for place in np.argsort(-chances_C, kind="stable")[:top_k]
                ],
                set=None if sets_NC is None else [names[place] for place in np.flatnonzero(sets_NC[row])],
            )
        )
    return found
