"""The experiments of the paper, on the public API only, one module each; `chanceless paper` runs them."""
