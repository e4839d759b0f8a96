"""SharpReCL on one screen: the whole method, without this package. Needs torch and transformers only.

    python examples/minimal.py        trains on a dozen lines of text and prints the loss

Shapes: B texts, N = 2B views, C classes, H feature width, D projection width, M = N + C items of D-hat.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn

TAU, MU, COMPENSATION, N_POS, N_NEG, TOP_K = 0.7, 0.3, 0.75, 10, 500, 20


class SharpReCL(nn.Module):
    """The classifier and the two projection heads; only the classifier is kept after training."""

    def __init__(self, hidden: int, counts_C: list[int], dim: int = 100, seed: int = 0):
        super().__init__()
        self.classifier = nn.Linear(hidden, len(counts_C))
        self.feature_head = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.prototype_head = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        n_C = torch.tensor(counts_C)
        self.register_buffer("log_prior_C", COMPENSATION * torch.log(n_C / n_C.sum()))
        self.generator = torch.Generator().manual_seed(seed)
        self.mixing = torch.Generator().manual_seed(seed + 1)

    def loss(self, x_NH, y_B, done):
        """x_NH: features of the first views of all texts, then of the second ones. done: part of the training."""
        num_classes = len(self.log_prior_C)
        y_N = torch.cat([y_B, y_B])

        # Classification: cross-entropy with a part of the log prior added, so that rare classes must win by more.
        classification = F.cross_entropy(self.classifier(x_NH) + self.log_prior_C, y_N)
        # The same of mixed texts, in which every class of the batch has as large a part.
        classification = classification + self.mixed(x_NH, y_N)

        # D-hat: both views and the prototypes, which are the projected rows of the classifier. The prototypes
        # make every class present in every batch.
        z_ND = self.feature_head(x_NH)
        p_CD = self.prototype_head(self.classifier.weight)
        x_MD = F.normalize(torch.cat([z_ND, p_CD]), dim=1)
        y_M = torch.cat([y_N, torch.arange(num_classes)])

        # Contrast each anchor with D-hat (but itself) and with the synthetic samples of its own class.
        synthetic_CSD = self.synthesise(x_MD, y_M, num_classes, ratio=min(0.5 + 0.5 * done, 1.0))
        in_batch_MM = (x_MD @ x_MD.T).fill_diagonal_(-torch.inf)
        own_MS = torch.einsum("md,msd->ms", x_MD, synthetic_CSD[y_M])
        log_p = torch.log_softmax(torch.cat([in_batch_MM, own_MS], dim=1) / TAU, dim=1)
        positive = torch.zeros_like(log_p, dtype=torch.bool)
        positive[:, : len(y_M)] = (y_M[:, None] == y_M) & ~torch.eye(len(y_M), dtype=torch.bool)
        positive[:, len(y_M) : len(y_M) + N_POS] = True
        l_M = -log_p.where(positive, 0.0).sum(1) / positive.sum(1)

        # All anchors weigh alike. The paper weighs them by log P(class), which repels.
        return classification + MU * l_M.mean()

    def mixed(self, x_NH, y_N):
        """Each text mixed with one of a class drawn from the batch's; both labels count by their share."""
        u_class, u_member, u_a, _ = torch.rand(4, len(y_N), generator=self.mixing, dtype=torch.float64)
        members = [(y_N == c).nonzero()[:, 0] for c in y_N.unique()]
        drawn = [members[int(u * len(members))] for u in u_class]
        other = torch.stack([rows[int(u * len(rows))] for rows, u in zip(drawn, u_member, strict=True)])
        a = torch.sin(u_a * math.pi / 2).square().to(x_NH.dtype)  # Beta(1/2, 1/2)
        mix = torch.lerp(x_NH[other], x_NH, a[:, None])
        length = torch.lerp(x_NH[other].norm(dim=1), x_NH.norm(dim=1), a)
        s_NC = self.classifier(mix * (length / mix.norm(dim=1))[:, None]) + self.log_prior_C
        first, second = (F.cross_entropy(s_NC, y, reduction="none") for y in (y_N, y_N[other]))
        return (a * first + (1 - a) * second).mean()

    def synthesise(self, x_MD, y_M, num_classes, ratio):
        """The same number of positives and negatives for every class, however rare: unit vectors [C, S, D]."""
        u = torch.rand(3, num_classes, N_POS + N_NEG, generator=self.generator, dtype=torch.float64)
        order = torch.argsort(y_M, stable=True)
        classes = []
        for c in range(num_classes):
            nearness = (x_MD @ x_MD[len(x_MD) - num_classes + c]).detach()
            members, others = order[y_M[order] == c], order[y_M[order] != c]
            # Hard: members far from their prototype, and strangers near to it.
            hard_members = members[nearness[members].argsort()[:TOP_K]]
            hard_others = others[nearness[others].argsort(descending=True)[:TOP_K]]
            samples = self.draw(x_MD, members, hard_members, u[:, c, :N_POS], ratio)
            samples += self.draw(x_MD, others, hard_others, u[:, c, N_POS:], ratio)
            classes.append(F.normalize(torch.cat(samples), dim=1))
        return torch.stack(classes)

    @staticmethod
    def draw(x_MD, pool, hard, u, ratio):
        """A share ``ratio`` from hard-mixup, the rest from simple sampling over the whole pool."""
        u_i, u_j, u_a = u
        n_hard = int(ratio * len(u_i) + 1e-9)
        i, j = (hard[(v[:n_hard] * len(hard)).long()] for v in (u_i, u_j))
        a = torch.sin(u_a[:n_hard] * math.pi / 2).square()[:, None].to(x_MD.dtype)  # Beta(1/2, 1/2)
        simple = pool[(u_i[n_hard:] * len(pool)).long()]
        return [a * x_MD[i] + (1 - a) * x_MD[j], x_MD[simple]]


def train(encoder, tokenizer, texts, labels, epochs=3, batch_size=32, lr=5e-5, seed=0):
    """Fine-tune ``encoder`` and return it with its classifier; labels are 0..C-1, each at least once."""
    torch.manual_seed(seed)
    y = torch.tensor(labels)
    model = SharpReCL(encoder.config.hidden_size, torch.bincount(y).tolist(), seed=seed)
    optimizer = torch.optim.AdamW([*encoder.parameters(), *model.parameters()], lr=lr, weight_decay=5e-4)
    steps, step = epochs * math.ceil(len(texts) / batch_size), 0
    encoder.train()
    for epoch in range(epochs):
        for rows in torch.randperm(len(texts)).split(batch_size):
            # The second view is the same text under another dropout mask.
            views = [texts[r] for r in rows] * 2
            inputs = tokenizer(views, padding=True, truncation=True, max_length=256, return_tensors="pt")
            x_NH = encoder(**inputs).last_hidden_state[:, 0]
            loss = model.loss(x_NH, y[rows], done=step / steps)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
        print(f"epoch {epoch + 1}: loss {loss.item():.4f}")
    return encoder, model.classifier


@torch.no_grad()
def predict(encoder, classifier, tokenizer, texts):
    """The argmax of the bare logits: no prior, no heads, no prototypes."""
    encoder.eval()
    inputs = tokenizer(texts, padding=True, truncation=True, max_length=256, return_tensors="pt")
    return classifier(encoder(**inputs).last_hidden_state[:, 0]).argmax(1).tolist()


if __name__ == "__main__":
    from transformers import AutoModel, AutoTokenizer

    name = "bert-base-uncased"
    tokenizer, encoder = AutoTokenizer.from_pretrained(name), AutoModel.from_pretrained(name)
    texts = ["the pitch was flat", "a late goal won it", "rain stopped play", "the striker was sold"] * 3
    texts += ["shares fell again", "the bank cut rates"]
    labels = [0] * 12 + [1] * 2
    encoder, classifier = train(encoder, tokenizer, texts, labels)
    print(predict(encoder, classifier, tokenizer, ["the keeper saved a penalty", "profits doubled"]))
