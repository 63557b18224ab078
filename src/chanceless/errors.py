"""What chanceless raises.

ChancelessError
├── LabelsError   a labelling that cannot be read (also a ValueError)
├── TableError    cells, matrices, spectra or files that are no contingency table (also a ValueError)
├── DataError     a data set that is absent, damaged, or not what it should be (also a ValueError)
├── OptionError   an option with a value that it does not have (also a ValueError)
└── ExtraError    something that is not installed, and how to install it (also an ImportError)

LabelsWarning (a UserWarning) is given, not raised, for labels that are allowed but hardly meant.

Every message says which argument, what was expected, what was given, and what to do.
"""


class ChancelessError(Exception):
    """The root: catches whatever chanceless raises on purpose."""


class LabelsError(ChancelessError, ValueError):
    """A labelling that cannot be read."""


class TableError(ChancelessError, ValueError):
    """Cells, matrices, spectra or files that are no contingency table."""


class DataError(ChancelessError, ValueError):
    """A data set that is absent, damaged, or not what it should be."""


class OptionError(ChancelessError, ValueError):
    """An option with a value that it does not have."""


class ExtraError(ChancelessError, ImportError):
    """Something that is not installed because it comes with an extra."""


class LabelsWarning(UserWarning):
    """Labels that are allowed but hardly meant, such as measurements in the place of names."""
