"""Tell greetings, thanks and the language wished for from what is asked beside them."""

import re

_THANKS = (
    r"\b(?:(?:many |ok(?:ay)? )?(?:thanks?(?: you)?|thx|cheers)"
    r"(?: (?:a (?:lot|million)|(?:so|very) much|again|for that))?(?:,? that helped)?"
    r"|good (?:morning|afternoon|evening|night)|hi|hiya|hello|hey|(?:good)?bye(?: for now)?|see you(?: later)?"
    r"|that's all(?: i need(?:ed)?)?|how(?:'s| is) it going|what's up)(?: there| all| everyone| assistant| buddy)?\b"
    r"|(?:(?:非常|十分|太|多)?(?:感谢|谢谢?)|[你您]好|(?:早上|上午|中午|下午|晚上)好|[早晚]安|嗨|哈喽|辛苦|(?:真是)?麻烦[你您]"
    r"|再见|拜拜|又见面了|(?:下次|明天)(?:再)?聊|没(?:别的)?事了)"
    r"(?:[你您]|大家|[呀啊啦了]|的帮助|[，,]?小助手)*"
)
_ASSENT = (
    r"\b(?:(?:great|good) job|well done|ok|okay|great|cool|perfect|awesome|excellent|wow|got it|i see)\b"
    r"|(?:好的?|嗯+|(?:明白|知道|了解)了|太[好棒]了|不错)[呀啊啦]?(?!\w)"
)
_GAP = r"[\W_]*"
_AT_START = rf"^(?:(?:{_THANKS}|{_ASSENT}){_GAP})+"
_ASKS = r"(?:what|how|who|whom|whose|when|where|which|why)(?:'s|’s)?\b"
_CLAUSE = (
    rf"(?:(?:and|but|so|or) )?(?:{_ASKS}|(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should"
    r"|must|may|i|i'm|we|you|he|she|it|they|there|this|that|these|those|my|our|your|his|her|its|their|if|for|in|on|at|about"
    r"|please|tell|show|give|explain|compare|list|write|find|describe|summari[sz]e)\b)"
    r"|[我你您他她它这那请谁哪几多怎什为是有能可想关如还]|(?=[\u3400-\u9fff])(?!\w{1,8}的)"
)
"""How a sentence of its own begins; in `Good Night, and Good Luck` and `再见，南国的导演是谁？` a title goes on."""
_SET_OFF = re.compile(
    rf"{_AT_START}(?:(?:(?<=[，。；：！、…～—])|(?<=[,.;:!~…]\s)|(?<=\s[-–—]\s))(?={_CLAUSE})|(?=\b(?:and )?{_ASKS}))"
    rf"|(?<=[,.;:!?，。；：！？])\s*(?:(?:{_THANKS})[\s,，.!~。！～]*)+$",
    re.IGNORECASE,
)
_AT_AN_END = re.compile(rf"{_AT_START}|(?<!\w)(?:(?:{_THANKS}){_GAP})+$", re.IGNORECASE)
_LANGUAGE_WISHED = re.compile(
    r"[\s(（,，]{0,3}(?:(?:please )?(?:answer|reply|respond) in (?:english|chinese)(?: please)?"
    r"|请?(?:用|以)(?:中文|英文|汉语|英语)(?:来)?(?:回答|回复|作答))[\s)）.。!！]*$",
    re.IGNORECASE,
)


def without_courtesies(text: str) -> str:
    """Return a text without greetings and thanks set off from the rest, and without its end if that names a language.

    It is returned as it is if there is no rest.
    """
    return _SET_OFF.sub("", _LANGUAGE_WISHED.sub("", text)).strip(" ,，") or text


def beside_courtesies(text: str) -> str:
    """Return what is said beside greetings and thanks, set off or not: `letter` of `Thank you letter`; "" of `Hi!`."""
    return _AT_AN_END.sub("", text)
