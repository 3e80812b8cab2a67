"""What the machine provides: keys, addresses and folders, read once from the environment and `.env`."""

from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from platformdirs import user_cache_path, user_data_path
from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from groundgraph.errors import InputError


class Settings(BaseSettings):
    """Settings of this machine; what may differ from run to run is in `state.Context`."""

    model_config = SettingsConfigDict(
        env_prefix="GROUNDGRAPH_", env_file=".env", env_ignore_empty=True, extra="ignore", frozen=True
    )

    home: Path = Field(
        default_factory=lambda: user_data_path("groundgraph"), description="Folder that holds the collections."
    )
    cache: Path = Field(
        default_factory=lambda: user_cache_path("groundgraph"), description="Folder that holds assembled model weights."
    )
    chat_model: str | None = Field(None, description="Default chat model, as provider:model.")
    embedding_model: str | None = Field(None, description="Default embedding model of new collections.")

    record_runs: bool = Field(True, description="Keep a record of each question asked, in the home folder.")
    evaluator: Path | None = Field(
        None, description="Weights of the embedded evaluator; default: trained here, else ours."
    )

    openai_api_key: SecretStr | None = Field(None, validation_alias=AliasChoices("OPENAI_API_KEY", "openai_api_key"))
    openai_base_url: str | None = Field(
        None, validation_alias=AliasChoices("OPENAI_BASE_URL", "OPENAI_API_BASE", "openai_base_url")
    )
    openai_model: str = Field("gpt-4o-mini", validation_alias=AliasChoices("OPENAI_MODEL", "openai_model"))
    request_timeout: float = Field(60.0, gt=0, description="Seconds one model request may take.")
    max_retries: int = Field(3, ge=0, le=10, description="Retries of a model request on 429, 5xx and timeouts.")

    tavily_api_key: SecretStr | None = Field(None, validation_alias=AliasChoices("TAVILY_API_KEY", "tavily_api_key"))
    tavily_base_url: str | None = Field(None, validation_alias=AliasChoices("TAVILY_BASE_URL", "tavily_base_url"))
    searxng_base_url: str | None = Field(None, validation_alias=AliasChoices("SEARXNG_BASE_URL", "searxng_base_url"))

    llamacpp_context: int = Field(4096, ge=512, description="Tokens of context of one slot of the embedded model.")
    llamacpp_slots: int = Field(1, ge=1, le=64, description="Requests the embedded model serves at once.")
    llamacpp_threads: int | None = Field(None, ge=1, description="Threads of the embedded model; default: all cores.")

    @field_validator("openai_base_url", "tavily_base_url", "searxng_base_url")
    @classmethod
    def _is_address(cls, value: str | None) -> str | None:
        if value is not None:
            address = urlsplit(value)
            if address.scheme not in {"http", "https"} or not address.hostname or address.port == 0:
                raise ValueError("give an address such as http://localhost:8000/v1")
        return value


@cache
def get_settings() -> Settings:
    """Return the settings of this process, read once; `get_settings.cache_clear()` reads them anew.

    Raises:
        InputError: A variable holds a value out of its range; the message names it.
    """
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        field = str(first["loc"][0])
        name = f"GROUNDGRAPH_{field.upper()}" if field in Settings.model_fields else field
        said = first["msg"].removeprefix("Value error, ")
        raise InputError(f"environment: {name}={first['input']!r}: {said}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"the file .env is not UTF-8 (byte {error.start}): save it as UTF-8") from None
