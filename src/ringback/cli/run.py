def run(*, tasks: str):
    pass
