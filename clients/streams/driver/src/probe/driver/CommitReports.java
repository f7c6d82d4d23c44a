package probe.driver;

import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Reports commits of a consumer that Streams makes itself. Its clients are the setting {@link #CLIENTS}. */
public final class CommitReports implements ConsumerInterceptor<byte[], byte[]> {
    static final String CLIENTS = "probe.clients";

    private Clients clients;

    @Override
    public void configure(Map<String, ?> settings) {
        clients = (Clients) settings.get(CLIENTS);
    }

    @Override
    public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
        return records;
    }

    @Override
    public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        clients.reportCommit(offsets);
    }

    @Override
    public void close() {
        // nothing is held
    }
}
