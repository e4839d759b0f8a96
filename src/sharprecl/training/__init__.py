"""Training: from a table of texts to a trained backbone, and on again from where it was cut off.

=================== ===================================================================================================
module              public names
=================== ===================================================================================================
``session``         ``train``: every step of the way for an encoder, in order
``trainer``         ``Trainer``: batches, gradients, steps, records, selection, checkpoints; ``Task``: what is trained
``encoder_task``    ``EncoderTask``: an encoder with a method
``frozen``          ``FrozenTask``: methods that read every text once
``out_of_fold``     ``out_of_fold``: scores of texts by trainings without them
``optimizer``       ``TrainingSchedule``, ``ScheduledAdamW``
``selection``       ``Selection``: which epoch is kept
``checkpoint``      ``CheckpointFolder``
``history``         ``Callback``, ``HistoryFile``: what a training tells
``inference``       ``predict``, ``softmax``, ``answers``
``hardware``        device, precision, memory
=================== ===================================================================================================
"""
