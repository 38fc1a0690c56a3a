"""Dialogs of data/ as `world.talks` has them: passages, answers, and their clauses by the names that
`world.clauses` knows.

A dialog is checked as a whole: every answer leads somewhere, every passage is reached from the first, and
from each there is a way out that asks for nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, TypeVar, cast

import attrs

from protocol.tables import nearest, read
from server.content.phrases import LONGEST, LONGEST_ANSWER, spelled
from world import quest_clauses as quest_clauses  # they are registered by it
from world.clauses import CONDITIONS, DEEDS, EFFECTS, Condition, Effect, Not
from world.talks import START, Answer, Passage, Talk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from world.content import ItemTemplate
    from world.talks import Known

T = TypeVar("T")

MOST_PASSAGES: Final = 200
MOST_ANSWERS: Final = 12
"""Of one passage: more than that no client shows at once."""
DEEPEST: Final = 8
"""Conditions inside `not` inside `not`."""

ANSWER_KEYS: Final = ("text", "to", "if", "do")
PASSAGE_KEYS: Final = ("text", "answers")


class DialogReader:
    """Reads the dialog of one being; `where` begins each line of `problems`."""

    def __init__(
        self, where: str, problems: list[str], items: Mapping[str, ItemTemplate], unread: Collection[str]
    ) -> None:
        self._where = where
        self._problems = problems
        self._items = items
        self._unread = unread

    def talk(self, table: Mapping[str, object]) -> Talk | None:
        """The dialog; None if it has mistakes in its form, or in where it leads."""
        before = len(self._problems)
        if len(table) > MOST_PASSAGES:
            self._complain("dialog", f"must have {MOST_PASSAGES} passages at most, has {len(table)}")
            return None
        passages = {key: self._passage(f"dialog.{key}", row) for key, row in table.items()}
        if len(self._problems) == before:
            self._check_ways(passages)
        return Talk(passages, _led(passages)) if len(self._problems) == before else None

    def check(self, talk: Talk, known: Known) -> None:
        """Check what its clauses name."""
        for key, passage in talk.passages.items():
            for number, answer in enumerate(passage.answers, 1):
                place = f"dialog.{key}: answer {number}"
                for word, clauses in (("if", answer.needs), ("do", answer.does)):
                    for clause in clauses:
                        for line in clause.wrong(known):
                            self._complain(place, line if line.startswith(f"{word}: ") else f"{word}: {line}")

    def _complain(self, place: str, what: str) -> None:
        self._problems.append(f"{self._where}: {place}: {what}")

    def _passage(self, place: str, row: object) -> Passage:
        row = self._known_keys(place, row, PASSAGE_KEYS)
        answers = row.get("answers", [])
        if not isinstance(answers, list) or not answers:
            self._complain(place, "answers: must be a list of one or more")
            answers = []
        if len(answers) > MOST_ANSWERS:
            self._complain(place, f"answers: must be {MOST_ANSWERS} at most, are {len(answers)}")
        read_answers = [
            self._answer(f"{place}: answer {number}", answer) for number, answer in enumerate(answers, 1)
        ]
        return Passage(self._text(place, "text", row.get("text")), tuple(read_answers))

    def _answer(self, place: str, row: object) -> Answer:
        row = self._known_keys(place, row, ANSWER_KEYS)
        leads = row.get("to", "")
        if not isinstance(leads, str):
            self._complain(place, f"to: must be the name of a passage, is {leads!r}")
            leads = ""
        needs = self._conditions(place, row.get("if", {}))
        does = self._effects(place, row.get("do", []))
        if any(effect.leaves for effect in does) and leads:
            self._complain(place, "to: whoever is teleported hears no more")
        if sum(effect.serves for effect in does) > 1:
            self._complain(place, "do: one service at a time")
        elif any(effect.serves for effect in does) and any(_moves(effect) for effect in does):
            self._complain(place, "do: a service stands beside marks and words only: either may be refused")
        quests = [effect.leads[0] for effect in does if effect.leads is not None]
        if len(quests) > len(set(quests)):
            self._complain(place, "do: one thing at a time with a quest: it begins, or a step of it is done")
        return Answer(self._text(place, "text", row.get("text"), LONGEST_ANSWER), leads, needs, does)

    def _known_keys(self, place: str, row: object, keys: Sequence[str]) -> Mapping[str, object]:
        if not isinstance(row, Mapping):
            self._complain(place, f"must be a table, is {row!r}")
            return {}
        for key in row.keys() - set(keys):
            self._complain(place, f"unknown key {key!r}{nearest(key, list(keys))}")
        return row

    def _text(self, place: str, key: str, text: object, longest: int = LONGEST) -> str:
        if text is None:
            self._complain(place, f"{key}: is missing")
            return ""
        if not isinstance(text, str):
            self._complain(place, f"{key}: must be a text, is {text!r}")
            return ""
        wrong: list[str] = []
        words = spelled(text, self._items, wrong, self._unread, longest=longest)
        for what in wrong:
            self._complain(place, f"{key}: {what}")
        return words

    # Conditions and effects

    def _conditions(self, place: str, given: object, depth: int = 0) -> tuple[Condition, ...]:
        if isinstance(given, list):
            return tuple(one for table in given for one in self._conditions(place, table, depth + 1))
        if not isinstance(given, Mapping) or depth > DEEPEST:
            self._complain(place, f'if: must be a table like {{ item = "apple" }}, is {given!r:.60}')
            return ()
        found: list[Condition] = []
        if "not" in given:
            found.append(Not(self._conditions(place, given["not"], depth + 1)))
        rest = {key: value for key, value in given.items() if key != "not"}
        heads = {key: dict[str, object]({key: rest[key]}) for key in rest if key in CONDITIONS}
        for key in rest.keys() - heads.keys():
            owner = next((head for head in heads if key in _fields(CONDITIONS[head])), None)
            if owner is None:
                words = [
                    *CONDITIONS,
                    "not",
                    *(field for head in heads for field in _fields(CONDITIONS[head])),
                ]
                self._complain(place, f"if: unknown key {key!r}{nearest(key, words)}")
            else:
                heads[owner][key] = rest[key]
        for head, row in heads.items():
            one = read(CONDITIONS[head], row, f"{self._where}: {place}: if", self._problems)
            if one is not None:
                found.append(one)
        return tuple(found)

    def _effects(self, place: str, given: object) -> tuple[Effect, ...]:
        if not isinstance(given, list):
            self._complain(place, f'do: must be a list like ["shop"], is {given!r:.60}')
            return ()
        return tuple(effect for one in given for effect in self._effect(place, one))

    def _effect(self, place: str, given: object) -> Iterator[Effect]:
        if isinstance(given, str):
            if given in DEEDS:
                yield DEEDS[given]
            else:
                self._complain(place, f"do: no {given!r}{nearest(given, [*DEEDS, *EFFECTS])}")
            return
        heads = [key for key in given if key in EFFECTS] if isinstance(given, Mapping) else []
        if not isinstance(given, Mapping) or len(heads) != 1:
            words = nearest(next(iter(given), ""), list(EFFECTS)) if isinstance(given, Mapping) else ""
            known = ", ".join([*DEEDS, *EFFECTS])
            self._complain(place, f"do: each must be one of {known}, not {given!r:.60}{words}")
            return
        effect = read(EFFECTS[heads[0]], given, f"{self._where}: {place}: do", self._problems)
        if effect is None:
            return
        texts = {field: self._text(place, f"do: {field}", getattr(effect, field)) for field in effect.texts}
        yield effect.with_texts(texts) if texts else effect

    # Where it leads

    def _check_ways(self, passages: Mapping[str, Passage]) -> None:
        if START not in passages:
            self._complain("dialog", f"there must be a [dialog.{START}], with which it begins")
            return
        for key, passage in passages.items():
            for number, answer in enumerate(passage.answers, 1):
                if answer.to and answer.to not in passages:
                    near = nearest(answer.to, list(passages))
                    self._complain(f"dialog.{key}: answer {number}", f"to: no passage {answer.to!r}{near}")
        reached, edge = {START}, [START]
        while edge:
            for answer in passages[edge.pop()].answers:
                if answer.to in passages and answer.to not in reached:
                    reached.add(answer.to)
                    edge.append(answer.to)
        for key in passages:
            if key not in reached:
                self._complain(f"dialog.{key}", "no answer leads here")
        for key in passages.keys() - _with_way_out(passages):
            self._complain(
                f"dialog.{key}", "there is no way out of it: give it an answer without `if`, and without `to`"
            )


def _led(passages: Mapping[str, Passage]) -> frozenset[tuple[str, str]]:
    """All that answers do with quests."""
    effects = [effect for one in passages.values() for answer in one.answers for effect in answer.does]
    leads = [effect.leads for effect in effects if isinstance(effect, Effect)]
    return frozenset(one for one in leads if one is not None)


def _with_way_out(passages: Mapping[str, Passage]) -> set[str]:
    """Passages from which answers that ask for nothing lead to the end of the talk."""
    ending: set[str] = set()
    while True:
        more = {
            key
            for key, passage in passages.items()
            if key not in ending
            and any(not answer.needs and (not answer.to or answer.to in ending) for answer in passage.answers)
        }
        if not more:
            return ending
        ending |= more


def _fields(kind: type[object]) -> Sequence[str]:
    return [field.name for field in attrs.fields(cast("type[attrs.AttrsInstance]", kind))]


def _moves(effect: Effect) -> bool:
    """Whether it takes the player, or something of the player's, elsewhere, or gives it something."""
    return effect.leads is not None or type(effect) in (EFFECTS["give"], EFFECTS["take"], EFFECTS["teleport"])
