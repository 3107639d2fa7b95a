"""Archives for those who check a result: of a run, and of a study."""

from epcg_research.bundle.runs import write_bundle
from epcg_research.bundle.studies import write_study_bundle

__all__ = ["write_bundle", "write_study_bundle"]
