"""Which documents a search may find."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator


def _written_out(value: object) -> object:
    """Return a year or date as text, for which JSON and TOML have numbers and dates."""
    return str(value) if isinstance(value, int | date) else value


def _flat(fields: object) -> object:
    """Return the fields of objects inside others under dotted names, as they are asked for."""
    if not isinstance(fields, Mapping):
        return fields
    flat: dict[object, object] = {}
    for key, value in fields.items():
        inner = _flat(value)
        flat |= {f"{key}.{name}": one for name, one in inner.items()} if isinstance(inner, Mapping) else {key: inner}
    return flat


def _existing(day: str) -> str:
    try:
        date.fromisoformat(day + "-01-01"[len(day) - 4 :])
    except ValueError as error:
        raise ValueError(f"{day} is not in the calendar ({error})") from error
    return day


Day = Annotated[
    str, BeforeValidator(_written_out), Field(pattern=r"^\d{4}(-\d{2}(-\d{2})?)?$"), AfterValidator(_existing)
]


class Filter(BaseModel):
    """What a document must be to be searched; every condition that is given must hold."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str | None = Field(
        None,
        min_length=1,
        description="Start of the path, address or id, or whole parts of it, such as docs/a.md, as citations show it; "
        "with * ? or [ in it also a pattern for all of it or its last parts, * for any text.",
    )
    language: str | None = Field(
        None, min_length=2, description="Code of the language, such as en or zh; documents of unknown language are out."
    )
    metadata: Annotated[dict[str, str | bool | int | float], BeforeValidator(_flat)] = Field(
        default_factory=dict, description="Fields and the values they must have; of a list, one item must have it."
    )
    after: Day | None = Field(
        None, description="First day, month or year of the document's date: 2024, 2024-05 or 2024-05-31."
    )
    before: Day | None = Field(None, description="Last day, month or year of the document's date, itself included.")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.after and self.before and self.after[: len(self.before)] > self.before:
            raise ValueError(f"after={self.after} is later than before={self.before}: no date is in between")
        return self
