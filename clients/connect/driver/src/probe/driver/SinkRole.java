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

    private void read() {
        try {
            while (!Files.exists(output) && pause(READ_MS)) {
                // the task makes the file
            }
            if (!stopping()) {
                follow();
            }
        } catch (IOException e) {
            fail(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void follow() throws IOException, InterruptedException {
        try (RandomAccessFile file = new RandomAccessFile(output.toFile(), "r")) {
            String rest = "";
            while (pause(READ_MS)) {
                byte[] more = new byte[(int) (file.length() - file.getFilePointer())];
                file.readFully(more);
                String[] lines = (rest + new String(more, StandardCharsets.US_ASCII)).split("\n", -1);
                rest = lines[lines.length - 1];
                for (int i = 0; i < lines.length - 1; i++) {
                    receive(lines[i]);
                }
            }
        }
    }

    private void receive(String line) {
        String[] words = line.split(" ");
        if (words.length == 4) {
            reports.received(Integer.parseInt(words[1]), -1, line);
        }
    }
}
