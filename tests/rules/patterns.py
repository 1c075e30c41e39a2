"""Random patterns that are allowed, and texts to look for them in."""

from __future__ import annotations

from hypothesis import strategies as st

from candling.rules.patterns import Pattern, PatternError

TEXTS = (
    *("", "a", "b", "ab", "aab", "abc", "abab", "A", "aa\n", "\n", "a\nb", "a b", " ", "é"),
    *("1", "12", "a1_", "a-z", "[]", "^", "$5.00", "\\", "{2}", "(x)", "a|b", "*", "+", "?", "/"),
    *("\U0001f600", "x\U0001f600", "]", "-", "&&", "~", "bcd", "'", "\t", "\r\n", "ÿ", "_", "#"),
    *("[:alpha:]", "*+?(){}|^$/", "e\u0301"),
)

_literals = st.sampled_from(
    ["a", "b", "c", "1", "é", " ", "-", "'", "\U0001f600", "\n", "_", "&", "~", "#", "/", "@"]
    + [rf"\{sign}" for sign in ".*+?()[]{}|^$\\-"]
    + [r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", r"\t", r"\n", "."]
)
_members = st.sampled_from(
    [
        "a",
        "b",
        "0-9",
        "a-c",
        "é",
        r"\]",
        r"\[",
        r"\^",
        r"\-",
        r"\\",
        r"\d",
        r"\W",
        " ",
        ".",
        "&",
        "|",
    ]
)
_classes = st.builds(
    lambda negated, members: f"[{negated}{''.join(members)}]",
    st.sampled_from(["", "^"]),
    st.lists(_members, min_size=1, max_size=3),
)
_counts = st.sampled_from(["*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "+?"])


def patterns() -> st.SearchStrategy[str]:
    """Patterns that mean the same everywhere."""
    inner = st.recursive(
        st.one_of(_literals, _classes),
        lambda part: st.one_of(
            st.lists(part, min_size=1, max_size=3).map("".join),
            st.lists(part, min_size=2, max_size=3).map(lambda parts: f"({'|'.join(parts)})"),
            st.builds(lambda p, count: f"(?:{p}){count}", part, _counts),
            part.map(lambda p: f"({p})"),
        ),
        max_leaves=6,
    )
    ends = st.sampled_from(["", "^"]), st.sampled_from(["", "$"])
    return st.builds(lambda start, p, end: start + p + end, ends[0], inner, ends[1]).filter(
        lambda p: not p.endswith("\\$") and _is_allowed(p)
    )


def _is_allowed(pattern: str) -> bool:
    """A repeat of a repeat is not, for instance."""
    try:
        Pattern(pattern).check()
    except PatternError:
        return False
    return True
