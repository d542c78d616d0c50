package insync.bridge;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import py4j.Gateway;
import py4j.Protocol;
import py4j.commands.AbstractCommand;
import py4j.commands.ArrayCommand;
import py4j.commands.CallCommand;
import py4j.commands.Command;
import py4j.commands.ConstructorCommand;
import py4j.commands.DirCommand;
import py4j.commands.ExceptionCommand;
import py4j.commands.FieldCommand;
import py4j.commands.HelpPageCommand;
import py4j.commands.JVMViewCommand;
import py4j.commands.ListCommand;
import py4j.commands.ReflectionCommand;
import py4j.commands.ShutdownGatewayServerCommand;
import py4j.commands.StreamCommand;

/**
 * Restricts py4j's protocol, which otherwise gives access to the whole JVM by reflection, to calls of the methods of the
 * {@link NarrowEntry}'s interface. Each class replaces py4j's own command of the same name.
 */
final class NarrowCommands {
    /** The name of the one py4j command without a public constant. */
    private static final String CANCEL_COMMAND_NAME = "z";

    private NarrowCommands() { }

    /** Every py4j command except authentication and the client's release of objects. */
    static List<Class<? extends Command>> all() {
        return Arrays.asList(Call.class, NoArray.class, NoCancel.class, NoConstructor.class, NoDir.class,
            NoException.class, NoField.class, NoHelp.class, NoJvm.class, NoList.class, NoReflection.class,
            NoShutdown.class, NoStream.class);
    }

    /** Allows calls of the entry point's methods. Errors are returned as text: no object of the JVM leaves it. */
    public static final class Call extends CallCommand {
        @Override
        public void execute(String name, BufferedReader reader, BufferedWriter writer) throws IOException {
            String target = reader.readLine();
            String method = reader.readLine();
            List<Object> arguments = getArguments(reader);
            Method known = Protocol.ENTRY_POINT_OBJECT_ID.equals(target) ? entry(gateway).method(method) : null;
            writer.write(known == null ? refusal(gateway, target + "." + method) : answer(known, arguments));
            writer.flush();
        }

        private String answer(Method method, List<Object> arguments) {
            try {
                Object result = method.invoke(entry(gateway).target(), arguments.toArray());
                return Protocol.getOutputCommand(gateway.getReturnObject(result));
            } catch (InvocationTargetException failed) {
                return Protocol.getOutputErrorCommand(method.getName() + " failed: " + failed.getCause());
            } catch (IllegalAccessException | IllegalArgumentException wrong) {
                return Protocol.getOutputErrorCommand("wrong arguments: " + wrong.getMessage() + ", expected " + method);
            }
        }
    }

    private static NarrowEntry entry(Gateway gateway) {
        return (NarrowEntry) gateway.getEntryPoint();
    }

    private static String refusal(Gateway gateway, String what) {
        return Protocol.getOutputErrorCommand(
            "not part of the bridge: " + what + ", expected a call of " + entry(gateway).methods());
    }

    /** Refuses a command, whatever its arguments. py4j creates one per connection with the public constructor. */
    public abstract static class Refused extends AbstractCommand {
        Refused(String name) {
            commandName = name;
        }

        @Override
        public void execute(String name, BufferedReader reader, BufferedWriter writer) throws IOException {
            String line = reader.readLine();
            while (line != null && !line.equals(String.valueOf(Protocol.END))) {
                line = reader.readLine();
            }
            writer.write(refusal(gateway, "command " + name));
            writer.flush();
        }
    }

    public static final class NoArray extends Refused {
        public NoArray() {
            super(ArrayCommand.ARRAY_COMMAND_NAME);
        }
    }

    public static final class NoCancel extends Refused {
        public NoCancel() {
            super(CANCEL_COMMAND_NAME);
        }
    }

    public static final class NoConstructor extends Refused {
        public NoConstructor() {
            super(ConstructorCommand.CONSTRUCTOR_COMMAND_NAME);
        }
    }

    public static final class NoDir extends Refused {
        public NoDir() {
            super(DirCommand.DIR_COMMAND_NAME);
        }
    }

    public static final class NoException extends Refused {
        public NoException() {
            super(ExceptionCommand.EXCEPTION_COMMAND_NAME);
        }
    }

    public static final class NoField extends Refused {
        public NoField() {
            super(FieldCommand.FIELD_COMMAND_NAME);
        }
    }

    public static final class NoHelp extends Refused {
        public NoHelp() {
            super(HelpPageCommand.HELP_COMMAND_NAME);
        }
    }

    public static final class NoJvm extends Refused {
        public NoJvm() {
            super(JVMViewCommand.JVMVIEW_COMMAND_NAME);
        }
    }

    public static final class NoList extends Refused {
        public NoList() {
            super(ListCommand.LIST_COMMAND_NAME);
        }
    }

    public static final class NoReflection extends Refused {
        public NoReflection() {
            super(ReflectionCommand.REFLECTION_COMMAND_NAME);
        }
    }

    public static final class NoShutdown extends Refused {
        public NoShutdown() {
            super(ShutdownGatewayServerCommand.SHUTDOWN_GATEWAY_SERVER_COMMAND_NAME);
        }
    }

    public static final class NoStream extends Refused {
        public NoStream() {
            super(StreamCommand.STREAM_COMMAND_NAME);
        }
    }

    /** The methods that a gateway offers: those of one interface, on one object. Does not use py4j. */
    static final class NarrowEntry {
        private final Object target;
        private final Map<String, Method> methods = new TreeMap<>();

        /** @param api an interface without overloaded methods, which target implements */
        <T> NarrowEntry(Class<T> api, T target) {
            this.target = target;
            for (Method method : api.getMethods()) {
                methods.put(method.getName(), method);
            }
        }

        Object target() {
            return target;
        }

        /** Returns the method with a name, or null if the interface has none. */
        Method method(String name) {
            return methods.get(name);
        }

        Set<String> methods() {
            return methods.keySet();
        }
    }
}
