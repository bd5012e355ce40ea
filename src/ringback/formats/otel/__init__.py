"""OpenTelemetry's spans for generative AI, as OTLP in JSON."""

from ringback.formats.otel.write import document

__all__ = ["document"]
