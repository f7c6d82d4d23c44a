package probe.driver;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.state.Stores;
import probe.driver.v1.Start;

/**
 * A topology that counts the records of a topic in a state store, whose changelog it writes. An exception that no
 * thread catches is answered as by default: the application shuts down, which ends the instance.
 */
final class TopologyRole extends Instance {
    /** As often as the groups of all families commit. */
    private static final String COMMIT_MS = "1000";
    private static final String REPLICAS = "3";

    private final Path folder;
    private final boolean streamsGroup;
    private final Clients clients;
    private KafkaStreams streams;
    private volatile Throwable uncaught;

    TopologyRole(Start start, Reports reports, Map<String, Object> settings) {
        super(start, reports, new HashMap<>(settings));
        folder = Folders.temporary("streams-");
        clients = new Clients(start.getClientId(), reports);
        streamsGroup = "streams".equalsIgnoreCase(String.valueOf(configuration.get("group.protocol")));
        configuration.putIfAbsent(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, COMMIT_MS);
        configuration.putIfAbsent(StreamsConfig.REPLICATION_FACTOR_CONFIG, REPLICAS);
        configuration.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, String.join(",", start.getBootstrapList()));
        configuration.put(StreamsConfig.APPLICATION_ID_CONFIG, start.getGroup());
        configuration.put(StreamsConfig.CLIENT_ID_CONFIG, start.getClientId());
        configuration.put(StreamsConfig.STATE_DIR_CONFIG, folder.toString());
    }

    private Topology topology() {
        StreamsBuilder builder = new StreamsBuilder();
        builder.addStateStore(Stores.keyValueStoreBuilder(
                Stores.persistentKeyValueStore(Counter.STORE), Serdes.Integer(), Serdes.Long()));
        builder.stream(start.getTopic(), Consumed.with(Serdes.String(), Serdes.String()))
                .process(() -> new Counter(this, streamsGroup), Counter.STORE);
        return builder.build();
    }

    /** Constructs the application and its clients; none connects before it starts. */
    @Override
    void open() {
        StreamsConfig config = streamsGroup
                ? new StreamsGroupConfig(configuration, clients)
                : new StreamsConfig(configuration);
        streams = new KafkaStreams(topology(), config, clients);
        streams.setUncaughtExceptionHandler(error -> {
            uncaught = error;
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
        streams.setStateListener((now, before) -> {
            notice("state " + now);
            if (now == KafkaStreams.State.ERROR && !stopping()) {
                Throwable error = uncaught;
                fail(error == null ? new IllegalStateException("Kafka Streams is in state ERROR") : error);
            }
        });
    }

    @Override
    Map<String, String> settings() {
        return clients.settings();
    }

    @Override
    void play() throws InterruptedException {
        streams.start();
        playOn(List.of()); // Streams has threads of its own
    }

    @Override
    void close(Duration timeout) {
        boolean ended = streams.close(timeout);
        Folders.remove(folder);
        if (!ended) {
            reports.fatal("Kafka Streams did not end within " + timeout.toMillis() + " ms");
        }
    }
}
