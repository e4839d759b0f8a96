"""What can fail before anything is spent, or any folder touched."""

from sharprecl.config import RunConfig
from sharprecl.llm.openai_client import check_key
from sharprecl.llm.openai_endpoint import name_endpoint


def check_before_spending(config: RunConfig) -> None:
    """See that package, key and address of a provider are there; nothing for methods that need none.

    Args:
        config: a person's own settings. They name the address, so this process may send the key there.

    Raises:
        ConfigError: no key, or no possible address.
        MissingExtraError: the ``openai`` package is not installed.
    """
    if config.method.name == "openai_finetune":
        check_key()
        name_endpoint(config.method.model_dump()["base_url"])
