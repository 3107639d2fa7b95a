"""Certificates: a run's claims in a small file that others can check with or without its database.

The claims name the query, the versions and source files, the covered ranks, and the root of a hash tree over
the recorded values. A digest of the claims (Fiat & Shamir 1986) determines which ranks are opened, with their
blocks and their ways to the root. How many have to be opened, and how large a block is, the verifier decides
(`security`), and says which share of the values a liar could still have changed.
"""

from epcg_research.certificate.check import check_certificate, ranks_to_compute
from epcg_research.certificate.form import read_json
from epcg_research.certificate.issue import certify
from epcg_research.certificate.security import Security

__all__ = ["Security", "certify", "check_certificate", "ranks_to_compute", "read_json"]
