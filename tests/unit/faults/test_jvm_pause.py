"""The pause of a JVM: what the log of its safepoints shows, and what is left behind."""

from pathlib import Path
from typing import Any

import pytest

from fault_runs import OneNode, planned
from insync.errors import InsyncError
from insync.faults.base import Fault
from insync.faults.kinds import jvm_pause
from insync.faults.kinds.jvm_pause import LOG
from insync.faults.support.control import ControlFile, State
from unit.faults.evidence import acted

pytestmark = pytest.mark.usefixtures("soon")

SHORT = '[1.2s] Safepoint "ICBufferFull", Time since last: 9 ns, Total: 90000 ns\n'
OF_17 = (
    '[3.5s] Safepoint "HeapDumper", Time since last: 403510043 ns, Reaching safepoint: 3885 ns,'
    " Cleanup: 4778 ns, At safepoint: 2170049580 ns, Total: 2170058243 ns\n"
)
OF_21 = (
    '[3.5s] Safepoint "HeapDumper", Time since last: 4 ns, Reaching safepoint: 3 ns,'
    " At safepoint: 2170049580 ns, Leaving safepoint: 3 ns, Total: 2170058243 ns\n"
)


class Jvm(OneNode):
    """A JVM that is asked for a dump: it calls the library if it `writes`, and logs its pause."""

    pid = 1

    def __init__(
        self, control: ControlFile, folder: Path, log: str, *, writes: bool = True
    ) -> None:
        super().__init__(self, folder=folder, controls={2: control})
        self.rule = control.slots[0]
        self.log = log
        self.writes = writes
        self.dump = Path()

    def start(self, command: list[str]) -> "Jvm":
        self.dump = Path(command[-1])
        self.dump.write_bytes(b"JAVA PROFILE")
        self.rule.held_now = int(self.writes)
        return self

    def poll(self) -> int | None:
        if not self.writes:
            return 1
        if self.rule.state == State.LIFTED:
            self.rule.held_now = 0
            with (self.at.folder / LOG).open("a") as file:
                file.write(self.log)
            return 0
        return None


def fault_on(jvm: Jvm) -> Fault[Any]:
    return planned(jvm, "jvm-pause", broker=2)


@pytest.mark.parametrize("log", [OF_17, OF_21])
def test_the_pause_is_that_of_the_jvms_log(control: ControlFile, tmp_path: Path, log: str) -> None:
    (tmp_path / LOG).write_text(OF_17.replace("2170058243", "9000000000"))
    jvm = Jvm(control, tmp_path, SHORT + log)
    fault = fault_on(jvm)
    fault.inject()
    assert jvm.dump.is_file()
    fault.lift()
    fault.lift()
    line = fault.evidence()
    assert line.figures["longest_pause_ms"] == pytest.approx(2_170, abs=1)
    assert line.figures["safepoints"] >= 2
    assert line.acted_ms == line.figures["longest_pause_ms"]
    assert not jvm.dump.parent.exists()


def test_a_broker_that_starts_again_does_not_remove_the_evidence(
    control: ControlFile, tmp_path: Path
) -> None:
    """A JVM overwrites its log at its start, for example after another fault killed the broker."""
    fault = fault_on(Jvm(control, tmp_path, OF_17))
    fault.inject()
    fault.lift()
    (tmp_path / LOG).write_text(SHORT)
    line = fault.evidence()
    assert line.acted_ms == line.figures["longest_pause_ms"] == pytest.approx(2_170, abs=1)


def test_another_safepoint_is_not_this_pause(control: ControlFile, tmp_path: Path) -> None:
    assert acted(fault_on(Jvm(control, tmp_path, SHORT))).acted_ms == 0


def test_a_pause_that_is_interrupted_at_its_beginning_ends(
    control: ControlFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C may come while the fault waits for the dump."""
    jvm = Jvm(control, tmp_path, OF_17, writes=False)

    def start(command: list[str]) -> Jvm:
        Jvm.start(jvm, command)
        raise KeyboardInterrupt

    monkeypatch.setattr(jvm, "start", start)
    fault = fault_on(jvm)
    with pytest.raises(KeyboardInterrupt):
        fault.inject()
    assert jvm.rule.state == State.LIFTED
    assert not jvm.dump.parent.exists()
    fault.lift()


def test_a_jvm_that_writes_no_dump_is_an_error_and_nothing_stays(
    control: ControlFile, tmp_path: Path
) -> None:
    jvm = Jvm(control, tmp_path, "", writes=False)
    fault = fault_on(jvm)
    with pytest.raises(InsyncError, match="broker 2: its JVM wrote no heap dump"):
        fault.inject()
    assert not jvm.dump.parent.exists()
    assert control.header.armed == 0
    fault.lift()


def test_a_java_without_jcmd_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jvm_pause, "_jcmd", lambda: "/nowhere/bin/jcmd")
    assert "no /nowhere/bin/jcmd, expected a JDK" in str(jvm_pause.unavailable(Path()))
