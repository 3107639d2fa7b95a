"""Documents: TOML and JSON from outside, bounded; files that are written whole or not at all.

What is read is bounded in size and depth, and all its values are fit to be recorded. Refused, with a sentence
that names the file and the key: integers that are too long, numbers that overflow, dates, NUL and unpaired
surrogates in strings, keys that occur twice, and tables nested too deeply.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import math
import os
import re
import shutil
import stat
import tomllib
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

from epcg_core.base.errors import EpcgError
from epcg_core.base.texts import decoded

MOST_BYTES = 256_000_000
MOST_TOML = 1 << 22
"""Characters of a TOML document, which is read by plain Python."""
MOST_DEPTH = 40
TOML_BITS, JSON_BITS = 64, 1000
"""Largest number of bits of an integer, sign included; those of JSON are finite as reals, too."""
_MOST_OF_NAME = 40
"""Characters: file systems take names of 255 bytes."""
_MOST_OF_FILE = 150
"""Bytes of a file's name, so that endings fit beside it."""
_MOST_NAMES, _MOST_ALIKE = 1000, 5
"""Names of a folder among which one that was asked for is looked for, and that a message lists."""
_TEXT_ENDINGS = (".txt", ".toml", ".json", ".csv", ".svg", ".md")
"""Endings of text files that belong to no format of a domain."""
_DOTTED = re.compile(
    r"""(?:^|[\[{,])[ \t]*+(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){40}[^=\]\n]*+[=\]]""",
    re.MULTILINE,
)
"""A dotted key of more parts than tables may nest; tomllib takes quadratic time for it."""

_PLACES: ContextVar[Mapping[str, str]] = ContextVar("places", default={})  # noqa: B039, never changed


@contextmanager
def places(known: Mapping[str, str]) -> Iterator[None]:
    """Let `place_of` find files and folders where a recorded run found them, whatever the folder is now."""
    token = _PLACES.set(known)
    try:
        yield
    finally:
        _PLACES.reset(token)


def known_places() -> Mapping[str, str]:
    """Return the places that `places` has set: a name -> the absolute path."""
    return _PLACES.get()


def place_of(name: str) -> Path:
    """Return the path of a file or folder that a param names.

    That is where the run that is checked, or goes on, found it, if it is still there; else here.
    """
    known = _PLACES.get().get(name)
    return Path(known) if known is not None and Path(known).exists() else Path(name)


def named_path(text: str, endings: Iterable[str] = ()) -> Path | None:
    """Return the path that a text is; None for any other text.

    A path leads to something, or ends like the name of a text file: '.txt', say, or one of `endings`, which
    are those of registered formats (`Registry.named_path` asks for them). Whether it is a file that can be
    read, `read_text` says.
    """
    if "\n" in text.strip() or not text.strip("./ "):  # an empty drawing is not the folder '.'
        return None
    with suppress(OSError, ValueError):  # a text may be longer than a name can be, or hold NUL
        if Path(text).exists():
            return Path(text)
    name = text.strip().lower()
    found = max((each for each in (*_TEXT_ENDINGS, *endings) if name.endswith(each)), key=len, default="")
    before = name.removesuffix(found)[-1:]  # rows of a board may end like a file, after a space, '|' or '/'
    return Path(text) if found and before and not before.isspace() and before not in "|/" else None


def check_not_path(text: str, error: type[EpcgError]) -> None:
    """Raise `error` if a text that nothing could read is the path of a file that is missing in its folder."""
    with suppress(OSError, ValueError):  # it may be longer than a name can be, or hold NUL
        if "/" in text and "\n" not in text and not Path(text).exists() and Path(text).parent.is_dir():
            raise error(no_file(text))


def no_file(path: Path | str, what: str = "file") -> str:
    """Return sentences about a file that there is not: its folder, or the name that is likely to be meant.

    Args:
        path: the file that was asked for.
        what: its role, such as "query file".
    """
    there_is_none, folder = f"There is no {what} '{path}'", Path(path).parent
    if address := re.match(r"(https?):/+(.+)", str(path)):
        return f"'{address[1]}://{address[2]}' is an address, not a file: download it, and name the file."
    if Path(path).is_symlink():
        return f"The {what} '{path}' is a link to a file that is not there."
    try:
        with os.scandir(folder) as entries:
            names = sorted(each.name for each in islice(entries, _MOST_NAMES) if each.is_file())
    except (OSError, ValueError):
        return f"{there_is_none}: there is no folder {folder} that can be read. Look at its name."
    stems = {Path(name).stem: name for name in names}  # endings are alike, and mean nothing
    near = difflib.get_close_matches(Path(path).stem, stems, n=1)
    ending = Path(path).suffix
    alike = [name for name in names if ending and name.endswith(ending)][:_MOST_ALIKE]
    if near:
        return f"{there_is_none}. Did you mean '{stems[near[0]]}'?"
    if alike:
        return f"{there_is_none}. Its folder has {', '.join(alike)}."
    return (
        f"{there_is_none}. Its folder has no file{f' that ends in {ending}' if ending else ' of that name'}."
    )


def beginning(path: Path, what: str, error: type[EpcgError], most: int) -> bytes:
    """Return the first bytes of a regular file, at most `most`; `what` names its role in messages.

    Raises `error` if there is no such file, it is unreadable, or it is a folder, device, pipe or socket.
    """
    return _read(path, what, error, most)[0]


def read_bytes(path: Path, what: str, error: type[EpcgError] = EpcgError, most: int | None = None) -> bytes:
    """Return the content of a regular file; `what` names its role in messages, such as 'query file'.

    Raises `error` as `beginning` does, and if the file has more than `most` bytes, by default MOST_BYTES.
    """
    most = MOST_BYTES if most is None else most
    data, size = _read(path, what, error, most)
    if size > most:
        raise error(f"The {what} '{path}' is larger than {size_in_words(most)}.")
    return data


def size_in_words(number: int) -> str:
    """Write a number of bytes for people, in powers of a thousand as disks have them: '1.24 MB'."""
    value, unit = float(number), ""
    for unit in ("bytes", "kB", "MB", "GB", "TB", "PB"):
        if value < 999.5 or unit == "PB":
            break
        value /= 1000
    if unit == "bytes":
        return "1 byte" if number == 1 else f"{number} bytes"
    return f"{value:.3g} {unit}" if value < 999.5 else f"{value:.0f} {unit}"


def read_text(path: Path, what: str, error: type[EpcgError] = EpcgError, most: int | None = None) -> str:
    """Return the text of a UTF-8 file; `what` names its role in messages, such as 'query file'.

    Lines end with LF, whatever ends them in the file. A gzip file is read as the text that it holds.

    Raises `error` as `read_bytes` does, and if the file is not UTF-8 or holds NUL, as UTF-16 does.
    """
    data = _unpacked(read_bytes(path, what, error, most), f"The {what} '{path}'", error, most or MOST_BYTES)
    return decoded(data, f"The {what} '{path}'", error)


def _unpacked(data: bytes, where: str, error: type[EpcgError], most: int) -> bytes:
    """Return the content of a gzip file, as some programs write their texts; of another file what it is."""
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        unpacker = zlib.decompressobj(wbits=31)
        found = unpacker.decompress(data, most)
    except zlib.error as problem:
        raise error(f"{where} is compressed, and damaged: {problem}.") from None
    if unpacker.unconsumed_tail:
        raise error(f"{where} is compressed, and has more than {most:,} bytes when it is unpacked.")
    if not unpacker.eof:
        raise error(f"{where} is compressed, and ends too early: copy it again.")
    return found


def _read(path: Path, what: str, error: type[EpcgError], most: int) -> tuple[bytes, int]:
    """Return (at most `most` bytes of a regular file, its size)."""
    try:
        with open(path, "rb", buffering=0, opener=_opener) as file:
            state = os.fstat(file.fileno())
            if not stat.S_ISREG(state.st_mode):
                kind = next((kind for test, kind in _KINDS if test(state.st_mode)), "not a file")
                raise error(f"The {what} '{path}' is {kind}: name a file.")
            data = bytearray()
            while len(data) <= most and (block := file.read(min(most + 1 - len(data), 1 << 20))):
                data += block
    except FileNotFoundError:
        raise error(no_file(path, what)) from None
    except IsADirectoryError:
        raise error(f"The {what} '{path}' is a folder: name a file.") from None
    except (OSError, ValueError) as problem:  # a path with NUL is a ValueError
        reason = getattr(problem, "strerror", None) or problem
        raise error(f"The {what} '{path}' cannot be read: {reason}.") from None
    return bytes(data[:most]), max(len(data), state.st_size)


def _opener(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # or a pipe would wait for its other end


_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def file_name(text: str) -> str:
    """Turn a name from a document, a database or a puzzle into that of a file, without folders.

    Letters, digits, '_', '=' and inner dots stay; a long name is cut and gets a digest.
    """
    name = re.sub(r"[^\w=.]+", "-", text).strip("-.")
    data = name.encode()
    if not data or len(data) > _MOST_OF_FILE:
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10]
        name = "-".join(filter(None, (data[:_MOST_OF_FILE].decode(errors="ignore").rstrip("-."), digest)))
    return name


def parse_toml(text: str, where: str, error: type[EpcgError] = EpcgError) -> dict[str, Any]:
    """Parse a TOML document; `where` begins every message. Raises `error`."""
    try:
        table = _loads_toml(text + "\n", where, error)  # or else its last line is "the end"
    except tomllib.TOMLDecodeError as problem:
        raise error(f"{where} is not valid TOML: {problem}.") from None
    check(table, where, error, TOML_BITS)
    return table


def toml_value(text: str, where: str, error: type[EpcgError]) -> Any:
    """Return a value as TOML has it; a date, and what is not TOML, is the string itself. Raises `error`."""
    try:
        value = _loads_toml(f"value = {text}", where, error)["value"]
    except tomllib.TOMLDecodeError:
        value = text
    value = text if hasattr(value, "isoformat") else value
    check(value, where, error, TOML_BITS)
    return value


def _loads_toml(text: str, where: str, error: type[EpcgError]) -> dict[str, Any]:
    """Parse TOML of any values. Raises tomllib.TOMLDecodeError if it is not TOML, `error` for its size."""
    if len(text) > MOST_TOML:
        raise error(f"{where} is longer than {MOST_TOML >> 20} million characters.")
    dotted = _DOTTED.search(text)
    if dotted is not None:
        line = text.count("\n", 0, dotted.end()) + 1
        raise error(f"{where}: line {line}: a key has more than {MOST_DEPTH} parts.")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise error(_too_deep(where)) from None
    except ValueError:  # of `int`, for more digits than Python converts
        digits = re.search(r"[0-9][0-9_]{4000,}", text)
        line = text.count("\n", 0, digits.start()) + 1 if digits else 1
        raise error(f"{where}: line {line}: a number has too many digits.") from None


def parse_json(text: str | bytes, where: str, error: type[EpcgError] = EpcgError) -> Any:
    """Parse a JSON document; `where` begins every message. Raises `error`."""
    try:
        return loads_json(text, where, error)
    except (json.JSONDecodeError, UnicodeDecodeError) as problem:
        again = "If it was cut or changed on its way, take it again."
        raise error(f"{where} is not valid JSON: {problem}. {again}") from None


def loads_json(text: str | bytes, where: str, error: type[EpcgError], bits: int = JSON_BITS) -> Any:
    """Parse JSON. Raises json.JSONDecodeError or UnicodeDecodeError if it is not, else as `parse_json`."""

    def refuse(constant: str) -> NoReturn:
        raise error(f"{where} is not valid JSON: {constant} is not a number of JSON.")

    def integer(digits: str) -> int:
        if len(digits) > JSON_BITS:
            raise error(f"{where}: an integer of {len(digits)} digits is too long.")
        return int(digits)

    def table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            seen: set[str] = set()
            twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise error(f"{where}: the key '{_shown(twice)}' is there twice.")
        return found

    try:
        data = json.loads(text, parse_constant=refuse, parse_int=integer, object_pairs_hook=table)
    except RecursionError:
        raise error(_too_deep(where)) from None
    check(data, where, error, bits)
    return data


def check(value: Any, where: str, error: type[EpcgError], bits: int = JSON_BITS, depth: int = 0) -> None:
    """Raise `error` if a value, or one inside it, cannot be recorded. `where` begins the message."""
    if isinstance(value, dict | list | tuple):
        if depth == MOST_DEPTH:
            raise error(_too_deep(where))
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(key, str):
                check(key, f"{where}: a key", error)
            dot = ": " if depth == 0 else "."
            inner = f"{where}{dot}{key}" if isinstance(value, dict) else f"{where} {key + 1}"
            check(item, inner, error, bits, depth + 1)
    elif isinstance(value, str):
        if not value.isascii() and _LONE.search(value):
            raise error(f"{where}: '{_shown(value)}' holds half a character (an unpaired surrogate).")
        if "\0" in value:
            raise error(f"{where}: '{_shown(value)}' holds the character NUL; take it away.")
    elif isinstance(value, bool) or value is None:
        pass
    elif isinstance(value, int):
        if not -(1 << bits - 1) <= value < 1 << bits - 1:
            raise error(f"{where}: this integer has more than {bits - 1} bits and is too large.")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise error(f"{where}: {value} is not a finite number; leave the key out if no limit is meant.")
    elif hasattr(value, "isoformat"):
        raise error(f"{where}: {value.isoformat()} is a date or time; put it in quotes if a string is meant.")
    else:
        raise error(f"{where}: a value of type {type(value).__name__} cannot be recorded.")


_LONE = re.compile("[\ud800-\udfff]")


def whole_number(text: str, most: int = 10**18) -> int | None:
    """Return the number that a text of decimal digits is, at most `most`; None for any other text."""
    digits = text.isascii() and text.isdecimal() and len(text) <= 19  # `int` refuses thousands of digits
    return int(text) if digits and int(text) <= most else None


def _shown(text: str) -> str:
    """Return the beginning of a string, with escapes for what cannot be printed."""
    return text[:60].encode("unicode_escape").decode("ascii") + ("..." if len(text) > 60 else "")


def _too_deep(where: str) -> str:
    return f"{where}: lists and tables are nested more than {MOST_DEPTH} deep."


def temporary_prefix() -> str:
    """Return how this process's temporary folders are named, and remove those of killed processes."""
    import tempfile  # few commands make one

    _clear(Path(tempfile.gettempdir()), _FOLDER)
    return f"epcg-{_process()}-"


def _process() -> str:
    host = os.uname().nodename if hasattr(os, "uname") else ""
    return f"{zlib.crc32(host.encode()) & 0xFFFF:04x}-{os.getpid()}"


_FOLDER = re.compile(r"epcg-([0-9a-f]{4})-(\d+)-\w+")
_PART = re.compile(r"\..+\.([0-9a-f]{4})-(\d+)-[0-9a-f]{8}\.part", re.DOTALL)


def _clear(folder: Path, pattern: re.Pattern[str]) -> None:
    """Remove what processes of this machine and user that run no more have left in a folder."""
    if os.name != "posix":
        return
    host = _process().partition("-")[0]
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            match = pattern.fullmatch(entry.name)
            if match is None or match[1] != host or _runs(int(match[2])):
                continue
            if entry.stat(follow_symlinks=False).st_uid != os.getuid():
                continue
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                Path(entry.path).unlink()


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # of another user
        pass
    return True


def reserve(path: Path, size: int) -> None:
    """Make a file of `size` zero bytes that has all its space.

    Writing to a memory map of a file that has none kills the process. Raises OSError if there is no room.
    """
    with path.open("wb") as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
        else:
            file.truncate(size)


@contextmanager
def replaced(target: Path, *, folder: bool = False) -> Iterator[Path]:
    """Yield the path of a file, or an empty folder, that takes the place of `target` when all is written.

    It lies beside `target` and is removed if that fails, so that nothing partial stays; what a killed process
    has left there goes, too. Pipes and devices
    (/dev/stdout, say) are written to themselves, and what a link leads to is replaced, not the link. A folder
    takes the place of an empty one.
    """
    if target.exists() and not (target.is_dir() if folder else target.is_file()):
        yield target
        return
    place = Path(os.path.realpath(target)) if target.is_symlink() else target
    part = place.with_name(f".{target.name[:_MOST_OF_NAME]}.{_process()}-{os.urandom(4).hex()}.part")
    _clear(place.parent, _PART)
    try:
        if folder:
            part.mkdir()
        yield part
        part.replace(place)
    except OSError as error:
        if error.filename in (None, str(part)):  # messages name the file that was asked for
            error.filename = str(target)
        raise
    finally:
        if folder:
            shutil.rmtree(part, ignore_errors=True)
        else:
            with suppress(OSError):  # what is wrong with its folder is told already
                part.unlink(missing_ok=True)
