"""What users write by mistake: whatever it is, it can be used or is refused in a sentence."""

from __future__ import annotations

import contextlib
import datetime
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ringback.canonical import digest
from ringback.cli.settings import agent_settings, user_settings
from ringback.errors import InputError
from ringback.models import ModelEntry, Models
from ringback.models.entries import check_entry, entry_of, read_entries
from ringback.models.script import read_script
from ringback.models.values import refuse_unstorable
from ringback.study.file import instructions_in

EACH = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)

ANY_TEXT = st.text(st.characters())  # half surrogate pairs too
SCALAR = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=2**62)
    | st.floats()
    | ANY_TEXT
    | st.dates()
    | st.datetimes()
    | st.binary(max_size=3)
)
VALUE = st.recursive(
    SCALAR,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(["temperature", "thinking", "extra_headers", "extra_body", "seed", "stop"])


def deep(levels: int) -> str:
    return "[" * levels + "]" * levels


# --- settings on the command line

WORD = st.sampled_from(
    ["NaN", "-Infinity", "1e999", '"\\ud800"', '{"a":1,"a":2}', "1", "{}", "9" * 5000, deep(9)]
)


@given(st.lists(st.tuples(NAMES | ANY_TEXT, st.sampled_from([".", "=", ".="]), WORD | ANY_TEXT)))
@example([("model.temperature", "=", "NaN")])
@example([("model", "=", deep(100_000))])
def test_settings_typed_on_the_command_line(parts: list[tuple[str, str, str]]) -> None:
    words = [f"{key}{sign}{text}" for key, sign, text in parts]
    for read in (
        lambda: agent_settings(words, None, None),
        lambda: user_settings(words, None),
    ):
        with contextlib.suppress(InputError):
            digest(read())


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("model.temperature=NaN", "model.temperature of --setting is not finite"),
        ("model.temperature=-Infinity", "not finite"),
        ("skip=1e999", "not finite"),
        ('model="\\ud800"', "half a character"),
        ('model.x=["\\udfff"]', "half a character"),
        ('model={"\\ud800": 1}', "no text"),
        (f"model={deep(100_000)}", "nests too deeply"),
        (f"model={deep(200)}", "nests deeper than 50"),
        ('model={"a": 1, "a": 2}', "the name 'a' twice"),
        ("model.seed=99999999999999999999", "64 bits"),
    ],
)
def test_what_no_record_can_hold_is_refused_on_the_command_line(word: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        agent_settings([word], None, None)
    assert said in str(caught.value)


def test_a_setting_given_twice_is_refused() -> None:
    with pytest.raises(InputError, match="given twice"):
        agent_settings(["skip=0.1", "skip=0.2"], None, None)


def test_a_refused_setting_does_not_repeat_its_value() -> None:
    with pytest.raises(InputError) as caught:
        agent_settings(["model=1", "model.api_key=zq7DISTINCT"], None, None)
    assert "zq7DISTINCT" not in str(caught.value)


@given(VALUE)
@example(datetime.date(1979, 5, 27))
@example(math.nan)
@example(2**70)
def test_what_is_taken_can_be_stored(value: Any) -> None:
    with contextlib.suppress(InputError):
        refuse_unstorable({"x": value}, "y")
        digest({"x": value})


# --- entries

ENTRY = st.fixed_dictionaries(
    {"model": st.sampled_from(["openai:x", "anthropic:x", "script:x", "local:x", ":", ""])},
    optional={
        "base_url": st.sampled_from(["http://h/v1", "http://..:1/", "x"]) | ANY_TEXT | VALUE,
        "key_env": ANY_TEXT | VALUE,
        "settings": st.dictionaries(NAMES | ANY_TEXT, VALUE, max_size=3) | VALUE,
        "price": st.dictionaries(st.sampled_from(["input", "output", "cached"]), VALUE) | VALUE,
        "context": VALUE,
        "concurrency": VALUE,
        "per_minute": VALUE,
    },
)


@given(ENTRY | VALUE, st.just("a") | ANY_TEXT)
def test_entries_are_taken_or_refused(table: Any, name: str) -> None:
    with contextlib.suppress(InputError):
        entry = entry_of(table, "[models.a]")
        check_entry(name, entry)
        digest(Models({name: entry}).open(name).identity)


TOML = st.lists(
    st.sampled_from(
        [
            "[models.a]\n",
            "[models]\n",
            "model",
            "settings",
            "=",
            '"openai:x"',
            "nan",
            "1979-05-27",
            "{",
            "}",
            "[",
            "]",
            "\n",
            "\ud800",
            "9" * 5000,
            ".",
            "\x00",
        ]
    )
    | ANY_TEXT
).map("".join)


@EACH
@given(TOML.map(lambda text: text.encode("utf-8", "surrogatepass")) | st.binary())
@example(f"a = {deep(5000)}\n".encode())
@example(b"a = " + b"9" * 5000)
@example(b"[models.a]\nmodel='openai:x'\nsettings={t=1979-05-27}\n")
def test_any_models_file_is_read_or_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "models.toml"
    path.write_bytes(content)
    with contextlib.suppress(InputError):
        read_entries(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("settings = {temperature = nan}", "temperature of [models.a] is not finite"),
        ("settings = {temperature = inf}", "not finite"),
        ("settings = {seed = 1979-05-27}", "is a date"),
        ('base_url = "http://h/v1\\nfoo"', "no http or https address"),
        ('base_url = "http://h/\\u001b[31m"', "no http or https address"),
        (f'base_url = "http://h/{"a" * 70_000}"', "no http or https address"),
        (f"settings = {{x = {deep(5000)}}}", "nests too deeply"),
        ("settings = {extra_body = 3}", "a table"),
        ('settings = {extra_headers = "x"}', "a table"),
    ],
)
def test_mistakes_in_a_models_file_are_named(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "models.toml"
    path.write_text(f'[models.a]\nmodel = "openai:x"\n{text}\n', encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_entries(path)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"model": "local:smollm2", "base_url": "http://x/"}, "base_url"),
        ({"model": "local:smollm2", "key_env": "LAB_KEY"}, "key_env"),
        ({"model": "local:smollm2", "price": {"input": 1, "output": 1}}, "price"),
        ({"model": "script:x", "settings": {"temperature": 1}}, "settings"),
        ({"model": "script:x", "base_url": "http://x/"}, "base_url"),
    ],
)
def test_what_makes_no_difference_to_a_model_is_refused(entry: Any, said: str) -> None:
    with pytest.raises(InputError, match=f"has a {said}, which a "):
        check_entry("a", entry_of(entry, "a"))


@pytest.mark.parametrize(
    "wrong",
    [
        {"thinking": 7},
        {"tool_choice": "bogus"},
        {"extra_headers": {"X-A": 3}},
        {"service_tier": 3},
        {"logit_bias": {"a": "x"}},
    ],
)
def test_a_setting_of_the_wrong_kind_is_refused_before_anything_is_sent(wrong: Any) -> None:
    entry = ModelEntry("openai:x", base_url="http://127.0.0.1:9/v1", settings=wrong)
    models = Models({"a": entry})
    models.open("a")
    with pytest.raises(InputError, match=f"Setting {next(iter(wrong))} of a is not what it can be"):
        models.ready()


# --- scripts

REPLY = st.one_of(
    ANY_TEXT,
    VALUE,
    st.fixed_dictionaries(
        {},
        optional={
            "text": ANY_TEXT,
            "calls": st.lists(st.fixed_dictionaries({"tool": ANY_TEXT, "arguments": VALUE})),
            "failure": st.sampled_from(["infrastructure", "refusal", "no such"]),
        },
    ),
)


@EACH
@given(st.lists(REPLY).map(lambda replies: json.dumps(replies, default=str).encode()) | st.binary())
@example(b'[{"calls": [{"tool": "x", "arguments": ' + deep(3000).encode() + b"}]}]")
@example(deep(100_000).encode())
@example(b'["\\ud800"]')
@example(b'[{"calls": [{"tool": "x", "arguments": 1e999}]}]')
def test_any_script_is_read_or_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "script.json"
    path.write_bytes(content)
    with contextlib.suppress(InputError):
        digest(read_script(path))


@pytest.mark.parametrize("path", ["a\0", "/dev/zero", "/tmp", "a" * 5000, "\ud800"])
def test_a_script_that_is_none_is_refused(path: str) -> None:
    with pytest.raises(InputError, match="script"):
        Models().open(f"script:{path}")


@pytest.mark.parametrize("name", ["openai:\udcff", "script:\udcff", "\udcff"])
def test_a_name_that_is_no_utf_8_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="UTF-8"):
        Models().open(name)


@pytest.mark.parametrize("name", ["a\0", "a" * 5000])
def test_instructions_that_cannot_be_read_are_named(name: str) -> None:
    with pytest.raises(InputError, match="The instructions"):
        instructions_in(Path(name))


@given(ANY_TEXT | st.text("./~a\0", max_size=6))
@example("a\0.gguf")
@example("/" + "a" * 5000)
@example("a" * 5000 + ".gguf")
@example("a/" + "b" * 5000)
@example("~no-such-user/x.gguf")
@example("\ud800/x")
@example("/proc/self/mem")
@example("/")
def test_any_local_name_is_opened_or_refused(which: str) -> None:
    with contextlib.suppress(InputError):
        Models().open(f"local:{which}")


@pytest.mark.parametrize("name", ["messages", "model", "stream", "tools"])
def test_a_setting_that_would_replace_what_is_recorded_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=f"extra_body.{name}"):
        check_entry("a", ModelEntry("openai:x", settings={"extra_body": {name: []}}))
