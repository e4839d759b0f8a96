"""What is wrong with a table for learning rare classes, before anybody pays for training.

``examine.examine(data, test=...)`` looks for every kind of issue in ``issues`` and gives a ``Diagnosis``;
``terminal.show`` and ``page.write_page`` show one.
"""
