"""What the machine provides: one clear line for each thing that is wrong with it."""

from pathlib import Path

import pytest

from groundgraph.errors import InputError
from groundgraph.settings import get_settings


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        (
            "GROUNDGRAPH_LLAMACPP_SLOTS",
            "0",
            "GROUNDGRAPH_LLAMACPP_SLOTS='0': Input should be greater than or equal to 1",
        ),
        ("OPENAI_BASE_URL", "localhost:8000", "OPENAI_BASE_URL='localhost:8000': give an address such as http://"),
        ("OPENAI_BASE_URL", "http://localhost:99999/v1", "OPENAI_BASE_URL='http://localhost:99999/v1': "),
        ("OPENAI_BASE_URL", "http://[::1", "OPENAI_BASE_URL='http://[::1': "),
    ],
)
def test_a_wrong_variable_is_named(monkeypatch: pytest.MonkeyPatch, variable: str, value: str, said: str) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(InputError) as raised:
        get_settings()
    assert f"environment: {said}" in str(raised.value) and "\n" not in str(raised.value)


def test_an_env_file_that_is_not_text(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"OPENAI_MODEL=\xff\xfe")
    with pytest.raises(InputError, match=r"the file .env is not UTF-8 \(byte 13\): save it as UTF-8"):
        get_settings()
