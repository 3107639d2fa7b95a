"""Inputs made from a corpus: the same ones for the same seed, in every version of Python."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

INSERTIONS = (
    b"\x00", b"\\u0000", b"\\ud800", b"\xed\xa0\x80", b"\xff", b"\xef\xbb\xbf", b"\x1b[31m", b"\r", b"\t",
    b"NaN", b"nan", b"inf", b"-Infinity", b"1e999", b"-1e999", b"9" * 25, b"9" * 5000, b"-" + b"9" * 400,
    b"0x" + b"f" * 6000, b"18446744073709551616", b"-9223372036854775809", b"-1", b"0", b"1.5", b"true",
    b"null", b"\n\n",
    b"1979-05-27", b"1979-05-27T07:32:00Z", b"07:32:00", b'"2020-01-01"', b"''", b'""', b'"', b"'",
    b'"""', b"'''",
    b"[" * 3000, b"{" * 3000, b'{"a":' * 3000, b"[[" * 30 + b"]]" * 30, b"(" * 3000, b"a = " + b"[" * 3000,
    b".".join([b"a"] * 3000), b"=", b"[]", b"{}", b"a" * 20_000, "²".encode(), "٣".encode(), "𝟘".encode(),
    "é".encode(), "\u2028".encode(), b"%00", b"%ff", b"%", b"#", b"?", b"&", b":", b"/", b"//", b";", b",",
    b"--",
    b"NULL", b"x'00'", b"../", b"..", b"~", b"*" * 100,
)  # fmt: skip
"""Structure that breaks parsers: depth, length, numbers, dates, NUL, surrogates, digits of other scripts."""
LONGEST = 60_000


def inputs(corpus: Sequence[bytes], seed: int, count: int) -> Iterator[bytes]:
    """Yield the corpus itself, then mutations of it, `count` in all or as many as the corpus has."""
    yield from corpus
    random_ = random.Random(seed)
    for _ in range(count - len(corpus)):
        data = random_.choice(corpus)
        for _ in range(random_.choice((1, 1, 1, 2, 3, 8))):
            data = random_.choice(MUTATIONS)(random_, data, corpus)
        yield data[:LONGEST]


def _span(random_: random.Random, data: bytes) -> tuple[int, int]:
    start = random_.randint(0, len(data))
    return start, min(len(data), start + random_.choice((1, 2, 5, 20, 100)))


def _flip(random_: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    if not data:
        return bytes([random_.randrange(256)])
    at = random_.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << random_.randrange(8)]) + data[at + 1 :]


def _truncate(random_: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    at = random_.randint(0, len(data))
    return data[:at] if random_.random() < 0.7 else data[at:]


def _delete(random_: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    start, stop = _span(random_, data)
    return data[:start] + data[stop:]


def _double(random_: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    start, stop = _span(random_, data)
    return data[:stop] + data[start:stop] * random_.choice((1, 1, 2, 50)) + data[stop:]


def _splice(random_: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    other = random_.choice(corpus)
    return data[: random_.randint(0, len(data))] + other[random_.randint(0, len(other)) :]


def _insert(random_: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    at = random_.randint(0, len(data))
    return data[:at] + random_.choice(INSERTIONS) + data[at:]


def _replace_token(random_: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """Put an insertion in the place of a word, a number or a string."""
    start, _ = _span(random_, data)
    while start > 0 and data[start - 1 : start].isalnum():
        start -= 1
    stop = start
    while stop < len(data) and (data[stop : stop + 1].isalnum() or data[stop : stop + 1] in b'._-"'):
        stop += 1
    return data[:start] + random_.choice(INSERTIONS) + data[stop:]


def _double_line(random_: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    lines = data.split(b"\n")
    lines.insert(random_.randint(0, len(lines)), random_.choice(lines))
    return b"\n".join(lines)


MUTATIONS = (
    _flip,
    _truncate,
    _delete,
    _double,
    _splice,
    _insert,
    _insert,
    _replace_token,
    _replace_token,
    _double_line,
)
