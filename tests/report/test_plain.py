"""A tool's answer, made readable, and never made anything else."""

from __future__ import annotations

import pytest

from ringback.report.plain import result_text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"id":"L1","roaming":true,"end":null}', "id: L1; roaming: true; end: none"),
        ('{"ids":["L1","L2"],"at":{"x":"X","y":"1"}}', "ids: L1, L2; at: (x: X; y: 1)"),
        ('[{"a":1},{"a":2}]', "a: 1\na: 2"),
        ("[1,2]", "1, 2"),
        ("[]", "[]"),
        ("{}", "{}"),
        ("{oops", "{oops"),
        ("Airplane mode is now off.", "Airplane mode is now off."),
        ('{"a":{},"b":[]}', "a: none; b: none"),
        ("[" * 100_000, "[" * 100_000),
    ],
)  # fmt: skip
def test_a_record_is_spread_out_and_all_else_stays(text: str, words: str) -> None:
    assert result_text(text) == words


def test_depth_is_bounded() -> None:
    assert result_text('{"a":' * 400 + "1" + "}" * 400)
