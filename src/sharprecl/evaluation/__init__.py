"""What predictions are worth, and whether one method beats another.

================== =================================================================================================
module             public names
================== =================================================================================================
``judge``          ``evaluate(y_true, y_pred, train_counts, label_names)`` and the ``Evaluation`` that it returns
``metrics``        accuracy, macro-F1, balanced accuracy, ... as pure functions of ``Counts``
``bands``          head, medium and tail: classes by their training texts
``intervals``      95 % bootstrap intervals of one model's figures
``differences``    how far a model is ahead of another on the same texts, with an interval and in words
``best``           ``compare_with_best``: which of two or more methods may be the best one, over texts and seeds
``ranks``          ``rank_methods``: average ranks over data sets, Friedman's test and Nemenyi's critical difference
``references``     ``tfidf_logistic``, the floor to beat
``table``          methods side by side on the terminal
================== =================================================================================================

Nothing here knows of runs or plans. How often the tests give false alarms: ``benchmarks/significance_null.py``.
"""
