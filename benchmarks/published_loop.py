"""The training loop of the paper's published code as its README starts it, written anew on a plain encoder.

Batches of 128 in the order of a shuffle, padded to their longest; two encodings a step, of the text and of a WordNet
view; dropout never on; float32; AdamW at 5e-5 without schedule; unit-length logits; no synthetic samples. Its choice of
the epoch by test accuracy is left out: the last one answers, and no epoch is judged.
"""

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import AutoModel, AutoTokenizer

from sharprecl.assets.named import resolve_encoder
from sharprecl.augment.registry import make_augmenter
from sharprecl.data.tables import TextTable
from sharprecl.losses.anchor_weights import anchor_weights
from sharprecl.losses.logit_compensation import compensated_cross_entropy, log_prior
from sharprecl.losses.prototype_contrastive import prototype_contrastive
from sharprecl.models.heads import ProjectionHead

BATCH, RATE, DECAY, TEMPERATURE, WIDTH = 128, 5e-5, 4e-5, 0.3, 100


def published_loop(train: TextTable, test: TextTable, seed: int, epochs: int, max_length: int) -> np.ndarray:
    """The last epoch's answers for the test texts."""
    torch.manual_seed(seed)
    source = resolve_encoder("minilm")
    tokenizer, encoder = AutoTokenizer.from_pretrained(source), AutoModel.from_pretrained(source).eval()
    width = encoder.config.hidden_size
    classifier = nn.Linear(width, train.num_classes)
    heads = [ProjectionHead(width, WIDTH, "batch"), ProjectionHead(width, WIDTH, "batch")]
    modules = nn.ModuleList([encoder, classifier, *heads])
    optimizer = torch.optim.AdamW(modules.parameters(), RATE, weight_decay=DECAY)
    counts_C = torch.as_tensor(train.class_counts)
    prior_C, weight_C = log_prior(counts_C, "epsilon"), anchor_weights("code_scalar", counts_C)
    augmenter = make_augmenter(["synonyms"])
    views = (train.texts, augmenter.augment(train.texts, seed))
    y_N = torch.as_tensor(train.label_ids)

    def encode(texts: list[str]) -> Tensor:
        words = [text.lower().split(" ") for text in texts]
        given = tokenizer(
            words, is_split_into_words=True, truncation=True, max_length=max_length, padding=True, return_tensors="pt"
        )
        return encoder(**given).last_hidden_state[:, 0]

    for _ in range(epochs):
        for index in torch.randperm(len(train)).split(BATCH):
            x_2BH = torch.cat([encode([view[i] for i in index.tolist()]) for view in views])
            y_2B = y_N[index].repeat(2)
            z_MD = torch.cat([heads[0](x_2BH), heads[1](classifier.weight)])
            y_M = torch.cat([y_2B, torch.arange(train.num_classes)])
            contrast_M = prototype_contrastive(z_MD @ z_MD.T, z_MD.new_zeros(len(y_M), 0), y_M, 0, TEMPERATURE)
            classified = compensated_cross_entropy(classifier(x_2BH), y_2B, prior_C, normalize_logits=True)
            loss = classified.mean() + (weight_C.to(contrast_M)[y_M] * contrast_M).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        # BatchNorm's statistics are the first epoch's.
        modules.eval()
    with torch.no_grad():
        logits = [classifier(encode(list(test.texts[at : at + BATCH]))) for at in range(0, len(test), BATCH)]
    return F.softmax(torch.cat(logits), 1).argmax(1).numpy()
