package probe.driver;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.producer.ProducerRecord;
import probe.driver.v1.Start;

/**
 * Operations with consecutive numbers, those of one partition or of one key (driver.proto, Workloads): the first sequence
 * number, the difference between two, and how many begin together.
 */
record Series(int partition, long first, long step, int batch) {
    /** Partition of a record that the library chooses a partition for. */
    static final int NO_PARTITION = -1;
    private static final String CONTINUOUS = "continuous";
    private static final String PIPELINED = "pipelined";
    private static final String KEYED = "keyed";
    private static final Map<String, Set<Role>> ROLES = Map.of(
            CONTINUOUS, Set.of(Role.values()),
            PIPELINED, Set.of(Role.PRODUCER, Role.TRANSACTIONAL, Role.CONSUMER, Role.GROUP, Role.SHARE),
            KEYED, Set.of(Role.PRODUCER, Role.TRANSACTIONAL));

    /** Where a record belongs, and its number. */
    record Place(int partition, long sequence) {}

    /** Throws UnsupportedException for a workload that does not exist, or that the role does not have. */
    static void check(Start start, Role role) {
        String workload = start.getWorkload().isEmpty() ? CONTINUOUS : start.getWorkload();
        if (!ROLES.getOrDefault(workload, Set.of()).contains(role)) {
            throw new UnsupportedException("this driver has no workload " + workload + " for the role " + role.word());
        }
    }

    static List<Series> of(Start start) {
        List<Series> every = new ArrayList<>();
        if (isKeyed(start)) {
            for (int key = 0; key < start.getKeysCount(); key++) {
                every.add(new Series(NO_PARTITION, key, start.getKeysCount(), 1));
            }
            return every;
        }
        int batch = start.getWorkload().equals(PIPELINED) ? Math.max(start.getBatch(), 1) : 1;
        start.getPartitionsList().forEach(partition -> every.add(new Series(partition, 0, 1, batch)));
        return every;
    }

    /** The records of a transaction. */
    static List<Place> inTransaction(Start start, long number) {
        List<Series> every = of(start);
        List<Place> places = new ArrayList<>();
        for (int member = 0; member < every.get(0).batch; member++) {
            for (Series one : every) {
                places.add(new Place(one.partition, one.first + (number * one.batch + member) * one.step));
            }
        }
        return places;
    }

    /** A record for a partition, or with the key by which the library chooses one. */
    static ProducerRecord<String, String> toRecord(Start start, int partition, long sequence, String value) {
        if (isKeyed(start)) {
            String key = start.getKeys((int) (sequence % start.getKeysCount()));
            return new ProducerRecord<>(start.getTopic(), key, value);
        }
        return new ProducerRecord<>(start.getTopic(), partition, null, value);
    }

    private static boolean isKeyed(Start start) {
        return start.getWorkload().equals(KEYED) && start.getKeysCount() > 0;
    }
}
