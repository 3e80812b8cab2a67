"""Why a run refuses, in the question's language: nodes give their reasons in English, and this is the one translation.

`steps` keep the English, which programs may go by.
"""

import re
from functools import cache

from nodes.language import Language

CHINESE = {
    "the passages do not answer the question": "段落没有回答这个问题",
    "the passages do not answer the question, says the model": "模型认为段落没有回答这个问题",
    "the answer has no citation and no support in the passages": "答案没有引用，段落中也没有依据",
    "no sentence of the passages is relevant": "段落中没有相关的句子",
    "no sentence of the passages answers the question": "段落中没有句子能回答这个问题",
    "no passage that was found answers the question": "找到的段落都不能回答这个问题",
    "no passage answers the question (best score {best}, needed above {needed})": "没有段落能回答这个问题"
    "（最高得分{best}，需高于{needed}）",
    "no passage answers the question (mean score {mean}, needed above {needed})": "没有段落能回答这个问题"
    "（平均得分{mean}，需高于{needed}）",
    "no passage answers the question (mean score {mean}, needed {needed})": "没有段落能回答这个问题"
    "（平均得分{mean}，需达到{needed}）",
    "no passage answers the question (best score {best}, needed {needed})": "没有段落能回答这个问题"
    "（最高得分{best}，需达到{needed}）",
    "no verdict on a passage could be read, and an unread one counts as Incorrect while crag.merge_ambiguous is on": ""
    "对段落的判断都无法读取，而crag.merge_ambiguous开启时按“不相关”处理",
    "no passage supports an answer (best support {best}, needed above {needed})": "没有段落支持任何答案"
    "（最高支持度{best}，需高于{needed}）",
    "what could be written is not supported by the passages (best support {best}, needed above {needed})": "能写出的"
    "内容得不到段落的支持（最高支持度{best}，需高于{needed}）",
    "nothing was found in {names} among the documents that `where` lets through": "在{names}中，"
    "符合`where`条件的文档里没有找到内容",
    "nothing was found in {names}": "在{names}中没有找到内容",
    "neither the documents nor the web answer the question": "文档和网络都没有回答这个问题",
    "the documents do not answer the question, and there are no results of the web": "文档没有回答这个问题，"
    "网络搜索也没有结果",
    "no passage fits beside the question into prompt_tokens={tokens}; raise it": "prompt_tokens={tokens}"
    "容不下问题和任何段落，请调高",
    "the model's reply was empty": "模型的回复是空的",
    "the model would answer from its memory (share of retrieval {share}, threshold {threshold}); "
    "self_rag.retrieval='always' searches for every question": "模型会凭记忆回答（检索份额{share}，阈值{threshold}）；"
    "设self_rag.retrieval='always'则每个问题都检索",
}
"""Every reason there is, its figures in braces; one that begins like another stands before it if it is longer."""


def in_language(reason: str, language: Language) -> str:
    """Return a node's reason in `language`; one that is not in the table, such as one of your own node, as it is."""
    if language == "en":
        return reason
    for english, chinese in CHINESE.items():
        if found := _pattern(english).fullmatch(reason):
            return chinese.format(**found.groupdict())
    return reason


@cache
def _pattern(english: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+)", re.escape(english)))
