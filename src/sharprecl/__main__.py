"""``python -m sharprecl``."""

from sharprecl.cli.main import main

if __name__ == "__main__":
    main()
