"""The experiments of the paper, one module each, on the public API only; `chanceless paper` runs them."""
