"""The command line: one file a command. Each imports what it needs when it runs, so that ``--help`` waits for nothing."""
