"""What is asked beside greetings and thanks."""

import pytest

from nodes.courtesy import beside_courtesies, without_courtesies


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("Thanks! Who signs the contract?", "Who signs the contract?"),
        ("thanks, and what about interns?", "and what about interns?"),
        ("ok great, how many hours do I work?", "how many hours do I work?"),
        ("okay how is overtime paid", "how is overtime paid"),
        ("Hello there,\n\nhow long is the trial period? Thanks a lot!", "how long is the trial period?"),
        ("谢谢，那实习生呢？", "那实习生呢？"),
        ("好的，年假有几天？谢谢！", "年假有几天？"),
        ("How long is the trial period? (请用中文回答)", "How long is the trial period?"),
        ("年假有几天？Please answer in English.", "年假有几天？"),
        ("In which language is the oath? Latin", "In which language is the oath? Latin"),
        ("Hello!", "Hello!"),
        ("谢谢，再见！", "谢谢，再见！"),
        ("Thank you letter template?", "Thank you letter template?"),
        ("Hi-Fi systems: which are sold?", "Hi-Fi systems: which are sold?"),
        ("Nice, France: how many inhabitants?", "Nice, France: how many inhabitants?"),
        ("好人卡是什么？", "好人卡是什么？"),
        ("Good Night, and Good Luck was directed by whom?", "Good Night, and Good Luck was directed by whom?"),
        ("Who directed Hello, Goodbye?", "Who directed Hello, Goodbye?"),
        ("再见，南国的导演是谁？", "再见，南国的导演是谁？"),
        ("谁唱的《你好，再见》？", "谁唱的《你好，再见》？"),
        ("你好，我的年假有几天？", "我的年假有几天？"),
    ],
)
def test_only_what_is_set_off_is_left_out_of_a_search(text: str, without: str) -> None:
    assert without_courtesies(text) == without


@pytest.mark.parametrize(
    ("text", "beside"),
    [
        ("Thank you letter template?", "letter template?"),
        ("Good morning shift starts when?", "shift starts when?"),
        ("ok great, how many hours do I work?", "how many hours do I work?"),
        ("你好年假有几天？", "年假有几天？"),
        ("Good morning, how's it going?", ""),
        ("okay great, that's all I needed", ""),
        ("谢谢你，再见！", ""),
        ("Thank you, that helped", ""),
        ("thanks a million", ""),
        ("Great Dane?", "Dane?"),
        ("行政部在哪？", "行政部在哪？"),
    ],
)
def test_what_is_said_beside_courtesies(text: str, beside: str) -> None:
    assert beside_courtesies(text) == beside
