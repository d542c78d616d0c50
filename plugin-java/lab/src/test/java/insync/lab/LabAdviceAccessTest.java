package insync.lab;

import insync.agent.AdviceAccessTest;
import insync.agent.weave.Hook;
import java.util.List;
import java.util.stream.Collectors;

/** The same of the lab's advices. */
class LabAdviceAccessTest extends AdviceAccessTest {
    @Override
    protected List<Hook> hooks(String adapter) {
        Lab lab = new Lab();
        lab.options.pausePoints = true;
        return lab.types(adapter).stream().flatMap(type -> type.hooks.stream()).collect(Collectors.toList());
    }
}
