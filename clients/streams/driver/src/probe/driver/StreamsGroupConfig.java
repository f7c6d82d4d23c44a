package probe.driver;

import java.util.List;
import java.util.Map;
import org.apache.kafka.streams.StreamsConfig;

/**
 * The configuration of a member of a Streams group (KIP-1071). Streams makes that consumer itself and asks no client
 * supplier for it, so what the driver changes in it is changed in its settings.
 */
final class StreamsGroupConfig extends StreamsConfig {
    private final Clients clients;

    StreamsGroupConfig(Map<String, Object> given, Clients clients) {
        super(given);
        this.clients = clients;
    }

    @Override
    public Map<String, Object> getMainConsumerConfigs(String groupId, String clientId, int threadIdx) {
        Map<String, Object> given = super.getMainConsumerConfigs(groupId, clientId, threadIdx);
        if (clients == null) {
            return given; // the constructor of 4.2 looks at them
        }
        Map<String, Object> settings = clients.ofStreamsGroup(given);
        settings.put("interceptor.classes", List.of(CommitReports.class));
        return settings;
    }
}
