"""Make a follow-up stand alone: what its pronouns and omissions stand for is taken from the turns before it."""

import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, SystemMessage

from groundgraph.errors import ModelUnavailable
from groundgraph.grading.terms import content_terms, is_cjk, key_terms
from groundgraph.models import Reply, ask
from nodes.cite import MARK
from nodes.courtesy import beside_courtesies, without_courtesies
from nodes.language import Language, language_of
from nodes.model import chat_model_of
from state.context import Context

TURNS = 4
"""Messages before the question that are looked at."""
STANDALONE = "standalone"
"""Key in a human message's `additional_kwargs`: how it reads without the turns before it."""

COMPLETE = {
    "en": "You complete questions. You never answer them.",
    "zh": "你负责把问题补充完整，从不回答问题。",
}
LAST_QUESTION = {
    "en": "Conversation:\n{turns}\n\nLast question: {question}\nWrite the last question so that it can be understood "
    "without the conversation. Repeat it if it is complete. Do not answer it.",
    "zh": "对话：\n{turns}\n\n最后的问题：{question}\n请把最后的问题写成脱离对话也能看懂的问题。"
    "如果已经完整就原样重复。不要回答。",
}
SPEAKERS = {"en": ("User: ", "Assistant: "), "zh": ("用户：", "助手：")}
# Shown as turns of a chat: where it reads them in one text, the embedded model answers every third question in Chinese.
EXAMPLES = {
    "en": (
        (
            "Who wrote the opera Fidelio?",
            "Beethoven wrote Fidelio.",
            "And when was he born?",
            "When was Beethoven born?",
        ),
        (
            "How much is a ticket for adults?",
            "A ticket for adults costs 12 euros.",
            "What about children?",
            "How much is a ticket for children?",
        ),
        (
            "Which boats does the club own?",
            "The club owns the Swan and the Heron.",
            "Who sails the second one?",
            "Who sails the Heron?",
        ),
        (
            "How long is the river Elbe?",
            "The Elbe is 1,094 km long.",
            "Which metals are magnetic?",
            "Which metals are magnetic?",
        ),
    ),
    "zh": (
        ("歌剧《费德里奥》是谁写的？", "《费德里奥》是贝多芬写的。", "他什么时候出生？", "贝多芬什么时候出生？"),
        ("成人票多少钱？", "成人票每张12欧元。", "儿童呢？", "儿童票多少钱？"),
        ("俱乐部有哪些船？", "俱乐部有天鹅号和苍鹭号。", "第二艘由谁驾驶？", "苍鹭号由谁驾驶？"),
        ("易北河有多长？", "易北河长1094公里。", "哪些金属有磁性？", "哪些金属有磁性？"),
    ),
}
_REPLY = 500
"""Characters of an earlier message that the model sees."""

_WORD = re.compile(r"\w")
_EASY = (
    "mandatory|obligatory|compulsory|required|recommended|advisable|permitted|forbidden|prohibited|acceptable"
    "|appropriate|essential|important|customary|usual|useful|helpful|enough|sufficient|reasonable|sensible|wise|illegal"
    "|lawful|unlawful|unsafe|dangerous|risky|harmful|healthy|hard|difficult|easy|easier|simple|fair|good|bad|right|wrong"
    "|cheaper|faster|expensive|rude|polite|clear|certain|feasible|practical|realistic"
)
_DUMMY = re.compile(
    r"\bit (?:is |was |(?:would )?be )?(?:true|false|possible|impossible|necessary|allowed|legal|safe|likely|normal"
    r"|common|ok|okay|better|best|worth|cold|hot|warm|dark|late|like|that|(?:rain|snow)(?:s|ed|ing)?)\b"
    rf"|\bit (?:is |was |(?:would )?be )?(?:{_EASY}) (?:for (?:\w+ ){{1,4}})?(?:to|that|if)\b"
    r"|\bit (?:takes?|took|costs?|feels?|felt|means?|hurts?) (?:\w+ ){0,4}?to\b|\bit (?:called|mean) (?:when|if|that)\b"
    r"|\bit (?:gets?|got) (?:dark|light|cold|hot|warm|late)\b"
    r"|\b(?:is|are|was|were|be|been) there\b|\bthere(?:'s| is| are| was| were)\b|\b(?:hello|hi|hey) there\b"
    r"|\bth(?:is|ese) (?:year|month|week|century|season|morning|evening|summer|winter|days)\b"
    r"|\b(?:said?|says?|know|knew|think|thought|believe[sd]?|claim(?:s|ed)?|so|such|now) that(?: s?he| it| they)?\b"
    r"|(?<=\w )(?-i:[A-Z])\w*.*\b(?:s?he|him|his|her|they|them|their)\b"
    r"|\bone (?:of|and)\b|\b(?:that|when|because|if|as|after|before|while|although) (?:s?he|it|they)\b"
    r"|\b(?:and|or) (?:its|his|her|their)\b|\b(?:said?|says?|announced?) (?:s?he|it|they) (?:will|would|had)\b"
    r"|其[他它实余中次]|(?<=[尤极何与及名])其|土耳其|吉他|应该|(?<=[我你您们谁])该|该(?:如何|怎|不该)|(?<=.)[那这]么|[”》」』]这",
    re.IGNORECASE,
)
"""Words that look as if they pointed back, and point at nothing or inside the question."""
_AUXILIARY = "do|does|did|can|could|will|would|should|must|may|might"
_NEW = r"(?!(?:i|you|we|it|its|s?he|his|her|they|their|this|that|these|those|there)\b)"
_NOUN_FIRST = "(?!如何|[是有在为请什谁哪怎多几何那这该它他她其])"
_WITHIN = re.compile(
    r"\b(?:an?|the|my|our|your|each|every|any|which) \w+\b.*(?:,|\b(?:and|or|but|when|if|while|because|after|before"
    r"|once|until)\b).*\b(its?|they|them|theirs?|he|him|his|she|hers?|there)\b"
    r"|^(?:who|what|which|where|when|why|how)\b(?: \w+){2,}.* and (?:\w+ ){0,3}(its?|they|them|he|him|his|she|hers?)\b"
    rf"|\b(?:{_AUXILIARY}|has|have|had) {_NEW}\w+\b.*(?<!\bof) (it[’']?s|their|his|her)\b"
    rf"|\b(?:which|what|whose) \w+ (?!(?:{_AUXILIARY}|is|are|was|were)\b){_NEW}\w+\b.*(?<!\bof)"
    r" (it[’']?s|their|his|her)\b"
    rf"|\b(?:which|what|whose) \w+ ha(?:s|ve|d) (it[’']?s|their|his|her)\b"
    r"|^(?:the|an?|my|our) \w+\b.*(?<!\bof) (its|their|his|her)\b"
    rf"|^(?:when|if) (?!(?:{_AUXILIARY}|has|have|had|is|are|was|were)\b){_NEW}\w+\b.* (its|their|his|her|they)\b"
    rf"|^{_NOUN_FIRST}[^它他她这那该]{{4,}}[，,；].*([它他她其这]们?)"
    rf"|^{_NOUN_FIRST}[^它他她这那该]{{2,}}?(?:(其|[它他她]们?(?=的))|(?:宣布|认为|表示|说|声称|相信|知道)([它他她]们?))",
    re.IGNORECASE,
)
"""A pronoun, its one group, that what stands before it in the question may explain: `How do users reset their PIN?`"""
_LEADS_ON = re.compile(
    r"^(?:and|or|what about|how about)\b|^那(?![它他她这个些里边位种座])|呢[？?！!。]*$"
    r"|^(?:还有|另外|以及|而且|然后)[？?，,]?",
    re.IGNORECASE,
)
"""Words that go on from what was said before, and stand for nothing in it."""
_POINTS_BACK = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|this|those|these|there)\b"
    r"|(?:^|\b(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|for|about|of|in|on|at|by|to|with|from"
    r"|after|before|than|and|but|so|why|like) )that\b|\bthat\W*$|\bthat (?!\w+[^su\W]s\W*$)\w+\W*$"
    r"|\b(?:the|this|that|which|another|first|second|third|last|other) ones?\b|\belse\b|\bthe latter\b"
    r"|\b(?:do|does|did) the former(?= \w)|\b(?:is|are) the former(?= \w+\W*$)"
    r"|\bthe former(?=\W*$| (?:is|are|was|were|has|have|had|does|do|did|can|will|would|should|must|or|and)\b)"
    r"|^(?:and|or|what about|how about|why not|not even|really)\b|^(?:why|how|when|where|who|how come|since when)\W*$"
    r"|[它他她这该其]|那(?=[个些里边儿位种座时年天次场本部家款样是\W]|$)|(?<!\w)那(?!不勒斯|曲|英|达慕|拉提|烂陀)"
    r"|呢[？?！!。]*$|(?<![的是])第[一二两三四五六七八九十\d]+[个项种条](?=[是有的呢叫在要多需为怎如何什谁哪几吗贵便\W]|$)"
    r"|[前后]者|上述|同样|也.*吗|还有[什谁哪别]|^(?:为什么|为何|真的)[呢吗]?\W*$|^(?:还有|另外|后来|然后|以及|而且)",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"^(?:what (?:is|are|was|were|does)|define|who (?:is|are|was|were)|什么是|何为|何谓|谁是)|是什么[？?]*$|是谁[？?]*$"
    r"|[!！]$"
    r"|^(?:is|are|was|were|do|does|did|can|could|may|must|has|have|had|will|would|should)\b",
    re.IGNORECASE,
)
"""How a question looks that is short and whole: one of what something is, one of yes or no, an exclamation."""
_SHORT = {False: 2, True: 3}
"""Content terms up to which a question without a name may have left out what it is about, by whether it is Chinese."""
_LITTLE = {False: 3, True: 4}
"""Content terms up to which a pronoun in a question without a name surely stands for something outside it."""


async def standalone(
    asked: HumanMessage, earlier: Sequence[AnyMessage], context: Context
) -> tuple[str, list[Reply], list[str]]:
    """Return the question as it reads without the earlier turns, the model calls that took, and warnings.

    Greetings and thanks that are set off are left out. A question that points back is completed by the chat model.
    Where there is none, where it is down, or where it answers or invents instead, the question is joined with the one
    before it. Where it repeats the question, it is believed, unless the question says little.
    """
    question = without_courtesies(asked.text.strip())
    if known := asked.additional_kwargs.get(STANDALONE):
        return known, [], []
    spoken = [m for m in earlier if isinstance(m, HumanMessage | AIMessage) and m.text.strip()][-TURNS:]
    if not spoken or not beside_courtesies(question) or not may_point_back(question):
        return question, [], []
    sure = points_back(question)
    joined = f"{_topic(spoken)} {question}".strip() if sure else question
    model = await chat_model_of(context)
    if model is None:
        return joined, [], []
    try:
        reply = await ask(model, _prompt(question, spoken, language_of(question, context)), max_tokens=96)
    except ModelUnavailable as error:
        how = "joined with the question before it" if sure else "taken as it is"
        return joined, [], [f"follow-up {how}: {error}"]
    line = next((line.strip(' "“”') for line in reply.text.splitlines() if line.strip()), "")
    if completes(line, question, [*map(_as_asked, spoken)]):
        return line, [reply], []
    return question if _repeats(line, question) and not _says_little(question) else joined, [reply], []


def may_point_back(question: str) -> bool:
    """Return whether the question has a word that may stand for something said before, or says little."""
    return bool(_POINTS_BACK.search(_DUMMY.sub(" ", question))) or omits(question)


def points_back(question: str) -> bool:
    """Return whether a word stands for something said before the question, or it says nothing: `In which year?`."""
    return bool(_POINTS_BACK.search(_unexplained(_DUMMY.sub(" ", question)))) or omits(question, 1)


def _unexplained(question: str) -> str:
    """Return the question without the pronouns that it may explain itself."""
    while pronoun := _WITHIN.search(question):
        start, end = pronoun.span(pronoun.lastindex or 0)
        question = f"{question[:start]} {question[end:]}"
    return question


def omits(question: str, most: int | None = None) -> bool:
    """Return whether the question says so little that it may rest on what was said before: `How many people died?`.

    Args:
        question: Without space around it.
        most: Content terms it may have; by default 2, or 3 in Chinese.
    """
    if _WHOLE.search(question) or key_terms(question):
        return False
    return len(content_terms(question)) <= (_SHORT[is_cjk(question)] if most is None else most)


def completes(line: str, question: str, earlier: Sequence[str]) -> bool:
    """Return whether a model's line is the question completed from what was said earlier.

    It is not if it answers, or holds a name or number that nobody said, or mostly words that nobody did. It adds
    something that was said, or stands alone where the question has only words that lead on: `And the notice period?`
    """
    if not _WORD.search(line) or (line[-1] in ".。" and question[-1] in "?？"):
        return False
    terms, asked = set(content_terms(line)), set(content_terms(question))
    heard = {term for text in earlier for term in content_terms(text)}
    known = terms & (heard | asked)
    if not key_terms(line) <= known or 2 * len(known) < len(terms):
        return False
    return bool(terms & heard - asked) or (_only_leads_on(question) and _stands_alone(line))


def _only_leads_on(question: str) -> bool:
    return not _POINTS_BACK.search(_DUMMY.sub(" ", _LEADS_ON.sub("", question)))


def _repeats(line: str, question: str) -> bool:
    return _WORD.findall(line.casefold()) == _WORD.findall(question.casefold())


def _says_little(question: str) -> bool:
    return len(content_terms(question)) <= _LITTLE[is_cjk(question)] and not key_terms(question)


def _stands_alone(line: str) -> bool:
    return line[-1] in "?？" and not points_back(line) and len({*content_terms(line)}) > 1


def _prompt(question: str, spoken: Sequence[BaseMessage], language: Language) -> list[BaseMessage]:
    user, assistant = SPEAKERS[language]
    messages: list[BaseMessage] = [SystemMessage(COMPLETE[language])]
    for asked, answered, follow_up, completed in EXAMPLES[language]:
        turns = f"{user}{asked}\n{assistant}{answered}"
        messages += [_last_question(turns, follow_up, language), AIMessage(completed)]
    turns = "\n".join(
        f"{user if isinstance(message, HumanMessage) else assistant}{_as_asked(message)[:_REPLY]}" for message in spoken
    )
    return [*messages, _last_question(turns, question, language)]


def _last_question(turns: str, question: str, language: Language) -> HumanMessage:
    # Not str.format: braces in a question are not template variables.
    opening, middle, ending = re.split(r"\{turns\}|\{question\}", LAST_QUESTION[language])
    return HumanMessage(f"{opening}{turns}{middle}{question}{ending}")


def _topic(spoken: Sequence[BaseMessage]) -> str:
    """Return the last question that stands alone; one that was only joined with another does not."""
    for message in reversed(spoken):
        said, whole = message.text.strip(), _as_asked(message)
        if isinstance(message, HumanMessage) and (whole == said or not whole.endswith(said)):
            return whole
    return ""


def _as_asked(message: BaseMessage) -> str:
    """Return what a message says by itself: a question completed, an answer without its citation marks."""
    if isinstance(message, HumanMessage):
        return str(message.additional_kwargs.get(STANDALONE) or message.text).strip()
    return re.sub(rf"\s*{MARK.pattern}", "", message.text).strip()
