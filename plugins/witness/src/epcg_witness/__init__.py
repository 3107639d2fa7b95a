"""The Witness for EPCG: panels of lines, dots and symbols."""
