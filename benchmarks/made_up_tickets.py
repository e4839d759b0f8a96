"""Tickets of 150 queues: 15 products with 10 kinds of trouble each, as skewed as queues are, in words that we made up.

A queue is a product and a trouble, so its neighbours share half of it. Test tickets also have wordings that no training
ticket has. No ticket of a customer is in it.
"""

import random

from sharprecl.data.tables import TextTable, read_table

PRODUCTS = (
    "router", "television box", "mobile plan", "landline", "email account", "web shop", "loyalty card", "smart meter",
    "thermostat", "door camera", "streaming app", "cloud drive", "payment terminal", "company car", "payroll portal",
)  # fmt: skip
TROUBLES = {
    "order": ("I would like to order a {}", "please send me a new {}", "how can I get a {}", "we need one more {}"),
    "cancel": ("I want to cancel my {}", "please end the contract for my {}", "I no longer need the {}", "stop my {}"),
    "bill": ("the bill for my {} is too high", "I was charged twice for the {}", "what is this fee for the {}",
             "the invoice of my {} has a wrong sum"),
    "broken": ("my {} does not turn on", "the {} is dead since this morning", "nothing happens with my {} any more",
               "the {} is broken"),
    "slow": ("my {} is very slow", "the {} takes ages", "waiting minutes for the {}", "my {} hangs all the time"),
    "access": ("I cannot log in to my {}", "the {} rejects my password", "locked out of the {}",
               "the {} says access denied"),
    "update": ("since the update my {} behaves strangely", "how do I install the new version on my {}",
               "the {} keeps asking for an upgrade", "new firmware for the {} fails"),
    "move": ("I am moving, what about my {}", "please change the address of my {}", "take the {} to my new flat",
             "our office moves and the {} must come along"),
    "praise": ("I love my {}", "thank you, the {} works very well", "great help with my {}",
               "very happy with the {}"),
    "privacy": ("which data does the {} keep about me", "delete what the {} knows of me",
                "who can see what I do with my {}", "I object to tracking by the {}"),
}  # fmt: skip
AROUND = (
    "Hello,", "Good morning,", "Hi there,", "Dear team,", "This is urgent.", "Please call me back.",
    "Thanks in advance.", "I have been a customer for years.", "My colleague wrote to you last week.", "Kind regards",
    "Sent from my phone", "I tried everything in the manual.", "By the way, my {} is fine.",
    "I asked about the {} before, this is another matter.",
)  # fmt: skip
SEEN = 3
"""The wordings of a trouble that training tickets have."""


def ticket(product: str, trouble: str, wordings: int, rng: random.Random) -> str:
    """One text."""
    wanted = rng.choice(TROUBLES[trouble][:wordings]).format(product) + rng.choice((".", "!", "?", ""))
    around = [words.format(rng.choice(PRODUCTS)) for words in rng.sample(AROUND, rng.randint(1, 4))]
    around.insert(rng.randint(0, len(around)), wanted[0].upper() + wanted[1:])
    return " ".join(around)


def tickets(seed: int, most: int = 60, fewest: int = 2, tests: int = 8) -> tuple[TextTable, TextTable]:
    """Training tickets, ``most`` to ``fewest`` a queue in a geometric row, and ``tests`` of every queue."""
    rng = random.Random(seed)
    queues = [(product, trouble) for product in PRODUCTS for trouble in TROUBLES]
    rng.shuffle(queues)
    found: tuple[list[tuple[str, str]], list[tuple[str, str]]] = ([], [])
    for place, (product, trouble) in enumerate(queues):
        label = f"{product}: {trouble}"
        number = round(most * (fewest / most) ** (place / (len(queues) - 1)))
        found[0].extend((ticket(product, trouble, SEEN, rng), label) for _ in range(number))
        found[1].extend((ticket(product, trouble, SEEN + 1, rng), label) for _ in range(tests))
    train, test = (read_table(tuple(map(list, zip(*pairs, strict=True)))) for pairs in found)
    return train, test
