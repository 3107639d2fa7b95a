"""Numbers to cite: certificates, published results computed again, plots, exports, imports and studies.

certificate  claims of a run that others check without its database
reproduce    publications that plugins register, computed again and compared
exchange     Parquet and Arrow, measures of others, traces of play
figures      how plots look: domains draw with it, too
methods      functions and methods of the Python interface
commands     the commands
"""
