"""The desk in the browser: a person answers a simulated customer, the policy beside the call."""

__all__: list[str] = []
