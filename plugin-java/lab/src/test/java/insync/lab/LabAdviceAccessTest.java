package insync.lab;

import insync.agent.AdviceAccessTest;
import insync.agent.weave.Hook;
import java.util.ArrayList;
import java.util.List;

/** The same of the lab's advices. */
class LabAdviceAccessTest extends AdviceAccessTest {
    @Override
    protected List<Hook> hooks(String adapter) {
        List<Hook> all = new ArrayList<>(new Lab().hooks(adapter));
        new Lab().types(adapter).forEach(type -> all.addAll(type.hooks));
        return all;
    }
}
