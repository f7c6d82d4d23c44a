"""The predictions and the page that is made from them."""

from pathlib import Path

import pytest

from probe.catalogue.families import CatalogueError
from probe.catalogue.predictions import Prediction, Result, read_predictions
from probe.catalogue.validation_page import PAGE, render

ROWS = [(name, row) for name, group in read_predictions().items() for row in group.predictions]
GROUP = 'title = "A group"\nintro = ""\n'
ROW = """
[[predictions]]
number = 1
cell = "sarama 1.43.2, producer, disk/storage-error"
families = ["sarama"]
source = "never asks (async_producer.go:1112)"
predicted = "stuck"
measured = "stuck"
result = "held"
"""


def test_page_is_up_to_date() -> None:
    assert PAGE.read_text() == render(), "python -m probe.catalogue.validation_page updates it"


def test_page_counts_every_prediction_once() -> None:
    held = sum(row.result is Result.HELD for _, row in ROWS)
    missed = sum(row.result is Result.DIFFERED for _, row in ROWS)
    assert f"**{held + missed} predictions were played: {held} held" in render()
    assert len(ROWS) >= 437


@pytest.mark.parametrize(("name", "row"), ROWS, ids=lambda part: str(getattr(part, "number", part)))
def test_result_fits_what_the_row_says(name: str, row: Prediction) -> None:
    if row.result in {Result.HELD, Result.DIFFERED}:
        assert row.predicted, name
        assert row.measured, name
    if row.result is Result.HELD:
        assert not row.difference.startswith("prediction"), name
    if row.result is Result.DIFFERED:
        assert row.difference, name


def test_prediction_with_unknown_key_is_refused(tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(GROUP + ROW + 'seen = "no"\n')
    with pytest.raises(CatalogueError, match=r"one\.toml cannot be read"):
        read_predictions(tmp_path)


def test_two_predictions_of_one_number_are_refused(tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(GROUP + ROW + ROW)
    with pytest.raises(CatalogueError, match="two predictions with number 1"):
        read_predictions(tmp_path)
