import hashlib
import multiprocessing
import resource
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from groundgraph.errors import InputError, ModelError
from groundgraph.models import chat_model, resolve_weights, weights_status
from groundgraph.models.catalog import CATALOG, PartPackages, Weights
from groundgraph.settings import get_settings

PARTS = [b"GGUF", b"x" * 5000, b"end"]
WHOLE = b"".join(PARTS)

Packages = Callable[..., Path]


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Packages:
    """Install part packages that import nothing, and a catalogue entry `tiny` made of them; return the site folder."""

    def install(parts: list[bytes] = PARTS, count: int = 3) -> Path:
        site = tmp_path / "site"
        for n, part in enumerate(parts, 1):
            data = site / f"tiny_part{n}" / "data" / f"part{n:02d}.bin"
            data.parent.mkdir(parents=True, exist_ok=True)
            data.write_bytes(part)
            data.parents[1].joinpath("__init__.py").write_text("raise SystemExit('must not be imported')")
            info = site / f"tiny_part{n}-1.0.dist-info"
            info.mkdir(exist_ok=True)
            info.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: tiny-part{n}\nVersion: 1.0\n")
        monkeypatch.syspath_prepend(str(site))
        digest = hashlib.sha256(WHOLE).hexdigest()
        weights = Weights("tiny.gguf", len(WHOLE), digest, "Org/Tiny", PartPackages("tiny-part", count, "1.0"))
        monkeypatch.setitem(CATALOG, "tiny", weights)
        return site

    return install


def files() -> set[str]:
    cache = get_settings().cache
    return {path.name for path in cache.iterdir() if path.suffix != ".lock"} if cache.exists() else set()


def test_weights_are_assembled_from_packages_with_progress(packages: Packages) -> None:
    packages()
    told: list[tuple[str, int, int]] = []
    assert weights_status("tiny") == "packages"
    path = resolve_weights("tiny", lambda *step: told.append(step))
    assert path.read_bytes() == WHOLE
    assert told[-1] == ("assembling tiny", len(WHOLE), len(WHOLE))
    assert weights_status("tiny") == "cache"
    assert files() == {"tiny.gguf", "tiny.verified.json"}


def test_the_second_start_reads_nothing(packages: Packages) -> None:
    site = packages()
    path = resolve_weights("tiny")
    shutil.rmtree(site)
    told: list[str] = []
    assert resolve_weights("tiny", lambda what, done, total: told.append(what)) == path
    assert told == []


def test_a_file_whose_time_changed_is_verified_again(packages: Packages) -> None:
    packages()
    path = resolve_weights("tiny")
    path.touch()
    told: list[str] = []
    for _ in range(2):
        resolve_weights("tiny", lambda what, done, total: told.append(what))
    assert told == ["verifying tiny"]


def test_a_tampered_file_is_deleted_and_never_returned(packages: Packages) -> None:
    packages()
    path = resolve_weights("tiny")
    bad = WHOLE[:-1] + b"!"
    path.write_bytes(bad)
    with pytest.raises(ModelError) as raised:
        resolve_weights("tiny")
    message = str(raised.value)
    assert hashlib.sha256(WHOLE).hexdigest() in message
    assert hashlib.sha256(bad).hexdigest() in message
    assert "deleted" in message
    assert not path.exists()
    assert resolve_weights("tiny").read_bytes() == WHOLE


def test_packages_with_other_bytes_are_refused(packages: Packages) -> None:
    packages([b"GGUF", b"evil", b"end"])
    with pytest.raises(ModelError, match=r"expected .*: reinstall the packages tiny-part1 … 3 1.0"):
        chat_model("llamacpp:tiny")
    assert files() == set()


def test_a_missing_part_means_the_packages_do_not_count(packages: Packages) -> None:
    packages(PARTS[:2])
    assert weights_status("tiny") == "download"


def test_a_disk_that_is_too_small_is_seen_before_writing(packages: Packages, monkeypatch: pytest.MonkeyPatch) -> None:
    packages()
    usage = shutil.disk_usage("/")._replace(free=1000)
    monkeypatch.setattr("groundgraph.models.weights.shutil.disk_usage", lambda path: usage)
    with pytest.raises(ModelError, match=r"No space left on device.*free .* GB there, or set GROUNDGRAPH_CACHE"):
        resolve_weights("tiny")
    assert files() == set()


@contextmanager
def file_limit(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_disk_that_fills_while_writing_leaves_nothing(packages: Packages) -> None:
    packages()
    with file_limit(1000), pytest.raises(ModelError, match=r"File too large.*GROUNDGRAPH_CACHE"):
        resolve_weights("tiny")
    assert files() == set()
    assert resolve_weights("tiny").read_bytes() == WHOLE


def test_ctrl_c_while_assembling_leaves_nothing(packages: Packages) -> None:
    def interrupt(what: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    packages()
    with pytest.raises(KeyboardInterrupt):
        resolve_weights("tiny", interrupt)
    assert files() == set()


def test_a_cache_that_cannot_be_written(packages: Packages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packages()
    (tmp_path / "file").touch()
    monkeypatch.setenv("GROUNDGRAPH_CACHE", str(tmp_path / "file" / "cache"))
    get_settings.cache_clear()
    with pytest.raises(ModelError, match="set GROUNDGRAPH_CACHE to a folder that can be written"):
        resolve_weights("tiny")


def test_two_processes_at_once_assemble_it_once(packages: Packages, tmp_path: Path) -> None:
    packages()
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=assemble, args=(tmp_path / f"log{n}",)) for n in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    logs = "".join((tmp_path / f"log{n}").read_text() for n in range(3))
    assert logs == "assembling tiny" * len(PARTS)
    assert resolve_weights("tiny").read_bytes() == WHOLE


def assemble(log: Path) -> None:
    with log.open("w") as file:
        resolve_weights("tiny", lambda what, done, total: print(what, end="", file=file))


def test_a_given_path_is_used_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "mine.gguf"
    path.write_bytes(b"GGUF")
    assert resolve_weights(str(path)) == path
    assert weights_status(str(path)) == "path"


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("qwen", "give qwen2.5-coder-1.5b-instruct, qwen2.5-coder-0.5b-instruct, a path, or Org/Repo/file.gguf"),
        ("/no/such.gguf", "no such file"),
        ("Org/Repo", "are unknown"),
        ("Org/Repo/readme.md", "are unknown"),
    ],
)
def test_a_name_that_is_none(name: str, match: str) -> None:
    with pytest.raises(InputError, match=match):
        resolve_weights(name)
    with pytest.raises(InputError, match=match):
        weights_status(name)


def test_a_download_without_network_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    assert weights_status("Org/Repo-GGUF/file.gguf") == "download"
    with pytest.raises(ModelError, match=r"Org/Repo-GGUF/file.gguf cannot be downloaded"):
        resolve_weights("Org/Repo-GGUF/file.gguf")


def test_a_downloaded_catalogue_file_is_verified_too(packages: Packages, monkeypatch: pytest.MonkeyPatch) -> None:
    packages([])

    def fetch(body: bytes) -> Callable[[str, str, Path], Path]:
        def download(repo: str, file: str, folder: Path) -> Path:
            folder.mkdir(exist_ok=True)
            folder.joinpath(file).write_bytes(body)
            return folder / file

        return download

    monkeypatch.setattr("groundgraph.models.weights.download", fetch(b"other"))
    with pytest.raises(ModelError, match="expected"):
        resolve_weights("tiny")
    monkeypatch.setattr("groundgraph.models.weights.download", fetch(WHOLE))
    assert resolve_weights("tiny").read_bytes() == WHOLE
    assert files() == {"tiny.gguf", "tiny.verified.json"}
