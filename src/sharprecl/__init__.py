"""SharpReCL: text classification when some classes are rare."""

__version__ = "0.1.0"
