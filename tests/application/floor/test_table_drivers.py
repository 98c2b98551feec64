"""A table is driven by its controller or by panels, never by both."""

from progressive.application.floor.table_drivers import PANELS_MAX, TableDrivers
from progressive.domain.ids import TableId

ONE, OTHER = TableId("BJ-01"), TableId("BJ-02")


def test_one_controller_a_table() -> None:
    drivers = TableDrivers()
    assert drivers.controller_takes(ONE)
    assert not drivers.controller_takes(ONE)
    assert drivers.controller_takes(OTHER)
    drivers.controller_leaves(ONE)
    assert drivers.controller_takes(ONE)


def test_a_controller_keeps_panels_out_and_the_other_way_round() -> None:
    drivers = TableDrivers()
    assert drivers.controller_takes(ONE)
    assert not drivers.panel_takes(ONE)
    assert drivers.panel_takes(OTHER)
    assert not drivers.controller_takes(OTHER)
    drivers.panel_leaves(OTHER)
    assert drivers.controller_takes(OTHER)


def test_panels_are_several_but_not_any_number() -> None:
    drivers = TableDrivers()
    assert all(drivers.panel_takes(ONE) for _ in range(PANELS_MAX))
    assert not drivers.panel_takes(ONE)
    drivers.panel_leaves(ONE)
    assert drivers.panel_takes(ONE)
    assert drivers.panels(ONE) == PANELS_MAX


def test_a_table_is_driven_as_long_as_anybody_is_there() -> None:
    drivers = TableDrivers()
    assert not drivers.driven(ONE)
    drivers.panel_takes(ONE)
    drivers.panel_takes(ONE)
    drivers.panel_leaves(ONE)
    assert drivers.driven(ONE)
    assert drivers.tables == {ONE}
    drivers.panel_leaves(ONE)
    assert not drivers.driven(ONE)
    assert drivers.panels(ONE) == 0
    assert drivers.tables == frozenset()
