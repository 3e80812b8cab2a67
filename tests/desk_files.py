"""What lies on the desk: every file and collection that the documentation mentions."""

import json
from collections.abc import Sequence
from pathlib import Path

from groundgraph.grading.runs import Feedback, feedback_path
from groundgraph.grading.weights import weights_digest
from groundgraph.knowledge.index import index
from tests.pdf import pdf
from tests.runs import graded_row, made_row, made_run, refusal

PROJECT = Path(__file__).parents[1]
UTTERANCES = "tests/data/intents_check.json"
TOWNS = "Arden Brill Corby Dover Epsom Frome Goole Hythe Jarrow Keswick Nairn Perth".split()
HANDBOOK = {
    "contract.md": "---\nauthor: Ann\ndate: 2025-03-01\n---\nThe director signs the contract. Ann wrote it.",
    "notice.md": "# Notice period\n\nThe notice period is three months. For interns it is two weeks.",
    "tenant.md": "# Duties of a tenant\n\nA tenant pays the rent and keeps the flat clean.",
    "team.md": "# Payroll\n\nZoe leads the team that runs the payroll. The two offices differ in size.",
    "leave.md": "# Leave\n\nLeave may be taken twice a year, often in May. The warranty is two years long.",
    "old.md": "# Old\n\nAn old page.",
    "archive/1999.md": "# 1999\n\nThe director signed the contract in 1999.",
}
BRIDGE = "The bridge of {town} was built in {year} by masons who came over from the other side of the river."
WARRANTY = "The warranty of a kettle is two years long."
PROBATION = "# 试用期\n\n试用期一共是三个月，从入职的那一天开始计算，到期以后自动转正。"


def towns() -> dict[str, str]:
    return {f"{town}.md": BRIDGE.format(town=town, year=1800 + n) for n, town in enumerate(TOWNS)}


def lay_out(home: Path, work: Path) -> None:
    """Write every file that the documentation mentions, and index what it asks of."""
    folders = {
        home / "handbook": HANDBOOK,
        home / "contracts": {"lease.md": HANDBOOK["contract.md"]},
        home / "手册": {"试用期.md": PROBATION},
        home / "qa": {"corpus.jsonl": json.dumps({"pid": "1", "text": WARRANTY})},
        work / "notes": {**towns(), "kettle.md": WARRANTY, "试用期.md": PROBATION},
        work: {"handbook.md": HANDBOOK["notice.md"], "saved-pages/travel.md": "The office signs for travel."},
    }
    for folder, files in folders.items():
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
    (home / "contracts" / "lease.pdf").write_bytes(pdf(["The director signs the lease."]))
    questions = [{"question": f"When was the bridge of {t} built?", "answers": [str(1800 + n)], "rel": [f"{t}.md"]}
                 for n, t in enumerate(TOWNS)]  # fmt: skip
    _lines(work / "questions.jsonl", [*questions, {"question": "Who drew Perth?", "answerable": False}])
    (work / "questions.csv").write_text("question,answers\nWhen was the bridge of Arden built?,1800\n")
    (work / "questions.txt").write_text("\n".join(str(one["question"]) for one in questions))
    _lines(work / "rows.jsonl", [{"pid": "1", "text": "The director signs the contract."}])
    (work / "work.toml").write_text('collections = ["work", "archive"]\n')
    _lines(work / "instructions.jsonl", [{"instruction": "Who signs?", "output": "The director signs it."}])
    few = json.loads((PROJECT / UTTERANCES).read_text("utf-8"))
    for languages in few.values():
        languages.update({language: texts[:3] for language, texts in languages.items()})
    (work / UTTERANCES).parent.mkdir(parents=True)
    (work / UTTERANCES).write_text(json.dumps(few), "utf-8")
    rows = [graded_row("q1", {"a.md": 0.9}, "a.md"), refusal("q2"), made_row("q1", "naive")]
    for name in ("2026-11-30-qa", "before", "after"):
        made_run(work / "runs" / name, rows)


def judge_answers() -> None:
    """Keep feedback on two passages for each town: the one that answers, and another."""
    known = {"heading": "", "evaluator": "embedded", "weights": weights_digest(), "run": "1"}
    with feedback_path().open("w", encoding="utf-8") as file:
        for town, other in zip(TOWNS, reversed(TOWNS), strict=True):
            for named, label in ((town, 1), (other, 0)):
                passage = BRIDGE.format(town=named, year=1800)
                asked = {
                    "question": f"When was the bridge of {town} built?",
                    "passage": passage,
                    "source": f"{named}.md",
                }
                file.write(
                    Feedback(**known, **asked, label=label, score=0.95 if label else 0.05).model_dump_json() + "\n"
                )


def index_all(home: Path, work: Path) -> None:
    everything = [home / "handbook", home / "contracts", home / "手册", work / "notes"]
    for name in ("default", "work"):
        index(everything, name)
    index([work / "notes"], "notes")
    index([home / "handbook" / "archive"], "archive")
    index([home / "手册"], "手册")


def _lines(path: Path, rows: Sequence[object]) -> None:
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
