"""Credentials that were tried: kept in order, without their secrets, whoever reads them."""

from __future__ import annotations

from pathlib import Path

from ringback.sessions import Probe, Store


def test_probes_are_kept_in_the_order_in_which_they_were_noted(path: Path) -> None:
    tried = [
        Probe(2.0, "openai:gpt-5.2", "missing", None, "OPENAI_API_KEY is not set"),
        Probe(1.0, "anthropic:claude-haiku-4-5", "refused", 401, "HTTP 401: invalid key"),
        Probe(3.0, "openai:gpt-5.2", "accepted"),
    ]
    with Store.open(path) as store:
        assert store.probes() == []
        for probe in tried:
            store.note_probe(probe)
    with Store.open(path, write=False) as store:
        assert store.probes() == tried


def test_what_a_provider_says_is_kept_on_one_short_line(path: Path) -> None:
    with Store.open(path) as store:
        store.note_probe(Probe(1.0, "m", "refused", 403, "HTTP 403:\n" + "no \x00 access " * 100))
        (probe,) = store.probes()
    assert probe.words is not None
    assert probe.words.startswith("HTTP 403: no")
    assert "\n" not in probe.words
    assert len(probe.words) <= 300
