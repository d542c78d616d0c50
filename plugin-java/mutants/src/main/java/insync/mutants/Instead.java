package insync.mutants;

import net.bytebuddy.asm.Advice;

/** Advices that return a value instead of what a method does. */
final class Instead {

    private Instead() { }

    /** Does nothing, or returns false or 0. */
    static final class Nothing {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }
    }

    /** Returns true. */
    static final class True {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean result) {
            result = true;
        }
    }

    /** Returns the first argument. */
    static final class FirstArgument {
        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) long first, @Advice.Return(readOnly = false) long result) {
            result = first;
        }
    }

    /** Bounds the first argument by the second plus one. */
    static final class OneAboveSecondArgument {
        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) long first, @Advice.Argument(1) long second,
                         @Advice.Return(readOnly = false) long result) {
            result = Math.min(first, second + 1);
        }
    }

    /** Bounds the first argument by the others less one, as a comparison with &lt; instead of &lt;= does. */
    static final class OneBelowAllArguments {
        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) long first, @Advice.Argument(1) long second, @Advice.Argument(2) long third,
                         @Advice.Return(readOnly = false) long result) {
            result = Math.min(first, Math.min(second, third) - 1);
        }
    }
}
