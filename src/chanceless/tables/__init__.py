"""Count anything that holds two clusterings: into a ContingencyTable, or into its Spectrum."""

from chanceless.tables.contingency_table import ContingencyTable
from chanceless.tables.spectrum import Spectrum

__all__ = ["ContingencyTable", "Spectrum"]
