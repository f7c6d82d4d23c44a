import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.DescribeProducersOptions;
import org.apache.kafka.clients.admin.ListConfigResourcesOptions;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.config.ConfigResource;

/** Makes calls of Kafka's command line tools, and prints one line about each: what the admin client says of it. */
final class AdminCalls {
    private static final TopicPartition PARTITION = new TopicPartition("assigned", 0);

    private AdminCalls() {}

    public static void main(String[] args) throws Exception {
        Map<String, Object> settings =
                Map.of(
                        AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, args[0],
                        AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, 10_000,
                        AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, 5_000);
        try (Admin admin = Admin.create(settings)) {
            say("cluster id", () -> admin.describeCluster().clusterId().get().length() + " characters");
            NewTopic topic = new NewTopic(PARTITION.topic(), Map.of(0, List.of(3, 1)));
            say("create", () -> admin.createTopics(List.of(topic)).all().get());
            say("describe", () -> described(admin));
            say("elect", () -> elected(admin));
            NewPartitionReassignment target = new NewPartitionReassignment(List.of(2, 1));
            say("reassign", () -> admin.alterPartitionReassignments(Map.of(PARTITION, Optional.of(target))).all().get());
            say("under way", () -> admin.listPartitionReassignments().reassignments().get());
            say("describe", () -> described(admin));
            DescribeProducersOptions follower = new DescribeProducersOptions().brokerId(1);
            say("producers", () -> admin.describeProducers(List.of(PARTITION), follower)
                    .partitionResult(PARTITION).get().activeProducers());
            say("client metrics", () -> admin.listConfigResources(
                    Set.of(ConfigResource.Type.CLIENT_METRICS), new ListConfigResourcesOptions()).all().get());
            say("acls", () -> admin.describeAcls(AclBindingFilter.ANY).values().get());
        }
    }

    private static String described(Admin admin) throws Exception {
        TopicPartitionInfo found =
                admin.describeTopics(List.of(PARTITION.topic())).allTopicNames().get()
                        .get(PARTITION.topic()).partitions().get(0);
        List<Integer> replicas = found.replicas().stream().map(Node::id).toList();
        return "leader " + found.leader().id() + " of " + replicas + ", eligible " + found.elr();
    }

    private static String elected(Admin admin) throws Exception {
        return admin.electLeaders(ElectionType.PREFERRED, Set.of(PARTITION)).partitions().get().get(PARTITION)
                .map(error -> error.getClass().getSimpleName()).orElse("elected");
    }

    private static void say(String what, Callable<?> call) throws Exception {
        try {
            System.out.println(what + ": " + call.call());
        } catch (ExecutionException failed) {
            System.out.println(what + ": " + failed.getCause().getClass().getSimpleName());
        }
    }
}
