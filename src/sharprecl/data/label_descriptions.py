"""What the labels of benchmarks stand for, where they are codes or numbers."""

from collections.abc import Mapping

INFERRED: tuple[str, ...] = ("dblp", "biomedical")
"""Benchmarks whose descriptions nobody published beside the data: they are inferred from the words of each class."""

# The MeSH groups of diseases, C01 to C23.
_OHSUMED = """Bacterial Infections and Mycoses; Virus Diseases; Parasitic Diseases; Neoplasms; Musculoskeletal Diseases;
    Digestive System Diseases; Stomatognathic Diseases; Respiratory Tract Diseases; Otorhinolaryngologic Diseases;
    Nervous System Diseases; Eye Diseases; Urologic and Male Genital Diseases;
    Female Genital Diseases and Pregnancy Complications; Cardiovascular Diseases; Hemic and Lymphatic Diseases;
    Neonatal Diseases and Abnormalities; Skin and Connective Tissue Diseases; Nutritional and Metabolic Diseases;
    Endocrine Diseases; Immunologic Diseases; Disorders of Environmental Origin; Animal Diseases;
    Pathological Conditions, Signs and Symptoms"""

# The fields in the order in which PTE's paper names them, which fits each class's characteristic words.
_DBLP = "database; artificial intelligence; hardware; system; programming languages; theory"

# The same words, and that the numbers then follow the alphabet.
_BIOMEDICAL = """aging; cats; chemistry; erythrocytes; glucose; insulin; lung; lymphocytes; mathematics; mutation;
    myocardium; norepinephrine; potassium; prognosis; risk; skin; sodium; spleen; swine; temperature"""


def _numbered(names: str, label: str = "{}") -> dict[str, str]:
    return {label.format(number): name.strip() for number, name in enumerate(names.split(";"), start=1)}


_DESCRIPTIONS = {
    "ohsumed": _numbered(_OHSUMED, "C{:02}"),
    "dblp": _numbered(_DBLP),
    "biomedical": _numbered(_BIOMEDICAL),
}


def label_descriptions(name: str) -> Mapping[str, str]:
    """From label to description for a benchmark; empty where labels speak for themselves. See ``INFERRED``."""
    return _DESCRIPTIONS.get(name, {})
