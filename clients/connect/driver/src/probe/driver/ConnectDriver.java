package probe.driver;

/** A driver process with one standalone worker of Kafka Connect. */
public final class ConnectDriver {
    private ConnectDriver() {}

    public static void main(String[] args) {
        Driver.run(args, new KafkaConnect(Library.onClassPath()));
    }
}
