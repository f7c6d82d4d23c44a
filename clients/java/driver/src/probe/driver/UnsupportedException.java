package probe.driver;

/** Something asked for that this driver, or this version of the library, cannot do; the message says what and why. */
final class UnsupportedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnsupportedException(String message) {
        super(message);
    }
}
