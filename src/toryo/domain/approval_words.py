"""Approval words: the fixed list of what a person may type to approve a plan that waits. Pure.

Never a model's judgement, and never a part of a sentence: a text approves only if each of its parts is on the
list. A question mark is kept, so that `run it?` asks and approves nothing.
"""

from __future__ import annotations

import re
import unicodedata

_PHRASES = """
y, yes, yes please, yep, yeah, ok, okay, sure, go, go ahead, go for it, do it, run, run it, run the plan,
start
start it, proceed, please proceed, approve, approved, i approve, execute, execute it, please run it
はい, ええ, うん, おk, 実行, 実行して, 実行してください, 実行して下さい, 実行する, 実行しよう,
実行をお願いします, 開始, 開始して
開始してください, 始めて, 始めてください, 進めて, 進めてください, やって, やってください, 承認, 承認する,
承認します, お願いします
お願い, それでお願いします, 走らせて
是, 是的, 好, 好的, 可以, 行, 执行, 執行, 运行, 運行, 开始, 開始吧, 开始吧, 执行吧, 请执行, 同意, 批准,
继续, 確認執行
네, 예, 응, 좋아, 좋아요, 실행, 실행해, 실행해줘, 실행해 주세요, 실행해주세요, 시작, 시작해, 시작해줘,
진행해, 진행해줘
진행해 주세요, 승인, 승인합니다
ja, ja bitte, jawohl, mach es, mach das, los, los gehts, leg los, ausführen, führ es aus, führe es aus,
starten
starte es, genehmigt, einverstanden, freigeben
oui, oui vas-y, vas-y, allez-y, lance, lance-le, lancez, exécute, exécute-le, exécutez, d'accord,
approuvé, j'approuve
sí, si, sí por favor, dale, adelante, hazlo, ejecuta, ejecútalo, ejecutar, aprobado, apruebo, de acuerdo,
procede
sim, sim por favor, pode executar, executa, execute, executar, faz isso, vai em frente, aprovado, aprovo
sì, esegui, eseguilo, procedi, vai, avvia, approvo, approvato, d'accordo
да, да пожалуйста, давай, запускай, запусти, выполняй, выполни, поехали, одобряю, согласен, согласна,
хорошо
так, виконуй, запускай, tak, uruchom, wykonaj, zatwierdzam, zgoda, ano, spusť to, spustit, schvaluji
evet, çalıştır, başlat, onaylıyorum, tamam, ja graag, voer uit, voer het uit, akkoord, kör, kör det,
kör igång, godkänn
vâng, đồng ý, chạy đi, thực hiện, ya, jalankan, setuju, lanjutkan, हाँ, चलाओ, ठीक है, نعم, نفذ, ابدأ,
موافق, כן, הרץ
"""
_COURTESY = """
please, thanks, thank you, bitte, danke, s'il te plaît, s'il vous plaît, merci, por favor, gracias,
per favore, ありがとう
"""
_PARTS = re.compile(r"[,;.!:…、。，．！；：・।،~〜]+|\s[-–—]\s|\n+")
_EDGES = " \t\"'`“”‘’«»「」『』()[]{}*_"


def approves(text: str) -> bool:
    """Whether a person's line is an approval and nothing else; an empty one is not."""
    parts = [part for part in map(_plain, _PARTS.split(_folded(text))) if part]
    return any(part in _WORDS for part in parts) and all(part in _WORDS | _KIND for part in parts)


def _folded(text: str) -> str:
    """One form of each letter: full width, compositions and case make no difference."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _plain(part: str) -> str:
    return " ".join(part.strip(_EDGES).replace("’", "'").split())


def _listed(text: str) -> frozenset[str]:
    return frozenset(_plain(phrase) for phrase in re.split(r"[,\n]", _folded(text)) if _plain(phrase))


_WORDS = _listed(_PHRASES)
_KIND = _listed(_COURTESY)
"""May stand beside an approval, and alone approve nothing."""
