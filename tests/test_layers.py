"""The code as it is keeps the rules of its folders.

Every rule says how many modules it has to cover at least, so that none can pass with nothing to
look at.
"""

import ast
import sys

import pytest

from tests.support.layer_checker import (
    FOLDERS,
    OURS,
    ROOT,
    engines_named,
    folder_of,
    imported,
    impurities,
    in_folders,
    outward_arrows,
    reached_from,
)
from tests.support.layer_rules import (
    DECIDE,
    DOMAIN,
    DRIVERS,
    KERNEL,
    MAY_SEE,
    PEOPLE,
    RULEBOOK,
    USE_CASES,
    WIRING,
)


def test_every_folder_has_its_list() -> None:
    assert set(MAY_SEE) == FOLDERS
    assert len(FOLDERS) >= 40
    assert not {seen for allowed in MAY_SEE.values() for seen in allowed} - FOLDERS
    for top in ("progressive", "display"):
        loose = {path.parent for path in (ROOT / top).rglob("*.py")}
        without = [folder for folder in loose if not (folder / "__init__.py").exists()]
        assert without == []


@pytest.mark.parametrize("module", OURS)
def test_no_arrow_points_outward(module: str) -> None:
    assert outward_arrows(module, OURS[module].read_text("utf-8")) == []


def test_no_two_folders_of_the_core_see_each_other() -> None:
    """A ring of folders is one folder in disguise: the data modules of the kernel aside."""
    core = {folder: MAY_SEE[folder] - KERNEL for folder in DOMAIN | USE_CASES}
    rings = [
        (one, other)
        for one, allowed in core.items()
        for other in allowed
        if one in core.get(other, set())
    ]
    assert rings == []
    assert len(core) >= 18


def test_domain_is_pure_and_exact() -> None:
    found = {
        module: wrong
        for module, path in in_folders("progressive.domain", at_least=60)
        if (wrong := impurities(module, path.read_text("utf-8")))
    }
    assert found == {}


def test_use_cases_know_no_driver() -> None:
    found = {
        module: wrong
        for module, path in in_folders("progressive.application", at_least=55)
        if (
            wrong := {name.split(".")[0] for name in imported(path.read_text("utf-8"), module)}
            & DRIVERS
        )
    }
    assert found == {}


def test_only_wiring_names_an_engine() -> None:
    entry = in_folders("progressive.entry", at_least=60)
    found = {
        module: wrong
        for module, path in entry
        if (wrong := engines_named(module, path.read_text("utf-8")))
    }
    assert found == {}
    assert {module for module, _ in entry} >= WIRING


def test_rules_are_plain_data() -> None:
    """Reading cards with them, or moving money by them, is somebody else's job."""
    rules = [module for module, _ in in_folders("progressive.domain.rulebook", at_least=6)]
    folders = {folder_of(module) for module in reached_from(rules)}
    assert folders == KERNEL | RULEBOOK


def test_fold_reaches_no_decision() -> None:
    fold = [module for module, _ in in_folders("progressive.domain.state", at_least=8)]
    folders = {folder_of(module) for module in reached_from(fold)}
    assert not folders & (DECIDE | PEOPLE)


def test_verifier_needs_only_the_standard_library_and_itself() -> None:
    """It also runs from one file, on a machine that has nothing else of ours."""
    foreign = {
        f"{module}: {name}"
        for module, path in in_folders("progressive.verifier", at_least=45)
        for name in imported(path.read_text("utf-8"), module)
        if name.split(".")[0] not in sys.stdlib_module_names
        and not f"{name}.".startswith("progressive.verifier.")
    }
    assert foreign == set()


def test_only_commands_see_the_verifier() -> None:
    """Whatever else used it could not be judged by it."""
    inside = {folder for folder in FOLDERS if f"{folder}.".startswith("progressive.verifier.")}
    assert len(inside) >= 3
    assert {folder for folder in set(MAY_SEE) - inside if MAY_SEE[folder] & inside} == {
        "progressive.entry.commands"
    }


def test_numpy_is_an_extra_that_only_the_simulation_needs() -> None:
    needing = {
        folder_of(module)
        for module, path in OURS.items()
        if "numpy" in set(imported(path.read_text("utf-8"), module))
    }
    assert needing == {"progressive.montecarlo"}


def test_common_helpers_need_only_the_standard_library_and_each_other() -> None:
    needed = {
        name.split(".")[0]
        for module, path in in_folders("progressive.common", at_least=2)
        for name in imported(path.read_text("utf-8"), module)
        if not name.startswith("progressive.common.")
    }
    assert needed <= sys.stdlib_module_names


def test_pages_are_made_by_one_environment() -> None:
    making = {
        module
        for module, path in OURS.items()
        if "jinja2.FileSystemLoader" in set(imported(path.read_text("utf-8"), module))
    }
    assert making == {"display.templates"}


def test_every_folder_says_what_lives_there() -> None:
    silent = [
        folder for folder in FOLDERS if not ast.get_docstring(ast.parse(OURS[folder].read_text()))
    ]
    assert silent == []
