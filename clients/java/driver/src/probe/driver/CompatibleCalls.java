package probe.driver;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;

/**
 * Calls whose signature changed between 0.11 and 4.x, looked up once: {@code Duration} came with 2.0 (KIP-266,
 * KIP-367), the older forms were removed in 3.0 and 4.0.
 */
final class CompatibleCalls {
    private static final Call POLL = Call.find(KafkaConsumer.class, "poll", ConsumerRecords.class, long.class);
    private static final Call CLOSE_CONSUMER =
            Call.find(KafkaConsumer.class, "close", void.class, long.class, TimeUnit.class);
    private static final Call CLOSE_PRODUCER =
            Call.find(KafkaProducer.class, "close", void.class, long.class, TimeUnit.class);

    private CompatibleCalls() {}

    @SuppressWarnings("unchecked") // the records have the types of the consumer
    static <K, V> ConsumerRecords<K, V> poll(KafkaConsumer<K, V> consumer, Duration timeout) {
        return (ConsumerRecords<K, V>) POLL.on(consumer, timeout);
    }

    static void close(KafkaConsumer<?, ?> consumer, Duration timeout) {
        CLOSE_CONSUMER.on(consumer, timeout);
    }

    static void close(KafkaProducer<?, ?> producer, Duration timeout) {
        CLOSE_PRODUCER.on(producer, timeout);
    }

    /** A method that takes a Duration, or its older form with milliseconds. */
    private record Call(MethodHandle handle, int arguments, boolean modern) {
        static Call find(Class<?> type, String name, Class<?> result, Class<?>... older) {
            MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            try {
                try {
                    MethodType modern = MethodType.methodType(result, Duration.class);
                    return new Call(lookup.findVirtual(type, name, modern), 1, true);
                } catch (NoSuchMethodException olderSignature) {
                    MethodType old = MethodType.methodType(result, older);
                    return new Call(lookup.findVirtual(type, name, old), older.length, false);
                }
            } catch (ReflectiveOperationException e) {
                throw new LinkageError(type.getSimpleName() + "." + name + " has no form known to this driver", e);
            }
        }

        Object on(Object target, Duration timeout) {
            try {
                if (modern) {
                    return handle.invoke(target, timeout);
                }
                return arguments == 1 ? handle.invoke(target, timeout.toMillis())
                        : handle.invoke(target, timeout.toMillis(), TimeUnit.MILLISECONDS);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
