"""The settings of a run in their shortest form: one run, one spelling, one hash."""

from sharprecl.config import RunConfig, Settings, difference, resolve


def shortest(config: RunConfig) -> Settings:
    """Settings of which ``resolve`` makes this configuration again: profile, method, and what differs from the usual.

    So mu at its default and mu left out are one run, and so are the full method and an ablation of what it does not
    have. A setting that a later version adds changes no hash. The seed is left out; a ``RunSpec`` holds it apart.
    """
    method = {"name": config.method.name}
    usual = _plain(resolve({"profile": config.profile, "method": method}))
    different = difference(_plain(config), usual)
    return {**different, "profile": config.profile, "method": {**method, **different.get("method", {})}}


def _plain(config: RunConfig) -> Settings:
    values = config.kept()
    del values["seed"]
    # An ablation's name is short for settings that stand beside it.
    values["method"].pop("without", None)
    return values
