package probe.driver;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.protocol.Errors;

/** Converts an exception of the library to an error of driver.proto. */
final class Failure {
    private static final int TEXT_LIMIT = 500;
    /** A number, since its constant has another name in 0.11. */
    private static final short UNKNOWN = -1;
    /** Present names of renamed errors: NOT_LEADER_FOR_PARTITION until 2.6, UNKNOWN until 1.0. */
    private static final Map<Short, String> RENAMED =
            Map.of((short) 6, "NOT_LEADER_OR_FOLLOWER", UNKNOWN, "UNKNOWN_SERVER_ERROR");

    private Failure() {}

    static probe.driver.v1.Error of(Throwable error) {
        Throwable thrown = unwrapped(error);
        Errors coded = code(thrown);
        return probe.driver.v1.Error.newBuilder()
                .setCode(coded == null ? -1 : coded.code())
                .setName(coded == null ? "" : RENAMED.getOrDefault(coded.code(), coded.name()))
                .setType(thrown.getClass().getSimpleName())
                .setText(shorten(text(thrown)))
                .setRetriable(thrown instanceof RetriableException)
                .build();
    }

    /** The message with those of its causes, as a stack trace names them, each once. */
    private static String text(Throwable thrown) {
        StringBuilder text = new StringBuilder(Objects.requireNonNullElse(thrown.getMessage(), thrown.toString()));
        for (Throwable cause = thrown.getCause(); cause != null; cause = cause.getCause()) {
            String said = Objects.requireNonNullElse(cause.getMessage(), "");
            if (said.isEmpty() || text.indexOf(said) < 0) {
                text.append("; caused by ").append(cause.getClass().getSimpleName()).append(": ").append(said);
            }
        }
        return text.toString();
    }

    static String shorten(String text) {
        return text.length() > TEXT_LIMIT ? text.substring(0, TEXT_LIMIT) + "..." : text;
    }

    /** Futures wrap the exceptions of the library. */
    private static Throwable unwrapped(Throwable error) {
        boolean wrapped = error instanceof CompletionException || error instanceof ExecutionException;
        return wrapped && error.getCause() != null ? error.getCause() : error;
    }

    /** The protocol error of an exception or of its nearest cause; null for an error of the library itself. */
    private static Errors code(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof ApiException) {
                Errors found = Errors.forException(cause);
                if (fromBroker(found, cause)) {
                    return found;
                }
            }
        }
        return null;
    }

    /**
     * The library throws its own TimeoutException for expired records and waits as well, and Errors maps that class to
     * REQUEST_TIMED_OUT; only the broker's error has the protocol's default text. Errors maps exceptions without a code
     * to the unknown server error.
     */
    private static boolean fromBroker(Errors found, Throwable thrown) {
        if (found.code() == UNKNOWN) {
            return thrown instanceof UnknownServerException;
        }
        return !(thrown instanceof TimeoutException)
                || Objects.equals(found.exception().getMessage(), thrown.getMessage());
    }
}
