"""Losses: tensors in, one value per anchor out; a named reducer (``reducers.py``) makes the scalar.

Names of tensors end in their shape. The letters, for the whole package:

====== =====================================================================================
letter meaning
====== =====================================================================================
B      texts in a batch
V      views of a text
N      rows of features, ``V * B``: the first views of all texts, then the second ones
C      classes
H      width of a feature (the input of the classifier's linear layer)
D      width of a projection
M      items of D-hat, ``N + C``: the projected views, then the C projected prototypes
S      synthetic samples of a class, ``n_pos + n_neg``
P      synthetic positives of a class, ``n_pos``: the first P of its S samples
K      size of a hard set
T      tokens of a text
====== =====================================================================================

Kinds: ``x`` features or vectors, ``s`` logits, ``w`` weights, ``y`` label ids, ``z`` projections, ``g`` and
``t`` cosine similarities, ``l`` losses, ``u`` uniform draws, ``i`` and ``j`` row numbers, ``a`` mixing
coefficients.
"""
