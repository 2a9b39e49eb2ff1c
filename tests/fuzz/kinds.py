"""Every kind of input that the fuzzer damages, by name."""

from __future__ import annotations

from tests.fuzz.cases import Kind
from tests.fuzz.edit_cases import EDIT_LISTS, SCRIPTS
from tests.fuzz.mocar_cases import MOCAR
from tests.fuzz.motion_cases import APART, MOTIONS, WRITTEN
from tests.fuzz.network_cases import NETWORKS
from tests.fuzz.project_cases import PROJECTS
from tests.fuzz.spec_cases import SPECS
from tests.fuzz.table_cases import TABLES

KINDS: dict[str, Kind] = {
    "motions": MOTIONS,
    "apart": APART,
    "written": WRITTEN,
    "networks": NETWORKS,
    "mocar": MOCAR,
    "edits": EDIT_LISTS,
    "scripts": SCRIPTS,
    "specs": SPECS,
    "tables": TABLES,
    "projects": PROJECTS,
}
