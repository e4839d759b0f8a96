"""SharpReCL's loss in three loops that are not this package's. ``tests/test_own_loops.py`` runs all of them.

Each takes labelled texts and gives back a trained model. Two views of a text are the text twice: dropout makes them
differ.
"""

from collections import Counter

import torch

from sharprecl import MethodLoss

EPOCHS, BATCH, RATE = 4, 16, 5e-4


def class_counts(labels: list[int]) -> list[int]:
    found = Counter(labels)
    return [found[c] for c in range(max(found) + 1)]


def plain_pytorch(model, tokenizer, texts: list[str], labels: list[int]):
    """A transformers model for sequence classification, and a loop of one's own."""
    steps = EPOCHS * -(-len(texts) // BATCH)
    loss = MethodLoss("sharprecl", model.classifier, class_counts(labels), total_steps=steps)
    optimizer = torch.optim.AdamW([*model.parameters(), *loss.parameters()], lr=RATE)
    decay = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, total_iters=steps)
    model.train()
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(texts)).split(BATCH):
            twice = [texts[row] for row in rows] * 2
            model(**tokenizer(twice, padding=True, truncation=True, return_tensors="pt"))
            loss(torch.tensor([labels[row] for row in rows])).backward()
            optimizer.step()
            decay.step()
            optimizer.zero_grad()
    return model.eval()


def hugging_face_trainer(model, tokenizer, texts: list[str], labels: list[int], folder: str):
    """The same model and the Trainer of transformers."""
    from transformers import Trainer, TrainingArguments

    steps = EPOCHS * -(-len(texts) // BATCH)
    loss = MethodLoss("sharprecl", model.classifier, class_counts(labels), total_steps=steps)

    def collate(rows: list[tuple[str, int]]) -> dict[str, torch.Tensor]:
        twice = [text for text, _ in rows] * 2
        tokens = tokenizer(twice, padding=True, truncation=True, return_tensors="pt")
        return {**tokens, "labels": torch.tensor([label for _, label in rows])}

    optimizer = torch.optim.AdamW([*model.parameters(), *loss.parameters()], lr=RATE)
    trainer = Trainer(
        model,
        TrainingArguments(
            folder,
            num_train_epochs=EPOCHS,
            per_device_train_batch_size=BATCH,
            remove_unused_columns=False,
            report_to=[],
            save_strategy="no",
            use_cpu=True,
        ),
        data_collator=collate,
        train_dataset=list(zip(texts, labels, strict=True)),
        compute_loss_func=lambda outputs, labels, num_items_in_batch=None: loss(labels),
        optimizers=(optimizer, None),
    )
    trainer.train()
    return model.eval()


class SentenceLoss(torch.nn.Module):
    """What the trainer of sentence-transformers asks for: a loss that runs the model itself."""

    def __init__(self, model, counts: list[int], total_steps: int) -> None:
        super().__init__()
        self.model = model
        self.classifier = torch.nn.Linear(model.get_embedding_dimension(), len(counts))
        self.loss = MethodLoss("sharprecl", self.classifier, counts, total_steps=total_steps)

    def forward(self, sentence_features, labels: torch.Tensor) -> torch.Tensor:
        (text,) = sentence_features
        self.classifier(torch.cat([self.model(dict(text))["sentence_embedding"] for _ in range(2)]))
        return self.loss(labels)


def sentence_transformers(model, texts: list[str], labels: list[int], folder: str):
    """An embedding model; the classifier is trained beside it."""
    from datasets import Dataset
    from sentence_transformers import SentenceTransformerTrainer, SentenceTransformerTrainingArguments

    loss = SentenceLoss(model, class_counts(labels), EPOCHS * -(-len(texts) // BATCH))
    trainer = SentenceTransformerTrainer(
        model,
        SentenceTransformerTrainingArguments(
            folder,
            num_train_epochs=EPOCHS,
            per_device_train_batch_size=BATCH,
            learning_rate=RATE,
            report_to=[],
            save_strategy="no",
            use_cpu=True,
        ),
        train_dataset=Dataset.from_dict({"sentence": texts, "label": labels}),
        loss=loss,
    )
    trainer.train()
    return model.eval(), loss.classifier
