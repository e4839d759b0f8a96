"""What is wrong with a table for learning rare classes, before anybody pays for training.

``examine.examine(data, test=...)`` looks for every kind of issue in ``issues`` and gives a ``Diagnosis``;
``terminal.show`` and ``page.write_page`` show one. ``fix.fix(data, output)`` writes a cleaned copy, a list of changes
and a file of what a person should decide.
"""
