package stuck;

import java.io.IOException;

/** What it takes to look is not there; the message says what, and what to do. */
public final class CannotLook extends IOException {
    private static final long serialVersionUID = 1;

    public CannotLook(String message) {
        super(message);
    }
}
