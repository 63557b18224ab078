from chanceless import errors as errors
from chanceless import files as files
from chanceless import plots as plots
from chanceless.certainty import *
from chanceless.comparison import *
from chanceless.errors import ChancelessError as ChancelessError
from chanceless.errors import ExtraError as ExtraError
from chanceless.errors import LabelsError as LabelsError
from chanceless.errors import LabelsWarning as LabelsWarning
from chanceless.errors import OptionError as OptionError
from chanceless.errors import TableError as TableError
from chanceless.many import *
from chanceless.scikit_learn import *
from chanceless.scores.entropies import *
from chanceless.scores.information import *
from chanceless.scores.linkage import *
from chanceless.scores.matching import *
from chanceless.scores.matrices import *
from chanceless.scores.pair_counting import *
from chanceless.scores.v_measures import *
from chanceless.tables.contingency_table import ContingencyTable as ContingencyTable
from chanceless.tables.spectrum import Spectrum as Spectrum

__version__: str
