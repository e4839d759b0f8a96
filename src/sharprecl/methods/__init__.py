"""The training methods, one file a paper.

``registry.method_class`` gives a method's class by its name; its settings are in ``sharprecl.config``. ``base.Method``
is the contract, ``classification.LogitLoss`` the base of those that only shape a loss on logits, and
``as_loss.MethodLoss`` makes a loss of a method for any other training loop. What several papers share has a file of its
own: ``cosine_classifier``, ``linear_probe``, ``class_pools``, ``targets``, ``hybrid``.
"""
