package probe.driver;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;

/**
 * Sends a group's offsets as part of a transaction: by the group's metadata since 2.5 (KIP-447), before that by its
 * name, whose form 4.0 removed.
 */
final class TransactionOffsets {
    private static final String METADATA = "org.apache.kafka.clients.consumer.ConsumerGroupMetadata";

    private final Method send;
    private final Object group;

    private TransactionOffsets(Method send, Object group) {
        this.send = send;
        this.group = group;
    }

    static TransactionOffsets of(String group) {
        try {
            try {
                Class<?> metadata = Class.forName(METADATA);
                Object named = metadata.getConstructor(String.class).newInstance(group);
                return new TransactionOffsets(method(metadata), named);
            } catch (ClassNotFoundException | NoSuchMethodException olderSignature) { // 2.4: class, no method
                return new TransactionOffsets(method(String.class), group);
            }
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("sendOffsetsToTransaction has no form known to this driver", e);
        }
    }

    private static Method method(Class<?> group) throws NoSuchMethodException {
        return KafkaProducer.class.getMethod("sendOffsetsToTransaction", Map.class, group);
    }

    /** Throws what the library throws. */
    void send(KafkaProducer<?, ?> producer, TopicPartition partition, long offset) {
        try {
            send.invoke(producer, Map.of(partition, new OffsetAndMetadata(offset)), group);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException thrown) {
                throw thrown;
            }
            throw new LinkageError("sendOffsetsToTransaction", e);
        } catch (IllegalAccessException e) {
            throw new LinkageError("sendOffsetsToTransaction", e);
        }
    }
}
