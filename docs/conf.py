"""How Sphinx builds these pages: `make docs`, or sphinx-build -W docs docs/_build."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "EPCG"
author = "The EPCG developers"
copyright = "the EPCG developers, MIT licence"
version = release = version_of("epcg-core")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "sphinx_click",
    "sphinx_copybutton",
    "accessible",
    "commands",
    "from_code",
    "layout",
    "links",
    "signatures",
    "tables",
]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "_static"]
default_role = "code"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "attrs_inline"]
myst_heading_anchors = 3

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_class_signature = "separated"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 88

copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True

smartquotes = False  # commands are copied from these pages

html_theme = "furo"
html_title = f"EPCG {version}"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_theme_options = {"navigation_with_keys": True}
html_copy_source = False
