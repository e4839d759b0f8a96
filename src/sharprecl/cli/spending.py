"""Nothing is bought unasked: what a provider's fine-tuning would cost, and whether a person agrees."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from sharprecl.cli.show import say
from sharprecl.config import RunConfig
from sharprecl.data.tables import TextTable
from sharprecl.errors import ConfigError

if TYPE_CHECKING:
    from sharprecl.llm.openai_plan import JobPlan


def agreed_cost(
    console: Console,
    table: TextTable,
    config: RunConfig,
    output: Path,
    *,
    judged: TextTable | None = None,
    dry_run: bool,
    yes: bool,
    resume: bool,
) -> RunConfig | None:
    """Show the estimate; return the settings with the allowed cost, or None where nothing is to be trained.

    All that can fail before anything is spent fails here, and no folder is touched but by a dry run.

    Args:
        output: where a dry run leaves the lines that would be sent, and where an earlier run left its job.
        judged: what the trained model will be judged on; None if nothing.
        dry_run: stop after the estimate.
        yes: agree to the estimate unasked.
        resume: a job that was paid for already is gone on with unasked.

    Raises:
        ConfigError: more would be spent than was allowed, nobody can be asked, or no key, package or folder is there.
    """
    from sharprecl.llm.openai_check import check_before_spending
    from sharprecl.llm.openai_finetune import OpenAIFinetune
    from sharprecl.llm.openai_state import has_job

    plan = OpenAIFinetune.plan(table, config, () if judged is None else judged.texts)
    say(console, plan.sentence())
    if dry_run:
        _leave_lines(console, plan, output)
        return None
    trained = resume and has_job(output)
    if not trained:
        check_before_spending(config)
    allowed = config.method.model_dump()["max_cost"]
    if allowed is not None:
        plan.check_allowed(allowed, trained=trained)
        return config
    if not (yes or trained):
        if sys.stdin is None or not sys.stdin.isatty():
            raise ConfigError("there is no terminal to ask on whether to spend that; add --yes to agree")
        if not typer.confirm("Spend that?", default=False):
            say(console, "nothing was sent, nothing spent")
            return None
    return config.model_copy(update={"method": config.method.model_copy(update={"max_cost": plan.total})})


def _leave_lines(console: Console, plan: "JobPlan", output: Path) -> None:
    from sharprecl.llm.openai_jobs import TRAINING_FILE
    from sharprecl.llm.openai_state import has_state

    path = output / TRAINING_FILE
    if has_state(output):
        say(console, f"nothing was sent, nothing written: {path} belongs to a job that was begun")
        return
    try:
        output.mkdir(parents=True, exist_ok=True)
        plan.write(path)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written ({error.strerror}); choose another --output") from error
    say(console, f"nothing was sent; what would be: {path}")
