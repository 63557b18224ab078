"""The experiments of the paper, on the public API of chanceless only; `python -m paper` runs them."""
