package probe.driver;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.connect.cli.ConnectStandalone;
import org.apache.kafka.connect.runtime.Connect;
import org.apache.kafka.connect.runtime.standalone.StandaloneHerder;
import probe.driver.v1.Start;

/**
 * A standalone worker with one connector, started as its command line does: by a worker's file and a connector's, in a
 * temporary folder.
 */
abstract class ConnectRole extends Instance {
    /** Sinks commit, and sources store their position, as often as the groups of all families commit. */
    private static final String FLUSH_MS = "1000";
    private static final int STATUS_MS = 250;

    final Path folder;
    private final KafkaConnect.Files files;
    private Connect<StandaloneHerder> worker;

    ConnectRole(Start start, Reports reports, KafkaConnect.Files files) {
        super(start, reports, new HashMap<>(files.worker()));
        this.files = files;
        folder = Folders.temporary("connect-");
    }

    /** The connector's own part of its file. */
    abstract Map<String, String> connector();

    /** Settings of the worker that name the connector's client. */
    abstract Map<String, String> names();

    /** The application's own threads, beside the worker's. */
    abstract List<Runnable> work();

    /** Called once the worker has ended. */
    void ended() {}

    @Override
    void open() {
        Exit.setExitProcedure((code, message) -> {
            throw new IllegalStateException("Kafka Connect ends with exit code " + code);
        });
        Path workerFile = write("worker.properties", workerSettings());
        Map<String, String> settings = new HashMap<>(connector());
        settings.put("name", name());
        settings.put("tasks.max", "1");
        settings.putAll(files.connector());
        Path connectorFile = write("connector.properties", settings);
        ConnectStandalone program = new ConnectStandalone(workerFile.toString(), connectorFile.toString());
        worker = program.startConnect(workerSettings());
        program.processExtraArgs(worker, new String[] {connectorFile.toString()});
    }

    private Map<String, String> workerSettings() {
        Map<String, String> settings = new HashMap<>();
        settings.put("bootstrap.servers", String.join(",", start.getBootstrapList()));
        settings.put("client.id", "worker-of-" + start.getClientId());
        settings.put("key.converter", "org.apache.kafka.connect.storage.StringConverter");
        settings.put("value.converter", "org.apache.kafka.connect.storage.StringConverter");
        settings.put("listeners", "http://127.0.0.1:0");
        settings.put("offset.storage.file.filename", folder.resolve("offsets").toString());
        settings.put("offset.flush.interval.ms", FLUSH_MS);
        // Without a plugin.path there is the class path alone; to scan it takes seconds.
        settings.put("plugin.discovery", "service_load");
        settings.putAll(names());
        settings.putAll(files.worker());
        return settings;
    }

    @Override
    void play() throws InterruptedException {
        TaskStatus status = new TaskStatus(worker.rest().advertisedUrl(), name(), reports);
        Runnable watch = new Ticker(this, ALL_PARTITIONS, tick -> {
            String failure = status.failure();
            if (!failure.isEmpty() && !stopping()) {
                fail(new IllegalStateException(failure));
            }
        }, STATUS_MS);
        playOn(Stream.concat(work().stream(), Stream.of(watch)).toList());
    }

    @Override
    void close(Duration timeout) {
        if (worker != null) {
            worker.stop();
        }
        ended();
        Folders.remove(folder);
    }

    private Path write(String name, Map<String, String> settings) {
        Properties properties = new Properties();
        properties.putAll(settings);
        Path file = folder.resolve(name);
        try (Writer out = Files.newBufferedWriter(file)) {
            properties.store(out, null);
        } catch (IOException e) {
            throw new IllegalStateException("cannot write " + name, e);
        }
        return file;
    }
}
