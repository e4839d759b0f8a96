"""A trained classifier behind HTTP: batches across requests, bounds on everything, and a new model without a stop.

    limits    what a request may hold, and how much may wait
    batching  one queue in front of the one thread in which the model runs
    service   the model of a folder, changed for a new one while it answers
    guard     what holds for every request: body and time, draining, log, figures
    predict   POST /predict
    watching  /healthz, /readyz, /metrics
    page      for people: try a text or a file, see what carries the answer, correct it
    app       all of it as one FastAPI application
    server    a process around that: the socket, SIGTERM

``limits``, ``batching`` and ``service`` need nothing but the core; all others the extra ``serve``.
"""
