"""How the manual is built: ``make docs``."""

from importlib.metadata import version as _version

project = "mocapella"
author = "The mocapella founders"
copyright = "2026, the mocapella founders"
version = release = _version("mocapella")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "mocapella"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
napoleon_google_docstring = False
napoleon_attr_annotations = False  # array axes such as *batch are no markup
