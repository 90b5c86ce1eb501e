package kernel;

/** A run that cannot be predicted in reasonable time; the message says why. */
public class UnpredictableException extends Exception {
    private static final long serialVersionUID = 1;

    UnpredictableException(String message) {
        super(message);
    }
}
