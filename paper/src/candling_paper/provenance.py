"""What is known of data files, by the digest of their content (provenance.toml, PROVENANCE.md)."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Known:
    """A file that provenance.toml describes."""

    dataset: str
    origin: str  # a phrase for figures: what the rows are
    published: bool  # whether these are the cells that the paper's authors published
    source: str  # the public repository, and the path in it
    closeness: str  # to what the paper used
    changed: str  # on the way from the source to this file
    sha256: str | None = None
    git_blob: str | None = None  # all that is known of an authors' file that was never here


@dataclass(frozen=True, slots=True)
class Digests:
    """Two digests of one content. The second is the one that a git repository lists."""

    sha256: str
    git_blob: str

    @classmethod
    def of_file(cls, path: Path) -> Digests:
        sha256, blob = hashlib.sha256(), git_blob_hash(path.stat().st_size)
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                sha256.update(piece)
                blob.update(piece)
        return cls(sha256.hexdigest(), blob.hexdigest())

    @property
    def known(self) -> Known | None:
        """What provenance.toml says about the content; None if nothing."""
        return next(
            (k for k in known_files() if self.sha256 == k.sha256 or self.git_blob == k.git_blob),
            None,
        )


@cache
def known_files() -> tuple[Known, ...]:
    """All that provenance.toml describes, in its order."""
    text = Path(__file__).with_name("provenance.toml").read_text(encoding="utf-8")
    return tuple(Known(**entry) for entry in tomllib.loads(text)["file"])


def git_blob_hash(size: int) -> hashlib._Hash:
    """The hash of a git blob of `size` bytes, before its content."""
    # A checksum against a public listing, not a defence against forgery.
    return hashlib.sha1(f"blob {size}\0".encode(), usedforsecurity=False)
