package insync.bridge;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import py4j.Gateway;
import py4j.GatewayConnection;
import py4j.GatewayServerListener;
import py4j.Protocol;
import py4j.commands.AbstractCommand;
import py4j.commands.CallCommand;
import py4j.commands.Command;
import py4j.commands.MemoryCommand;

/**
 * Restricts py4j's protocol, which otherwise gives access to the whole JVM by reflection, to calls of the methods of the
 * {@link NarrowEntry}'s interface: replaces every command except authentication and the client's release of objects.
 */
final class NarrowConnection extends GatewayConnection {

    NarrowConnection(Gateway gateway, Socket socket, String token, List<GatewayServerListener> listeners) throws IOException {
        super(gateway, socket, token, null, listeners);
    }

    /** Called by the constructor; the command of authentication is added after it. */
    @Override
    protected void initCommands(Gateway gateway, List<Class<? extends Command>> py4js) {
        super.initCommands(gateway, py4js);
        commands.replaceAll((name, command) -> command instanceof MemoryCommand ? command
            : command instanceof CallCommand ? new Call() : new Refused(name));
        commands.values().forEach(command -> command.init(gateway, this));
    }

    private static NarrowEntry entry(Gateway gateway) {
        return (NarrowEntry) gateway.getEntryPoint();
    }

    private static String refusal(Gateway gateway, String what) {
        return Protocol.getOutputErrorCommand(
            "not part of the bridge: " + what + ", expected a call of " + entry(gateway).methods.keySet());
    }

    /** Allows calls of the entry point's methods. Errors are returned as text: no object of the JVM leaves it. */
    private static final class Call extends CallCommand {
        @Override
        public void execute(String name, BufferedReader reader, BufferedWriter writer) throws IOException {
            String target = reader.readLine();
            String method = reader.readLine();
            List<Object> arguments = getArguments(reader);
            Method known = Protocol.ENTRY_POINT_OBJECT_ID.equals(target) ? entry(gateway).methods.get(method) : null;
            writer.write(known == null ? refusal(gateway, target + "." + method) : answer(known, arguments));
            writer.flush();
        }

        private String answer(Method method, List<Object> arguments) {
            try {
                Object result = method.invoke(entry(gateway).target, arguments.toArray());
                return Protocol.getOutputCommand(gateway.getReturnObject(result));
            } catch (InvocationTargetException failed) {
                return Protocol.getOutputErrorCommand(method.getName() + " failed: " + failed.getCause());
            } catch (IllegalAccessException | IllegalArgumentException wrong) {
                return Protocol.getOutputErrorCommand("wrong arguments: " + wrong.getMessage() + ", expected " + method);
            }
        }
    }

    /** Refuses a command, whatever its arguments. */
    private static final class Refused extends AbstractCommand {
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

    /** The methods that a gateway offers: those of one interface, on one object. Does not use py4j. */
    static final class NarrowEntry {
        final Object target;
        final Map<String, Method> methods = new TreeMap<>();

        /** @param api an interface without overloaded methods, which target implements */
        <T> NarrowEntry(Class<T> api, T target) {
            this.target = target;
            for (Method method : api.getMethods()) {
                methods.put(method.getName(), method);
            }
        }
    }
}
