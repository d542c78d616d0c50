package insync.mutants;

import net.bytebuddy.asm.Advice;

/** Prints at the broker's start which mutant its agent is, so that no test takes a healthy agent for one. */
final class Announce {

    private Announce() { }

    @Advice.OnMethodEnter
    static void enter(@MutantName String mutant) {
        System.err.println("[insync] mutant " + mutant);
    }
}
