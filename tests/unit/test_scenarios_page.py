"""docs/scenarios.md is generated from the catalogue."""

from probe.catalogue.scenarios import default_scenarios
from probe.catalogue.scenarios_page import PAGE, render


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == render(), "python -m probe.catalogue.scenarios_page updates it"


def test_the_page_names_every_default_scenario() -> None:
    page = render()
    generated = {"answer", "hold", "blip", "applied"}
    for name in default_scenarios():
        prefix, *rest = name.split("/")
        assert (f"{prefix}/" if prefix in generated else name) in page
        assert rest == [] or rest[-1] in page
