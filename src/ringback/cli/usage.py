"""What is wrong with a command as typed, in one sentence and where to look."""

from __future__ import annotations

from cyclopts import CycloptsError, MissingArgumentError, UnusedCliTokensError

__all__ = ["sentence"]


def sentence(error: CycloptsError) -> str:
    """The parser's complaint as a sentence that ends with the help to ask for."""
    error.verbose = False
    command = " ".join(["ringback", *(error.command_chain or ())])
    match error:
        case UnusedCliTokensError(unused_tokens=[first, *_]):
            says = f"`{command}` takes no further argument {first!r}."
        case MissingArgumentError(argument=argument) if argument is not None and (
            not argument.tokens and error.keyword is None
        ):
            hint = error.argument.field_info.is_keyword if error.argument else False
            name = argument.name.removesuffix("...")
            says = f"`{command}` needs {'the option ' if hint else ''}{name}."
            if hint:
                says = _did_you_mean(error, says)
        case _:
            says = " ".join(str(error).split())
    return f"{says} See `{command} --help`."


def _did_you_mean(error: MissingArgumentError, says: str) -> str:
    """Keep the parser's hint when a misspelt option is why another is missing."""
    _, found, hint = str(error).partition(" Did you mean ")
    return f"{says} Did you mean {hint}" if found else says
