"""What to do with a trained classifier when the world changes: learn one class more, and notice that texts drift."""
