"""Groups of clusterings, in any of the forms that users have them in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from chanceless.errors import OptionError, plural
from chanceless.policy import is_missing

if TYPE_CHECKING:
    from typing import NoReturn

Groups = Mapping[Any, Any] | Callable[[str], Any] | Sequence[Any]
_FORMS = "be a dict from names to groups or from groups to names, a function of a name, or a list with a group for each"


def group_places(groups: Groups | None, names: Sequence[str]) -> dict[str, list[int]]:
    """Return the places of the clusterings of each group; all are in the group "all" by default."""
    if groups is None:
        return {"all": list(range(len(names)))}
    listed = _group_of_each(groups, names)
    places: dict[str, list[int]] = {}
    for place, group in enumerate(listed):
        if is_missing(group):
            _refuse(names, f"no group for {names[place]!r}")
        places.setdefault(str(group), []).append(place)
    return places


def _group_of_each(groups: Any, names: Sequence[str]) -> list[Any]:
    """Return the group of each clustering, in their order; None for those without."""
    if isinstance(groups, Mapping):
        return _from_mapping(groups, names)
    if hasattr(groups, "get") and set(names) <= set(groups.keys()):  # a pandas column with names as its index
        return [groups.get(name) for name in names]
    if callable(groups):
        return [groups(name) for name in names]
    if isinstance(groups, str | bytes) or not isinstance(groups, Iterable):
        _refuse(names, f"{type(groups).__name__} {groups!r}")
    listed = list(groups)
    if len(listed) != len(names):
        _refuse(names, plural(len(listed), "group"))
    return listed


def _from_mapping(groups: Mapping[Any, Any], names: Sequence[str]) -> list[Any]:
    """Return the group of each clustering: values are names if no key is one, or if each value lists some."""
    known = set(names)
    members = {group: _as_list(value) for group, value in groups.items()}
    listed = all(not isinstance(value, str) and not known.isdisjoint(members[group]) for group, value in groups.items())
    if not listed and not known.isdisjoint(groups):
        return [groups.get(name) for name in names]
    group_of: dict[str, Any] = {}
    for group, own in members.items():
        for name in own:
            if name not in known:
                _refuse(names, f"{name!r} in {group!r}, which is no clustering", "matrix.names lists them")
            if group_of.setdefault(name, group) is not group:
                _refuse(names, f"{name!r} in {group_of[name]!r} and {group!r}")
    return [group_of.get(name) for name in names]


def _as_list(value: Any) -> list[Any]:
    return [value] if isinstance(value, str | bytes) or not isinstance(value, Iterable) else list(value)


def _refuse(names: Sequence[str], given: str, hint: str = "") -> NoReturn:
    raise OptionError(f"{_FORMS} of the {len(names)} clusterings", argument="groups", given=given, hint=hint)
