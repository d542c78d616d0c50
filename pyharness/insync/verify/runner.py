"""Run the levels of a verification one after the other; write all results after each of them."""

import os
import platform
import time

from insync import __version__
from insync.engines import AnalysisOptions
from insync.errors import InsyncError
from insync.events.schema import now_ms
from insync.events.verify_info import LevelInfo, VerifyInfo, save_asked, save_verify
from insync.events.writer import write_atomic
from insync.outcome import Outcome
from insync.progress import Progress
from insync.report.verify.page import write_verify_page
from insync.run.plan import make_out
from insync.verify.criteria import DEFAULT
from insync.verify.level import Context, Level
from insync.verify.plan import VerifyPlan


def run_verify(plan: VerifyPlan, analysis: AnalysisOptions, progress: Progress) -> VerifyInfo:
    """Run the levels that have no result, or an unknown one; return the whole result.

    A level that cannot run is unknown, and the others still run. In every case no process is left
    running. Raises InputError if the folder cannot be written.
    """
    make_out(plan.out)
    save_asked(plan.out, plan.asked)
    write_atomic(plan.out / DEFAULT, plan.criteria_text)
    context = Context(
        asked=plan.asked,
        criteria=plan.criteria,
        java=plan.java,
        analysis=analysis,
        progress=progress,
    )
    info = plan.before or _new(plan)
    for level in plan.levels:
        if not _is_done(info, level):
            info = _with(info, _run(level, plan, context), plan)
            _save(plan, info)
    _save(plan, info)
    return info


def _new(plan: VerifyPlan) -> VerifyInfo:
    return VerifyInfo(
        schema=1, asked=plan.asked, insync=__version__,
        session=time.strftime("%Y-%m-%d--%H%M%S"), started_ms=now_ms(),
        host={
            "system": platform.platform(), "cores": str(os.cpu_count()),
            "java": plan.java.description, "python": platform.python_version(),
        },
    )  # fmt: skip


def _is_done(info: VerifyInfo, level: Level) -> bool:
    return any(each.level == level.name and each.outcome != Outcome.UNKNOWN for each in info.levels)


def _run(level: Level, plan: VerifyPlan, context: Context) -> LevelInfo:
    began = time.monotonic()
    context.progress.phase(f"level {level.name}: {level.says}")
    try:
        found = level.run(plan.candidate, plan.baseline, plan.out / level.name, context)
    except (InsyncError, OSError) as error:
        if _interrupted(error):
            raise
        reason = " ".join(str(error).split())
        found = LevelInfo(
            level=level.name, outcome=Outcome.UNKNOWN, reason=f"could not run: {reason}"
        )
    return found.model_copy(update={"took_s": round(time.monotonic() - began, 1)})


def _interrupted(error: BaseException | None) -> bool:
    """Whether an error came up while an interrupt was being handled."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ or error.__context__
    return False


def _with(info: VerifyInfo, found: LevelInfo, plan: VerifyPlan) -> VerifyInfo:
    """Return the result with that of a level, which replaces an earlier one; in their order."""
    by_name = {**{each.level: each for each in info.levels}, found.level: found}
    levels = tuple(by_name[each.name] for each in plan.levels if each.name in by_name)
    return info.model_copy(
        update={"levels": levels, "took_s": round(info.took_s + found.took_s, 1)}
    )


def _save(plan: VerifyPlan, info: VerifyInfo) -> None:
    save_verify(plan.out, info)
    write_verify_page(plan.out, info)
