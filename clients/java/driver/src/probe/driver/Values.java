package probe.driver;

/** The form of every record a driver writes. */
final class Values {
    private Values() {}

    static String of(String instance, int partition, long sequence, long clock) {
        return instance + ' ' + partition + ' ' + sequence + ' ' + clock;
    }
}
