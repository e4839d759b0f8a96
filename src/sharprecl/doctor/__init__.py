"""What is wrong with a table for learning rare classes, before anybody pays for training."""
