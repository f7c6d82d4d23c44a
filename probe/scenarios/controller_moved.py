"""The controller loses its office, and another broker is elected: brokers with ZooKeeper.

What the brokers do: the old controller gives up at once. For 0.3 s no broker is the controller, and Metadata and
DescribeCluster still name the old one. Then they name the new one, and it serves. Every other broker answers
NOT_CONTROLLER (41) to requests for the controller. Descriptions of the cluster and of groups, and offsets, go on.
The error a client meets: 41 on CreateTopics, as the error of the topic.
What a good client does: asks for metadata because of the error, waits for its back-off and asks the new controller,
without an error to the application.
On real brokers the node of the controller in ZooKeeper is deleted until another broker is elected.
Source: KafkaApis.handleCreateTopicsRequest and KafkaController.onControllerResignation (3.4.1); aiokafka #939 and #995,
confluent-kafka-python #1132, kafka-python #1503, KafkaJS #1253 (clients whose application gets the error).
Not covered: KRaft brokers, which forward (controller/gone); topics that are really created, which exist already when
a lost answer is asked for again; the controller's own quotas.
"""

from probe.model import Reaction, Role, Symptom, Target
from probe.protocol.apis import CREATE_TOPICS
from probe.scenarios.controllers import FORWARDED, ZOOKEEPER_HERE_UNTIL, ZOOKEEPER_UNTIL
from probe.scenarios.scenario import RoleVariant, Scenario, expect
from probe.scenarios.steps.controller import MoveController

SCENARIO = Scenario(
    name="controller/moved",
    story=__doc__,
    variants=(
        RoleVariant(
            roles=(Role.ADMIN,),
            expectation=expect(
                Symptom.ANSWER,
                Reaction.DISCOVER,
                target=Target.CONTROLLER,
                codes=(41,),
                apis=(CREATE_TOPICS,),
                prompt_ms=5000,
                watch_ms=20_000,
            ),
            steps=(MoveController(named_ms=300),),
        ),
    ),
    until=ZOOKEEPER_UNTIL,
    until_reason=FORWARDED,
    real_until=ZOOKEEPER_HERE_UNTIL,
    real_reason="newer real brokers run with KRaft here",
)
