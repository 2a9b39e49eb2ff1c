"""How the manual is built: ``make docs``."""

import sys
from importlib.metadata import version as _version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "mocapella"
author = "The mocapella founders"
copyright = "2026, the mocapella founders"
version = release = _version("mocapella")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_gallery.gen_gallery",
]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "gallery/**/*.ipynb", "gallery/**/*.py"]
suppress_warnings = ["config.cache"]  # functions in the gallery's settings cannot be cached
sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"\.py$",
    "image_scrapers": ("pages.written_pictures",),
    "reset_modules": ("matplotlib", "pages.without_motions"),
    "reset_modules_order": "after",
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,
    "abort_on_example_error": True,
    "within_subsection_order": "FileNameSortKey",
}
html_theme = "furo"
html_title = "mocapella"
html_static_path = ["_static"]
html_css_files = ["wide.css"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
napoleon_google_docstring = False
napoleon_attr_annotations = False  # array axes such as *batch are no markup
