import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.CreateTopicsResult;
import org.apache.kafka.clients.admin.NewTopic;

/** Creates topics as an application does, and prints one line about each: what the admin client says of it. */
final class CreateTopics {
    private CreateTopics() {}

    public static void main(String[] args) throws Exception {
        Map<String, Object> settings =
                Map.of(
                        AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, args[0],
                        AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, 10_000,
                        AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, 5_000);
        try (Admin admin = Admin.create(settings)) {
            create(admin, new NewTopic("plain", 2, (short) 3));
            create(admin, new NewTopic("set", 1, (short) 3).configs(Map.of("retention.ms", "77")));
            create(admin, new NewTopic("unknown", 1, (short) 3).configs(Map.of("dummy.doesnotexist", "1")));
            create(admin, new NewTopic("a b", 1, (short) 3));
        }
    }

    private static void create(Admin admin, NewTopic topic) throws InterruptedException {
        CreateTopicsResult result = admin.createTopics(List.of(topic));
        String name = topic.name();
        try {
            Config config = result.config(name).get();
            TreeSet<String> sources = new TreeSet<>();
            for (ConfigEntry entry : config.entries()) {
                sources.add(entry.source().name());
            }
            ConfigEntry retention = config.get("retention.ms");
            System.out.printf(
                    "%s: %d partitions, %d replicas, %s, retention.ms=%s of %s%n",
                    name,
                    result.numPartitions(name).get(),
                    result.replicationFactor(name).get(),
                    sources,
                    retention.value(),
                    retention.source());
        } catch (ExecutionException failed) {
            System.out.printf("%s: %s%n", name, failed.getCause().getClass().getSimpleName());
        }
    }
}
