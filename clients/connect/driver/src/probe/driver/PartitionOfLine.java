package probe.driver;

import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.transforms.Transformation;

/** Gives a record the partition that its line names, as the second word. */
public final class PartitionOfLine implements Transformation<SourceRecord> {
    /** Connect constructs it. */
    public PartitionOfLine() {}

    @Override
    public SourceRecord apply(SourceRecord record) {
        int partition = Integer.parseInt(record.value().toString().split(" ")[1]);
        return record.newRecord(record.topic(), partition, record.keySchema(), record.key(), record.valueSchema(),
                record.value(), record.timestamp());
    }

    @Override
    public ConfigDef config() {
        return new ConfigDef();
    }

    @Override
    public void configure(Map<String, ?> settings) {}

    @Override
    public void close() {}
}
