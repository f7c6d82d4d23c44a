package probe.driver;

/**
 * A role, profile or property that this driver, or this version of the library, does not have; the message names the
 * reason.
 */
final class UnsupportedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnsupportedException(String message) {
        super(message);
    }
}
