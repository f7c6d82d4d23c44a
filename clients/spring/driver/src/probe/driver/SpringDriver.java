package probe.driver;

/** A driver process with instances of one version of spring-kafka. */
public final class SpringDriver {
    private SpringDriver() {}

    public static void main(String[] args) {
        Driver.run(args, new SpringKafka(Library.onClassPath()));
    }
}
