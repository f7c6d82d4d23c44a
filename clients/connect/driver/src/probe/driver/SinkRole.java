package probe.driver;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import probe.driver.v1.Start;

/** A FileStreamSink: the task appends each record to a file, which the application reads. It tells no offsets. */
final class SinkRole extends ConnectRole {
    private static final int READ_MS = 20;

    private final Path output;
    /** End of the lines that were reported. */
    private long place;

    SinkRole(Start start, Reports reports, KafkaConnect.Files files) {
        super(start, reports, files);
        output = folder.resolve("output");
    }

    @Override
    Map<String, String> connector() {
        return Map.of(
                "connector.class", "org.apache.kafka.connect.file.FileStreamSinkConnector",
                "file", output.toString(),
                "topics", start.getTopic());
    }

    @Override
    Map<String, String> names() {
        return Map.of("consumer.client.id", start.getClientId(), "consumer.group.id", start.getGroup());
    }

    @Override
    Map<String, String> settings() {
        return ConnectSettings.of(ConnectSettings.CONSUMER, "consumer.", configuration);
    }

    @Override
    List<Runnable> work() {
        return List.of(this::read);
    }

    /** A task that ends writes what it still has, and commits it. */
    @Override
    void ended() {
        readOn();
    }

    private void read() {
        try {
            while (pause(READ_MS)) {
                readOn();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reports the lines that the file has gained; it is the task that makes the file. */
    private synchronized void readOn() {
        if (!Files.exists(output)) {
            return;
        }
        try (RandomAccessFile file = new RandomAccessFile(output.toFile(), "r")) {
            file.seek(place);
            byte[] more = new byte[(int) (file.length() - place)];
            file.readFully(more);
            String text = new String(more, StandardCharsets.US_ASCII);
            int whole = text.lastIndexOf('\n') + 1;
            place += whole;
            text.substring(0, whole).lines().forEach(this::receive);
        } catch (IOException e) {
            fail(e);
        }
    }

    private void receive(String line) {
        String[] words = line.split(" ");
        if (words.length == 4) {
            reports.received(Integer.parseInt(words[1]), -1, line);
        }
    }
}
