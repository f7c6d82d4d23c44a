package probe.driver;

import java.util.List;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Reports each record, and counts those of its partition. In a group of Streams' own protocol it also reports its task
 * as an assignment of its partition, since there the consumer has no listener of ours.
 */
final class Counter implements Processor<String, String, Void, Void> {
    static final String STORE = "counts";

    private final Instance instance;
    private final boolean streamsGroup;
    private ProcessorContext<Void, Void> context;
    private KeyValueStore<Integer, Long> counts;

    Counter(Instance instance, boolean streamsGroup) {
        this.instance = instance;
        this.streamsGroup = streamsGroup;
    }

    @Override
    public void init(ProcessorContext<Void, Void> context) {
        this.context = context;
        counts = context.getStateStore(STORE);
        if (streamsGroup) {
            instance.reports.assigned(List.of(context.taskId().partition()));
        }
    }

    @Override
    public void close() {
        if (streamsGroup) {
            instance.reports.revoked(List.of(context.taskId().partition()));
        }
    }

    @Override
    public void process(Record<String, String> record) {
        RecordMetadata place = context.recordMetadata().orElseThrow();
        instance.reports.received(place.partition(), place.offset(), record.value());
        instance.handled();
        Long before = counts.get(place.partition());
        counts.put(place.partition(), before == null ? 1 : before + 1);
    }
}
