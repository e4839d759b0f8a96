"""What the labels of benchmarks stand for, where they are codes or numbers."""

from collections.abc import Mapping

INFERRED: tuple[str, ...] = ("dblp", "biomedical")
"""Benchmarks whose descriptions nobody published beside the data: they are inferred from the words of each class."""

# Ohsumed: the MeSH groups of diseases. DBLP: the fields in the order in which PTE's paper names them, which fits each
# class's characteristic words. Biomedical: the same words, and that the numbers then follow the alphabet.
_DESCRIPTIONS: Mapping[str, Mapping[str, str]] = {
    "ohsumed": {
        "C01": "Bacterial Infections and Mycoses",
        "C02": "Virus Diseases",
        "C03": "Parasitic Diseases",
        "C04": "Neoplasms",
        "C05": "Musculoskeletal Diseases",
        "C06": "Digestive System Diseases",
        "C07": "Stomatognathic Diseases",
        "C08": "Respiratory Tract Diseases",
        "C09": "Otorhinolaryngologic Diseases",
        "C10": "Nervous System Diseases",
        "C11": "Eye Diseases",
        "C12": "Urologic and Male Genital Diseases",
        "C13": "Female Genital Diseases and Pregnancy Complications",
        "C14": "Cardiovascular Diseases",
        "C15": "Hemic and Lymphatic Diseases",
        "C16": "Neonatal Diseases and Abnormalities",
        "C17": "Skin and Connective Tissue Diseases",
        "C18": "Nutritional and Metabolic Diseases",
        "C19": "Endocrine Diseases",
        "C20": "Immunologic Diseases",
        "C21": "Disorders of Environmental Origin",
        "C22": "Animal Diseases",
        "C23": "Pathological Conditions, Signs and Symptoms",
    },
    "dblp": {
        "1": "database",
        "2": "artificial intelligence",
        "3": "hardware",
        "4": "system",
        "5": "programming languages",
        "6": "theory",
    },
    "biomedical": {
        "1": "aging",
        "2": "cats",
        "3": "chemistry",
        "4": "erythrocytes",
        "5": "glucose",
        "6": "insulin",
        "7": "lung",
        "8": "lymphocytes",
        "9": "mathematics",
        "10": "mutation",
        "11": "myocardium",
        "12": "norepinephrine",
        "13": "potassium",
        "14": "prognosis",
        "15": "risk",
        "16": "skin",
        "17": "sodium",
        "18": "spleen",
        "19": "swine",
        "20": "temperature",
    },
}


def label_descriptions(name: str) -> Mapping[str, str]:
    """From label to description for a benchmark; empty where labels speak for themselves. See ``INFERRED``."""
    return _DESCRIPTIONS.get(name, {})
