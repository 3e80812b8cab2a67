"""Which documents a search may find."""

from datetime import date
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


def _written_out(value: object) -> object:
    """Return a year or date as text, for which JSON and TOML have numbers and dates."""
    return str(value) if isinstance(value, int | date) else value


Day = Annotated[str, BeforeValidator(_written_out), Field(pattern=r"^\d{4}(-\d{2}(-\d{2})?)?$")]


class Filter(BaseModel):
    """What a document must be to be searched; every condition that is given must hold."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str | None = Field(
        None,
        min_length=1,
        description="Start of the path, address or id; with * ? or [ in it a pattern for all of it, * for any text.",
    )
    language: str | None = Field(
        None, min_length=2, description="Code of the language, such as en or zh; documents of unknown language are out."
    )
    metadata: dict[str, str | bool | int | float] = Field(
        default_factory=dict, description="Fields and the values they must have; of a list, one item must have it."
    )
    after: Day | None = Field(
        None, description="First day, month or year of the document's date: 2024, 2024-05 or 2024-05-31."
    )
    before: Day | None = Field(None, description="Last day, month or year of the document's date, itself included.")
