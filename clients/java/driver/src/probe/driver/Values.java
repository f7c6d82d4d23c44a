package probe.driver;

/** The value of every record (driver.proto, last paragraph). */
final class Values {
    private Values() {}

    static String of(String instance, int partition, long sequence, long clock) {
        return instance + ' ' + partition + ' ' + sequence + ' ' + clock;
    }
}
