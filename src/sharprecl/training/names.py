"""What a training leaves in its folder. Read without PyTorch."""

CHECKPOINTS = "checkpoints"
HISTORY = "history.jsonl"
FOLDS = "folds"
SCORES = "scores.npz"
