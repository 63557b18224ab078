"""A filter of the spelling check: words that are code, although they are written without backticks."""

from enchant.tokenize import Filter


class CodeWords(Filter):  # type: ignore[misc]
    """Skip names and paths, such as labels_pred, n_ij and docs/index.md."""

    def _skip(self, word: str) -> bool:
        return "_" in word or "/" in word or word.endswith(".md")
