"""Nothing is bought unasked: what a provider's fine-tuning would cost, and whether a person agrees."""

import sys
from pathlib import Path

import typer
from rich.console import Console

from sharprecl.cli.console import say
from sharprecl.config import RunConfig
from sharprecl.data.tables import TextTable
from sharprecl.errors import ConfigError


def agreed_cost(
    console: Console,
    table: TextTable,
    config: RunConfig,
    output: Path,
    *,
    judged: TextTable,
    dry_run: bool,
    yes: bool,
    resume: bool,
) -> RunConfig | None:
    """Show the estimate; return the settings with the allowed cost, or None where nothing is to be trained.

    All that can fail before anything is spent fails here, and no folder is touched but by a dry run.

    Args:
        output: where a dry run leaves the lines that would be sent, and where an earlier run left its job.
        judged: what the trained model will be judged on.
        dry_run: stop after the estimate.
        yes: agree to the estimate unasked.
        resume: a job that was paid for already is gone on with unasked.

    Raises:
        ConfigError: more would be spent than was allowed, nobody can be asked, or no key, package or folder is there.
    """
    from sharprecl.config.language_models import OpenAIFinetuneConfig
    from sharprecl.llm.openai_client import check_before_spending
    from sharprecl.llm.openai_job import STATE, TRAINING_FILE, read_state
    from sharprecl.llm.openai_plan import make_plan

    settings = config.method
    assert isinstance(settings, OpenAIFinetuneConfig)
    plan = make_plan(table, settings, judged.texts)
    say(console, plan.sentence())
    path = output / TRAINING_FILE
    if dry_run and (output / STATE).exists():
        say(console, f"nothing was sent, nothing written: {path} belongs to a job that was begun")
        return None
    if dry_run:
        try:
            plan.write(path)
        except OSError as error:
            raise ConfigError(f"{path} cannot be written ({error.strerror}); choose another --output") from error
        say(console, f"nothing was sent; what would be: {path}")
        return None
    state = read_state(output) if resume else None
    trained = state is not None and state.job is not None
    if not trained:
        check_before_spending(config)
    if settings.max_cost is not None:
        plan.check_allowed(settings.max_cost, trained=trained)
        return config
    if not (yes or trained):
        if sys.stdin is None or not sys.stdin.isatty():
            raise ConfigError("there is no terminal to ask on whether to spend that; add --yes to agree")
        if not typer.confirm("Spend that?", default=False):
            say(console, "nothing was sent, nothing spent")
            return None
    return config.model_copy(update={"method": settings.model_copy(update={"max_cost": plan.total})})
