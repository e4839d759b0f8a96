"""Large language models as classifiers: prompts, LoRA fine-tuning, and a provider's fine-tuning interface."""
