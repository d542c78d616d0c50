package insync.lab;

import insync.agent.AdviceAccessTest;
import insync.agent.weave.Hook;
import java.util.List;

/** The same of the lab's advices. */
class LabAdviceAccessTest extends AdviceAccessTest {
    @Override
    protected List<Hook> hooks(String adapter) {
        return new Lab().hooks(adapter);
    }
}
