"""``sharprecl methods``."""


def methods() -> None:
    """List the methods that --method takes, with a line about each."""
    import inspect

    from sharprecl.cli.console import make_console
    from sharprecl.cli.show import say
    from sharprecl.config import METHODS
    from sharprecl.config.choice import AUTO
    from sharprecl.methods.registry import method_class

    console = make_console()
    names = METHODS
    width = max(map(len, names))
    say(console, f"{AUTO.ljust(width)}  chosen by the label distribution; the run says what and why")
    for name in names:
        about = inspect.getdoc(inspect.getmodule(method_class(name))) or ""
        say(console, f"{name.ljust(width)}  {' '.join(about.partition(chr(10) * 2)[0].split())}")
