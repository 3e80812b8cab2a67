"""Tell small talk that may be replied to without a search from a question that a document may answer."""

import re

_ASKS = re.compile(
    r"[?？]\W*$|^\W*(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could|will|would"
    r"|should|must|may|am|have (?:you|we|i)|has)\b"
    r"|\b(?:tell|show|give|send) (?:me|us)\b|\b(?:know|ask|see|find out) (?:if|whether|what|when|where|which|why|how)\b"
    r"|\b(?:wonder|look|interest|need)(?:ing|ed)?\b.*\byour?\b"
    r"|\byour (?:\w+ ){0,2}(?:hours|address|number|policy|e-?mail|phone|prices?|menu|website|fees?)\b"
    r"|[吗么呢]\W*$|谁|什么|啥|哪|几[点号天个]|多少|多[久长大远]|怎[么样]|如何|是否|有没有|[能会可]不[能会可]|告诉我|想知道|想问"
    r"|[你您]们|贵(?:公司|司|店|校|院|单位|方|馆|处)",
    re.IGNORECASE,
)
_PERSON = (
    r"(?:\w+ ){0,3}(?:person|human|man|woman|girl|boy|robot|machine|bot|chatbot|program|computer|ai|assistant|model)"
)
_MOOD = (
    "(?:there|ok|okay|alive|awake|real|human|tired|bored|lonely|happy|sad|angry|mad|serious|kidding|joking|sure|ready"
    "|single)"
)
_ABOUT_THE_ASSISTANT = re.compile(
    r"(?:(?:so|and|but|well|then|say|please|sorry|assistant)\W+)*(?:"
    r"(?:who|what)(?: exactly)? are you|what(?:'s|’s| is) your (?:\w+ )?name"
    r"|(?:what|how) (?:should|can|do|may) i call you"
    r"|do you have a name|introduce yourself|tell me (?:more )?about yourself"
    r"|who (?:made|created|built|developed|trained|programmed|designed|invented) you|who are your (?:makers|creators)"
    rf"|(?:are|aren't) you (?:{_PERSON}(?: or (?:just )?{_PERSON})*|(?:\w+ )?{_MOOD})|how old are you"
    r"|what (?:else )?(?:can|could) you do|(?:how|what) can (?:you|i) (?:help|assist|ask)(?: (?:me|you))?(?: with)?"
    r"|what (?:are you able to|do you know how to) do|what are you (?:doing|up to|good at)|can you help(?: me)?"
    r"|how (?:are|were|have) (?:you|things|ya)(?: (?:been|doing|feeling|going))?|how do you (?:do|feel)"
    r"|how(?:'s|’s| is| was) (?:it going|life|everything|your (?:day|night|morning|evening|week|weekend))(?: going)?"
    r"|what(?:'s|’s| is) (?:up|new)(?: with you)?|what(?:'s|’s| is| are) your (?:favou?rite \w+|hobb(?:y|ies))"
    r"|(?:do|did|can|could|will|would|don't) you (?:ever |really |also |even |actually )*(?:feel\b.*|sleep(?: well)?"
    r"|dream|eat|think|get (?:tired|bored|lonely|angry|sad)|(?:love|hate|like|miss|remember|understand|hear) me"
    r"|have (?:feelings|emotions|friends|hobbies|a (?:soul|heart|body|girlfriend|boyfriend|family))"
    r"|(?:know|tell(?: me| us)?) (?:a|any|some|another)(?: \w+)? (?:jokes?|stor(?:y|ies)))"
    r"|what do you like(?: to do)?(?: for fun)?"
    r"|tell (?:me|us) (?:a|any|some|another)(?: \w+)? (?:jokes?|stor(?:y|ies))|tell (?:me|us) something (?:funny|nice)"
    r"|you are (?:not )?\w+(?: \w+){0,2}, (?:are|aren't) you"
    r")(?:,? (?:then|today|tonight|really|anyway|exactly|called|again|now|for me|there|buddy|please|my friend))*\W*"
    r"|(?:那|请问|那么|话说|所以|小助手|嘿|喂|[，,\s])*(?:"
    r"[你您](?:到底|究竟|又)?是(?:谁|哪位|什么(?:人|东西|模型|机器人|来头)?)|[你您](?:的名字)?(?:叫|是)(?:什么|啥)(?:名字)?|[你您]有名字"
    r"|(?:我)?(?:该|应该|可以)?怎么称呼[你您]|(?:请)?(?:做?个)?自我介绍(?:一下)?|介绍一下[你您]?自己"
    r"|[你您](?:都|还)?(?:能|会|可以)(?:帮我|为我|替我)?(?:做|干)(?:点|些)?(?:什么|啥|哪些)(?:事情?)?"
    r"|[你您](?:能|可以)(?:怎么)?帮(?:我|助我|到我)(?:做?(?:些|点)?什么)?|我(?:能|可以)问[你您](?:些|点)?什么"
    r"|[你您](?:都|还)?有(?:什么|哪些|啥)(?:功能|本事|能力|用|爱好)"
    r"|[你您](?:到底|究竟)?是(?:不是)?(?:一?个)?(?:真人|人|机器人?|程序|人工智能|ai|助手|模型|男|女|活)(?:的|生)?"
    r"(?:还是(?:一?个)?(?:真人|人|机器人?|程序|人工智能|ai|男|女)(?:的|生)?)?"
    r"|(?:是)?谁(?:开发|创造|制造|设计|训练|发明|做)(?:出来?)?(?:了|的)?[你您](?:的)?"
    r"|[你您](?:是)?(?:由|被)?谁(?:开发|创造|制造|设计|训练|发明|做)(?:出来)?的"
    r"|[你您](?:今年)?(?:多大|几岁)(?:了)?|[你您](?:最)?喜欢.{1,8}|[你您](?:喜欢|爱|想|记得|恨)我|[你您]有(?:男|女)?朋友"
    r"|[你您](?:也|真的)?(?:会|能|有没有|会不会)?(?:觉得|感到|感觉)?(?:很)?(?:累|困|饿|无聊|孤[单独]|寂寞|开心|快乐|难过|生气"
    r"|睡觉|做梦|吃饭|感情|情绪)|[你您]?(?:还|都)?在(?:不在|忙(?:啥|什么|些什么))?|[你您]?(?:吃|睡)(?:了|饭了)(?:吗[你您])?"
    r"|[你您]?(?:最近|近来|今天|这几天|周末|昨晚|今晚)?[你您]?(?:过得|睡得|心情|身体)?(?:怎么?样|还?好|如何|好不好)"
    r"|(?:再)?(?:给我|跟我|为我)?(?:讲|说)(?:个|一个)?(?:\w{0,3})?(?:笑话|段子|故事)(?:听听|听)?"
    r")(?:[了吗呢呀啊吧嘛么的\W]|来着)*",
    re.IGNORECASE,
)
"""Questions about the assistant itself, in full: `Who are you?`, not `Who are you insured with?`."""


def may_be_answered(text: str) -> bool:
    """Return whether a document may hold the answer: something is asked, and not about the assistant itself.

    `You` is mostly the organisation whose documents are searched: `Are you open on Sundays?`, `你们周日营业吗？`.
    """
    return bool(_ASKS.search(text)) and not is_about_the_assistant(text)


def is_about_the_assistant(text: str) -> bool:
    """Return whether the whole text asks the assistant about itself, how it is, or for a joke."""
    return bool(_ABOUT_THE_ASSISTANT.fullmatch(text.strip()))
