package probe.driver;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;

/**
 * Calls whose signature changed between 0.9 and 4.x, looked up once: {@code Collection} came with 0.10 (KIP-45), a time
 * limit of the consumer's close with 0.10.2 (KIP-102), {@code Duration} with 2.0 (KIP-266, KIP-367); the older forms of
 * the last were removed in 3.0 and 4.0.
 */
final class CompatibleCalls {
    private static final Form LIMIT = new Form(UnaryOperator.identity(), Duration.class);
    private static final Form MILLISECONDS =
            new Form(given -> new Object[] {millis(given), TimeUnit.MILLISECONDS}, long.class, TimeUnit.class);
    private static final Call POLL = Call.find(KafkaConsumer.class, "poll",
            LIMIT, new Form(given -> new Object[] {millis(given)}, long.class));
    private static final Call CLOSE_CONSUMER = Call.find(KafkaConsumer.class, "close",
            LIMIT, MILLISECONDS, new Form(given -> new Object[0]));
    private static final Call CLOSE_PRODUCER = Call.find(KafkaProducer.class, "close", LIMIT, MILLISECONDS);
    private static final Call ASSIGN = Call.find(KafkaConsumer.class, "assign",
            new Form(UnaryOperator.identity(), Collection.class), new Form(UnaryOperator.identity(), List.class));
    private static final Call SUBSCRIBE = Call.find(KafkaConsumer.class, "subscribe",
            new Form(UnaryOperator.identity(), Collection.class, ConsumerRebalanceListener.class),
            new Form(UnaryOperator.identity(), List.class, ConsumerRebalanceListener.class));
    private static final Call SEEK_TO_BEGINNING = Call.find(KafkaConsumer.class, "seekToBeginning",
            new Form(UnaryOperator.identity(), Collection.class),
            new Form(given -> new Object[] {((Collection<?>) given[0]).toArray(new TopicPartition[0])},
                    TopicPartition[].class));

    private CompatibleCalls() {}

    @SuppressWarnings("unchecked") // the records have the types of the consumer
    static <K, V> ConsumerRecords<K, V> poll(KafkaConsumer<K, V> consumer, Duration timeout) {
        return (ConsumerRecords<K, V>) POLL.on(consumer, timeout);
    }

    /** Before 0.10.2 a consumer's close has no time limit. */
    static void close(KafkaConsumer<?, ?> consumer, Duration timeout) {
        CLOSE_CONSUMER.on(consumer, timeout);
    }

    static void close(KafkaProducer<?, ?> producer, Duration timeout) {
        CLOSE_PRODUCER.on(producer, timeout);
    }

    static void assign(KafkaConsumer<?, ?> consumer, List<TopicPartition> partitions) {
        ASSIGN.on(consumer, partitions);
    }

    static void subscribe(KafkaConsumer<?, ?> consumer, List<String> topics, ConsumerRebalanceListener listener) {
        SUBSCRIBE.on(consumer, topics, listener);
    }

    static void seekToBeginning(KafkaConsumer<?, ?> consumer, List<TopicPartition> partitions) {
        SEEK_TO_BEGINNING.on(consumer, partitions);
    }

    private static long millis(Object[] given) {
        return ((Duration) given[0]).toMillis();
    }

    /** One form of a method: its parameters, and how the arguments of the newest form become theirs. */
    private record Form(UnaryOperator<Object[]> arguments, Class<?>... parameters) {}

    /** The newest form of a method that this version of the library has. */
    private record Call(Method method, Form form) {
        static Call find(Class<?> type, String name, Form... forms) {
            for (Form form : forms) {
                try {
                    return new Call(type.getMethod(name, form.parameters()), form);
                } catch (NoSuchMethodException otherVersion) {
                    // the next form is older
                }
            }
            throw new LinkageError(type.getSimpleName() + "." + name + " has no form known to this driver");
        }

        /** Throws what the library throws. */
        Object on(Object target, Object... given) {
            try {
                return method.invoke(target, form.arguments().apply(given));
            } catch (InvocationTargetException e) {
                if (e.getCause() instanceof RuntimeException thrown) {
                    throw thrown;
                }
                if (e.getCause() instanceof Error thrown) {
                    throw thrown;
                }
                throw new IllegalStateException(e.getCause());
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
