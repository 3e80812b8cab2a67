import pytest

from groundgraph.knowledge.number_format import shown_number


@pytest.mark.parametrize(
    ("value", "number_format", "shown"),
    [
        (0.256, "0.0%", "25.6%"),
        (0.256, "0%", "26%"),
        (25, '0.0"%"', "25.0%"),
        (-3.5, r"0\%", "-4%"),
        (0.125, r"0%;[Red]\-0%", "13%"),
        (-0.125, "0.0%_);[Red](0.0%)", "(12.5%)"),
        (1234.5, "[$€-407] #,##0.00", "€ 1,234.50"),
        (12, '0" kg"', "12 kg"),
        (1234.5, "#,##0", "1234.5"),
        (0.1 + 0.2, "General", "0.3"),
        (7, "General", "7"),
        (1500, '0,"k"', "1500"),
        (5, '[<10]0"%";0', "5"),
        (1e300, "0%", "1e+300"),
    ],
)
def test_a_number_reads_as_on_the_screen(value: float, number_format: str, shown: str) -> None:
    assert shown_number(value, number_format) == shown
