"""The command line, one file a command. A command imports what it needs when it runs: ``--help`` waits for nothing."""
