"""Certificates: a run's claims in a small file that others can check with or without its database.

The claims name the query, the versions and source files, the covered ranks, and the roots of two hash trees:
one over the units, one over blocks of recorded values. A digest of the claims (Fiat & Shamir 1986) determines
which ranks are opened, with their blocks and their paths to the roots, so a changed claim opens other ranks.
Without the database, the opened blocks can be computed again; confidence in the other blocks then grows with
the sample, and the run's own digest is taken on trust.
"""

from epcg_core.verification.certificate.check import check_certificate
from epcg_core.verification.certificate.issue import certify

__all__ = ["certify", "check_certificate"]
