"""A report over Exgentic's recorded traces: solve rates, costs, wrong labels, limits."""

from ringback.recordings.traces.report import trace_results, write_traces

__all__ = ["trace_results", "write_traces"]
