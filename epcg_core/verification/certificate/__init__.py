"""Certificates: what a run claims, in a small file that others can check with or without its database.

The claims name the query, the versions and source files, what was covered, and the roots of two hash trees:
one over the units, one over blocks of recorded values. Which ranks are opened, with the blocks that hold them
and their paths to the roots, follows from a digest of the claims (Fiat & Shamir 1986), so whoever changes a
claim has to open other ranks. Without the database the opened blocks can be computed again; that nothing
outside them was forged is then as likely as the sample is large, and the run's own digest is taken on trust.
"""

from epcg_core.verification.certificate.check import check_certificate
from epcg_core.verification.certificate.issue import certify

__all__ = ["certify", "check_certificate"]
