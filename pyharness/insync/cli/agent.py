"""`insync agent`: print where the agent's jar is and how to add it to your own broker."""

from typing import Final

from insync.cli.options import Json
from insync.cli.output import print_json

EXAMPLES: Final = """\b
Examples:
  insync agent
  insync agent --json
"""

HOW_TO: Final = """\
{jar}

1. Add the agent to the broker's JVM:
     export KAFKA_OPTS="{option}"
2. Switch the feature on in server.properties:
     {feature}=true
3. Restart the broker. If the agent does not support its version, it lists what is missing
   and the broker runs as plain Kafka; with "=on-unsupported=fail" it stops instead.
4. See what it does: the JMX metrics kafka.server:type=InsyncAgent, and the broker's log.
   `insync state` needs the lab beside it, which a broker in production does not have.
"""


def command(json: Json = False) -> int:
    """Print the agent's jar and how to add it to your own broker."""
    from insync.arms import FEATURE
    from insync.run.plan import require_agent

    jar = require_agent(("plugin",))
    option = f"-javaagent:{jar}"
    if json:
        print_json({"jar": str(jar), "jvm_option": option, "feature": FEATURE})
    else:
        print(HOW_TO.format(jar=jar, option=option, feature=FEATURE), end="")
    return 0
