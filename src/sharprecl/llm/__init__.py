"""Large language models as classifiers: the model reads a prompt with the labels and a text, and writes the label.

Two methods, used through ``TextClassifier(method=...)``; their settings are in ``sharprecl.config.language_models``:

``lora.LlmLora``                    fine-tunes a local model with low-rank adapters (``llm_lora``)
``openai_finetune.OpenAIFinetune``  lets a provider fine-tune one (``openai_finetune``)

Of use beside them: ``prompts.Prompt`` (what is read), ``scoring.label_scores`` (how probable each label is),
``base_model.PRESETS`` (models by name) and ``openai_plan.make_plan`` (what a provider will charge). Nothing is imported
here, so that the command line does not wait for PyTorch.
"""
