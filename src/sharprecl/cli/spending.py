"""Nothing is bought unasked: what a provider's fine-tuning would cost, and whether a person agrees."""

from pathlib import Path

import typer
from rich.console import Console

from sharprecl.cli.show import say
from sharprecl.config import RunConfig
from sharprecl.data.tables import TextTable


def agreed_cost(
    console: Console, table: TextTable, config: RunConfig, output: Path, *, dry_run: bool, yes: bool, resume: bool
) -> RunConfig | None:
    """Show the estimate; return the settings with the allowed cost, or None where nothing is to be trained.

    Args:
        output: where a dry run leaves the lines that would be sent, and where an earlier run left its job.
        dry_run: stop after the estimate.
        yes: agree to the estimate unasked.
        resume: a job that was paid for already is gone on with unasked.
    """
    from sharprecl.llm.openai_finetune import OpenAIFinetune
    from sharprecl.llm.openai_jobs import TRAINING_FILE
    from sharprecl.llm.openai_state import has_job

    plan = OpenAIFinetune.plan(table, config)
    say(console, plan.sentence())
    if dry_run:
        output.mkdir(parents=True, exist_ok=True)
        plan.write(output / TRAINING_FILE)
        say(console, f"nothing was sent; what would be: {output / TRAINING_FILE}")
        return None
    if config.method.model_dump()["max_cost"] is not None:
        return config
    if not (yes or (resume and has_job(output)) or typer.confirm("Spend that?", default=False)):
        say(console, "nothing was sent, nothing spent")
        return None
    return config.model_copy(update={"method": config.method.model_copy(update={"max_cost": plan.cost})})
