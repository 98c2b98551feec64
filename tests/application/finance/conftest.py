"""The five days of finance, written once for the tests of a file."""

from pathlib import Path

import pytest

from tests.support.finance_days import FinanceShelf


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> FinanceShelf:
    """Whoever spoils something takes a copy of it."""
    return FinanceShelf(tmp_path_factory.mktemp("finance") / "data")


@pytest.fixture(scope="module")
def data(shelf: FinanceShelf) -> Path:
    """For those who only read the journal."""
    return shelf.directory
