package probe.driver;

import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueStore;

/** Reports each record, and counts those of its partition. */
final class Counter implements Processor<String, String, Void, Void> {
    static final String STORE = "counts";

    private final Instance instance;
    private ProcessorContext<Void, Void> context;
    private KeyValueStore<Integer, Long> counts;

    Counter(Instance instance) {
        this.instance = instance;
    }

    @Override
    public void init(ProcessorContext<Void, Void> context) {
        this.context = context;
        counts = context.getStateStore(STORE);
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
