"""What the doctor found, as plain values: the terminal, the JSON file and the page all show this and nothing else.

Shares lie in 0 to 1. Rows are counted from 1, without the header, in the file that was given. ``None`` means: not
examined, and a finding says why.
"""

from dataclasses import asdict, dataclass
from typing import Any, Literal

Severity = Literal["problem", "warning", "note"]


@dataclass(frozen=True)
class Finding:
    """One sentence about the data.

    Attributes:
        severity: ``problem`` makes results wrong or training fail; ``warning`` makes them worse; ``note`` is worth
            knowing.
        about: the section it belongs to, such as ``labels`` or ``duplicates``.
        sentence: what was found, with numbers.
        cure: what to do about it; empty where nothing need be done.
        rows: the first few rows that it is about.
    """

    severity: Severity
    about: str
    sentence: str
    cure: str = ""
    rows: tuple[int, ...] = ()


@dataclass(frozen=True)
class Distribution:
    """How the texts fall into classes.

    Attributes:
        counts: training texts by class name, largest first.
        test_counts: test texts by class name; empty without a test file.
        imbalance_ratio: largest over smallest class.
        effective_classes: the exponential of the entropy of the class shares: how many equally large classes would
            be as diverse.
        gini: the Gini coefficient of the class sizes, 0 for equal ones.
        single, pairs, under_ten: classes with exactly one text, exactly two, fewer than ten.
    """

    counts: dict[str, int]
    test_counts: dict[str, int]
    imbalance_ratio: float
    effective_classes: float
    gini: float
    single: int
    pairs: int
    under_ten: int


@dataclass(frozen=True)
class BatchOutlook:
    """What a batch of training texts looks like on average, drawn without replacement.

    Attributes:
        batch_size: texts a batch.
        expected_classes: classes with at least one text in the batch.
        alone: for each class name, largest first: the chance that a text of it that is in the batch meets no other of
            its class there.
        pair_ratio: expected positive pairs of the largest class over those of the smallest class that has any, with one
            view a text; the batch size does not matter then.
        two_view_pair_ratio: the same with two views of every text, each the other's positive.
        balanced_pair_ratio: positive pairs with prototypes and targets: the same with two views, a prototype of every
            class in every batch and SharpReCL's default number of synthetic positives for every anchor.
        rebalanced_pair_ratio: of SharpReCL's targets alone, which every class gets the same number of: not measured,
            1 by construction.
        classes_with_prototypes: classes that the contrastive branch sees where every batch has a prototype of every
            class: not measured, all by construction.
    """

    batch_size: int
    expected_classes: float
    alone: dict[str, float]
    pair_ratio: float | None
    two_view_pair_ratio: float
    balanced_pair_ratio: float
    rebalanced_pair_ratio: float
    classes_with_prototypes: int


@dataclass(frozen=True)
class DuplicateGroup:
    """Texts that are equal or nearly so.

    Attributes:
        rows: their rows in the training file; ``test_rows``: in the test file.
        labels: the different labels that they carry.
        text: the first of them, shortened.
    """

    rows: tuple[int, ...]
    test_rows: tuple[int, ...]
    labels: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Duplicates:
    """Equal and nearly equal texts; equal means: but for case, punctuation and spacing. Copies that
    ``sharprecl augment`` made are left out.

    Attributes:
        exact_train, exact_test: surplus rows within a file: rows whose text is equal to an earlier one.
        near_train, near_test: further rows that would go if of each group of nearly equal texts of their file one
            stayed.
        leaks, near_leaks: test rows whose text is equal to one of training, or nearly equal.
        conflicts: different texts that carry more than one label, in one file or between the two.
        groups: the most telling examples, conflicts and leaks first, at most 50.
        compared: rows of both files that were compared for near duplicates: all, or the sample that the limit allows.
    """

    exact_train: int
    exact_test: int
    near_train: int
    near_test: int
    leaks: int
    near_leaks: int
    conflicts: int
    groups: tuple[DuplicateGroup, ...]
    compared: int


@dataclass(frozen=True)
class TextFacts:
    """What the encoder will see of the texts.

    Attributes:
        encoder: the name that was given; empty where no tokenizer could be had.
        max_length: tokens that a text may have.
        truncated, truncated_test: share of the texts that are longer, None without a tokenizer.
        empty: training rows of which the tokenizer keeps nothing but unknown tokens, at most 50; texts that were too
            long to be read whole are not among them.
        empty_count: how many such rows there are among those examined.
        token_quantiles: tokens a text at the quantiles 0.5, 0.9, 0.99 and 1, uncut, with special ones; empty without
            a tokenizer.
        scripts: share of the texts by the script that most of their letters belong to, as ``LATIN`` or ``CYRILLIC``,
            largest first; texts without letters have none.
        foreign: rows outside the main script, at most 50; ``foreign_count``: how many.
        examined: training texts that were tokenised: all, or the sample that the limit allows; 0 without a tokenizer.
    """

    encoder: str
    max_length: int
    truncated: float | None
    truncated_test: float | None
    empty: tuple[int, ...]
    empty_count: int
    token_quantiles: tuple[float, ...]
    scripts: dict[str, float]
    foreign: tuple[int, ...]
    foreign_count: int
    examined: int


@dataclass(frozen=True)
class Suspect:
    """A training row whose label looks wrong.

    Attributes:
        row: of the training file.
        label: as given; ``suggested``: the class that the out-of-fold model prefers.
        confidence: that class's probability; ``self_confidence``: the given label's.
        rare: whether the given class has so few texts that the model may just not know it: rare or mislabelled?
        text: shortened.
    """

    row: int
    label: str
    suggested: str
    confidence: float
    self_confidence: float
    rare: bool
    text: str


CHANCE = 0.05
"""Macro-F1 above that of guessing below which a model of words knows nothing."""


@dataclass(frozen=True)
class LabelErrors:
    """Confident learning on out-of-fold probabilities of TF-IDF with logistic regression (Northcutt et al., 2021).

    Attributes:
        examined: rows with an out-of-fold probability: all, or the sample that the limit allows.
        estimated: rows of those whose label is probably wrong; rare classes (under ten texts) are not counted here.
        by_class: for each class name with such rows: how many, most first.
        suspects: the worst of these rows, worst first, then the worst of ``rare``, at most 100 together.
        confusions: (given label, suggested label, rows) of the estimated rows, most frequent first, at most 20.
        macro_f1, accuracy: of the out-of-fold answers: the floor that a trained encoder must beat. Classes that have
            not two different texts are left out: held out, they cannot be known.
        test_macro_f1: the same model on the test texts of every class that was examined, None without any.
        f1_by_class: out-of-fold F1 of every class in ``macro_f1``, largest class first.
        rare: rows of rare classes that look like another class: rare or mislabelled?
    """

    examined: int
    estimated: int
    by_class: dict[str, int]
    suspects: tuple[Suspect, ...]
    confusions: tuple[tuple[str, str, int], ...]
    macro_f1: float
    accuracy: float
    test_macro_f1: float | None
    f1_by_class: dict[str, float]
    rare: int = 0

    @property
    def guesses(self) -> bool:
        """Whether the model hardly beats guessing. Then it would accuse at random, and accuses nobody."""
        return self.macro_f1 <= 1 / len(self.f1_by_class) + CHANCE


@dataclass(frozen=True)
class Recommendation:
    """A command line that fits this data, and why, one reason an option."""

    command: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Diagnosis:
    """All of it. ``name`` is the table as it was given; ``rows`` and ``usable`` count before and after the rows that
    cannot be used were set aside.
    """

    name: str
    rows: int
    usable: int
    findings: tuple[Finding, ...]
    distribution: Distribution
    batches: BatchOutlook
    duplicates: Duplicates
    texts: TextFacts
    label_errors: LabelErrors | None
    recommendation: Recommendation
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """JSON-ready values, keys as the attributes are called."""
        return asdict(self)
