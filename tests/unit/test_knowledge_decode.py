import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundgraph.knowledge.decode import clean, decode

CHINESE = "检索增强生成先找到相关的段落，然后才回答问题。"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "gb18030", "gbk"])
def test_chinese(encoding: str) -> None:
    text = CHINESE if encoding != "utf-16-le" else f"# RAG and more\n{CHINESE}"
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Cafés à la carte, naïve façade — déjà vu.", "cp1252"),
        ("Größe über alles: Äpfel, Öl und Übung.", "cp1252"),
        ("Zażółć gęślą jaźń. Najpierw szukamy, potem odpowiadamy na pytanie użytkownika.", "cp1250"),
        ("檢索增強生成先找到相關的段落，然後才回答問題。這是一個繁體中文的例子。", "big5"),
        ("これは日本語の文章です。検索してから答えます。ひらがなとカタカナ。", "shift_jis"),
        ("繁體中文", "big5"),
        ("Report 2024\n檢索增強生成", "big5"),
        ("香港嘅㗎文件，係咁寫嘅。", "big5hkscs"),
        ("㈱山田商事の請求書①です。合計は次のとおりです。", "cp932"),
        ("日本語の文書です。検索できますか。", "euc_jp"),
        ("Это русский текст. Сначала поиск, затем ответ на вопрос пользователя.", "cp1251"),
    ],
)
def test_other_encodings(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


UTF16 = ("utf-16-le", "utf-16-be")
LETTERS = {
    "Die Größe der Datei beträgt 5 MB; das Öffnen dauert länger als üblich.": ["cp1252"],
    "Åsa går på många möten där hon säger vad hon tycker och tänker om det.": ["cp1252"],
    "Этот документ описывает поиск. Сначала находят абзацы.": ["cp1251", "koi8_r", *UTF16],
    "안녕하세요. 이 문서는 검색 기능을 설명합니다. 질문을 입력하면 문단을 찾습니다.": ["euc_kr", "cp949", *UTF16],
    "회의는 내일 오후 세 시에 시작합니다. 늦지 않게 참석해 주시기 바랍니다. 감사합니다.": ["euc_kr", "utf-16-be"],
    "この文書は検索のしくみを説明します。質問を入力すると、関係する段落を先に探します。": ["euc_jp", "cp932", *UTF16],
    "システムエラーガ発生シタ場合ハ、サーバーヲ再起動シテクダサイ。管理者ニ連絡スルコト。": ["euc_jp", "shift_jis"],
    "這份文件說明檢索的方法。輸入問題之後，系統會先找到相關的段落，然後才回答問題。": ["big5", *UTF16],
    "会议将于明天下午三点开始，请准时出席，并且携带上个月的报告以及预算表。谢谢大家。": ["gb18030", *UTF16],
    "甲方应于收到发票后三十日内付款，逾期每日按未付金额的万分之五支付违约金。": ["gb18030", *UTF16],
    "第一，一二三四五。一共有多少页？\n一切都在第一页上，一看就知道了，一点也不难。": ["gb18030", *UTF16],
}  # fmt: skip


SENTENCES = {
    "Die Miete ist fällig.": ["cp1252", "cp850", "cp437"],
    "Bitte schließen Sie abends alle Fenster.": ["cp1252"],
    "Für Schäden haftet der Mieter, und die Hausordnung gehört zum Vertrag.": ["cp1252", "cp850", "mac_roman"],
    "Le siège est situé près de la gare.": ["cp1252", "cp850", "mac_roman"],
    "La società può recedere perché così è stabilito.": ["cp1252"],
    "Płatność następuje co miesiąc.": ["cp1250", "iso8859_2", "cp852"],
    "Smlouva se uzavírá na dobu neurčitou.": ["cp1250", "iso8859_2", "cp852"],
    "A szerződés három hónap után megszűnik.": ["cp1250", "iso8859_2"],
    "Ödeme her ayın sonunda yapılır.": ["cp1254"],
    "Оплата производится в конце каждого месяца.": ["cp1251", "koi8_r", "cp866", "iso8859_5", "mac_cyrillic"],
    "Η πληρωμή γίνεται στο τέλος κάθε μήνα.": ["cp1253"],
    "החוזה מסתיים לאחר שלושה חודשים.": ["cp1255"],
    "ينتهي العقد بعد ثلاثة أشهر ويتم الدفع في نهاية كل شهر.": ["cp1256"],
    "สัญญาสิ้นสุดลงหลังจากสามเดือนและชำระเงินทุกสิ้นเดือน": ["cp874"],
    "ﾌﾘｺﾐ ｷﾝｶﾞｸ 12000 ｴﾝ ｶ)ﾔﾏﾀﾞｼﾖｳｼﾞ ﾄｳｷﾖｳｼﾃﾝ": ["cp932"],
    "Don’t go: £5 – “quick” and naïve, said O’Neill.": ["cp1252"],
}  # fmt: skip


@pytest.mark.parametrize(("text", "encoding"), [(text, one) for text, held in SENTENCES.items() for one in held])
def test_a_sentence_in_letters_tells_its_encoding(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("错误：数据库连接失败，请检查网络设置和用户密码。", "gbk"),
        ("錯誤：資料庫連線失敗，請檢查網路設定和使用者密碼。", "big5"),
        ("エラー：データベースの接続に失敗しました。", "shift_jis"),
        ("Die Prüfung für größere Häuser.", "cp1252"),
    ],
)
@pytest.mark.parametrize("between", ["\n", " "], ids=["lines", "one line"])
def test_what_comes_late_tells_the_encoding(text: str, encoding: str, between: str) -> None:
    log = f"12:00 INFO started{between}" * 5000 + text
    assert decode(log.encode(encoding)) == log


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [("iso2022_jp", None), ("iso2022_jp", "ISO-2022-JP"), ("utf-7", "utf-7"), ("hz", "hz-gb-2312")],
)
def test_encodings_that_write_everything_in_ascii(encoding: str, declared: str | None) -> None:
    text = "Contract 5: 解" if encoding == "hz" else "Contract 5: 解約は三か月です。"
    assert decode(text.encode(encoding), declared) == text


def test_colours_of_a_terminal_are_no_japanese() -> None:
    assert decode(b"\x1b[31mred\x1b[0m $B text (B") == "\x1b[31mred\x1b[0m $B text (B"


def test_a_page_in_latin_1_is_in_windows_1252() -> None:
    assert decode("don’t".encode("cp1252"), "iso-8859-1") == "don’t"


@pytest.mark.parametrize(("text", "encoding"), [(text, one) for text, held in LETTERS.items() for one in held])
def test_forty_characters_tell_their_encoding(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


def test_damage_does_not_hide_the_encoding() -> None:
    text = "회의는 내일 오후 세 시에 시작합니다. 늦지 않게 참석해 주시기 바랍니다. 감사합니다."
    assert decode(text.encode("euc_kr")[:-2]) == text[:-2] + "\ufffd"


def test_random_bytes_are_no_text() -> None:
    assert decode(random.Random(1).randbytes(100_000)) is None


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", ["ab", "Plain English text, one.\nAnd two.", "Hello 世界", f"{CHINESE}\n{CHINESE}"])
def test_utf16_without_a_mark(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(
    "text", ["It is 25°C today, Ärger.", "don’t – “quoted” text", "Price £5, © 2024 Acme · all rights reserved"]
)
def test_english_with_a_few_other_characters_is_not_chinese(text: str) -> None:
    assert decode(text.encode("cp1252")) == text


@pytest.mark.parametrize("text", ["abcdefg\0", "one\0two", "好的，没问题。\0"])
def test_a_stray_nul_does_not_make_utf16(text: str) -> None:
    assert decode(text.encode()) == text.replace("\0", "")


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
        b"\x7fELF\x02\x01\x01" + bytes(100),
        b"%PDF-1.4\n%\xe2\xe3\xcf\xd3",
        bytes(range(256)) * 8,
        bytes(500),
    ],
)
def test_binary_is_no_text(data: bytes) -> None:
    assert decode(data) is None


def test_line_ends_become_one_kind() -> None:
    assert clean("a\r\nb\rc\u2028d") == "a\nb\nc\nd"


@given(st.text())
def test_utf8_comes_back_clean(text: str) -> None:
    assert decode(("plain words before it: " * 20 + text).encode("utf-8", "surrogatepass")) == clean(
        "plain words before it: " * 20 + text
    )
