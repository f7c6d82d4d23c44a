package probe.driver;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import probe.driver.v1.Start;

/**
 * A FileStreamSource: the application appends lines to a file, the task writes each to Kafka. The connector names no
 * partition; a transformation takes it from the line.
 */
final class SourceRole extends ConnectRole {
    private final Path input;
    private Writer lines;

    SourceRole(Start start, Reports reports, KafkaConnect.Files files) {
        super(start, reports, files);
        input = folder.resolve("input");
    }

    @Override
    Map<String, String> connector() {
        return Map.of(
                "connector.class", "org.apache.kafka.connect.file.FileStreamSourceConnector",
                "file", input.toString(),
                "topic", start.getTopic(),
                "transforms", "partition",
                "transforms.partition.type", PartitionOfLine.class.getName());
    }

    @Override
    Map<String, String> names() {
        return Map.of("producer.client.id", start.getClientId());
    }

    @Override
    void open() {
        try {
            lines = Files.newBufferedWriter(input, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new IllegalStateException("cannot write the source's file", e);
        }
        super.open();
    }

    @Override
    Map<String, String> settings() {
        return ConnectSettings.of(ConnectSettings.PRODUCER, "producer.", configuration);
    }

    @Override
    List<Runnable> work() {
        return start.getPartitionsList().stream().<Runnable>map(partition -> {
            AtomicLong next = new AtomicLong();
            return new Ticker(this, partition, tick -> append(partition, next.getAndIncrement()));
        }).toList();
    }

    private synchronized void append(int partition, long number) {
        long clock = Reports.clock();
        reports.sent(partition, number, clock, "");
        try {
            lines.write(Values.of(name(), partition, number, clock) + '\n');
            lines.flush();
        } catch (IOException e) {
            fail(e);
        }
    }
}
