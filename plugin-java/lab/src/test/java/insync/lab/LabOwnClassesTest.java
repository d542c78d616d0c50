package insync.lab;

import insync.agent.Adapter;
import insync.agent.Adapters;
import insync.agent.AgentException;
import insync.agent.Extension;
import insync.agent.weave.OwnClassesTest;
import java.util.ArrayList;

/** The same of the lab's classes. */
class LabOwnClassesTest extends OwnClassesTest {
    @Override
    protected Adapter adapter() throws AgentException {
        Extension.install(new Lab());
        return Adapters.load().pick("4.3.1", new ArrayList<>());
    }
}
