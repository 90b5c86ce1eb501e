package charts;

import java.awt.image.BufferedImage;
import java.nio.file.FileSystemException;
import java.util.List;
import java.util.Locale;
import org.knowm.xchart.XYChart;
import results.ManyReaders;

/** The charts of one writer and many readers, by the names that they have on the command line. */
public enum ManyReadersChart {
    READERS {
        @Override
        String heading(ManyReaders result) {
            return ReadersOverTime.heading(result);
        }

        @Override
        List<XYChart> panels(ManyReaders result, Layer layer) {
            return ReadersOverTime.panels(result, layer);
        }
    },
    SCALE {
        @Override
        String heading(ManyReaders result) {
            return "CPU time and memory of one writer: " + Text.size(result.settings().size()) + " to each reader";
        }

        @Override
        List<XYChart> panels(ManyReaders result, Layer layer) {
            return Scale.panels(result, layer);
        }
    };

    abstract String heading(ManyReaders result);

    /** At least one, of a result in which something was measured. */
    abstract List<XYChart> panels(ManyReaders result, Layer layer);

    /**
     * Draws it.
     *
     * @param source where the result is from, for errors
     * @param width in pixels
     * @param height in pixels, or null for what suits the width and the chart
     * @param title or null for the usual one
     * @throws FileSystemException with a line for the user: nothing was measured; the height is too low; Java finds no
     *     font
     */
    public BufferedImage draw(String source, ManyReaders result, int width, Integer height, String title)
            throws FileSystemException {
        Picture.checkFont();
        List<XYChart> panels = panels(source, result);
        return Picture.draw(new Head(title == null ? heading(result) : title, List.of(layer(source)), panels), width,
                height);
    }

    /** Draws it in the usual size. */
    public BufferedImage draw(ManyReaders result) throws FileSystemException {
        return draw("readers", result, Picture.WIDTH, null, null);
    }

    /** Its panels, whose series hold the data of the result. */
    public List<XYChart> panels(String source, ManyReaders result) throws FileSystemException {
        ManyReaders measured = new ManyReaders(result.kind(), result.version(), result.machine(), result.settings(),
                result.runs().stream().filter(run -> run.delivery() != null && run.progress() != null).toList());
        if (measured.runs().isEmpty()) {
            throw new FileSystemException(source, null, "has no runs that could be measured");
        }
        return panels(measured, layer(source));
    }

    private static Layer layer(String source) {
        return new Layer(source, "measured", 0, null, List.of());
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
