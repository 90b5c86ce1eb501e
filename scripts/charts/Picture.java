package charts;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.font.TextLayout;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.List;
import javax.imageio.ImageIO;
import org.knowm.xchart.internal.chartpart.AxesChart;
import results.Comparison;

/** Draws the panels of a chart one below the other, below a head of title and legend. */
public final class Picture {
    /** Width in pixels where none is asked for. */
    public static final int WIDTH = Style.DESIGN_WIDTH;
    private static final int AXIS_TITLE_HEIGHT = 22;
    private static final double SINGLE_PANEL = 350;
    private static final double ONE_OF_MANY = 165;
    private static final double LEAST = 0.8; // of these heights; so much do the titles of the axes take

    private Picture() { }

    /** Draws a chart of comparisons in memory, laid over each other, of the usual size and with the usual title. */
    public static BufferedImage draw(ChartType type, Comparison... comparisons) throws IOException {
        return draw(type, Layer.of(List.of(comparisons)), WIDTH, null, null);
    }

    /**
     * Draws a chart.
     *
     * @param width in pixels
     * @param height in pixels, or null for what suits the width and the chart
     * @param title or null for what was sent, and how it was read
     * @throws FileSystemException with a line for the user: a layer has nothing that this chart shows; the height is
     *     too low; Java finds no font
     */
    public static BufferedImage draw(ChartType type, List<Layer> layers, int width, Integer height, String title)
            throws FileSystemException {
        checkFont();
        List<? extends AxesChart<?, ?>> panels = panels(type, layers);
        String heading = title == null ? type.chart.heading() + sent(layers) : title;
        return draw(new Head(heading, layers, panels), width, height);
    }

    /** Draws the panels below their head; the height is null for what suits the width and the panels. */
    static BufferedImage draw(Head head, int width, Integer height) throws FileSystemException {
        List<? extends AxesChart<?, ?>> panels = head.panels();
        double scale = (double) width / Style.DESIGN_WIDTH;
        double top = head.paint(new BufferedImage(1, 1, BufferedImage.TYPE_INT_RGB).createGraphics());
        double around = top + AXIS_TITLE_HEIGHT + Style.MARGIN;
        double usual = panels.size() == 1 ? SINGLE_PANEL : ONE_OF_MANY;
        int pixels = height == null ? (int) Math.round((around + panels.size() * usual) * scale) : height;
        double panel = (pixels / scale - around) / panels.size();
        double least = LEAST * usual;
        if (panel < least) {
            throw new FileSystemException("--height", null, pixels + " pixels are too low for this chart; at this width"
                    + " it takes " + (int) Math.ceil((around + panels.size() * least) * scale));
        }
        BufferedImage image = new BufferedImage(width, pixels, BufferedImage.TYPE_INT_RGB);
        Graphics2D g = image.createGraphics();
        g.setColor(Color.WHITE);
        g.fillRect(0, 0, width, pixels);
        g.scale(scale, scale);
        head.paint(g);
        g.translate(0, top);
        for (AxesChart<?, ?> each : panels) {
            boolean last = each == panels.get(panels.size() - 1);
            each.paint(g, Style.DESIGN_WIDTH, (int) Math.round(last ? panel + AXIS_TITLE_HEIGHT : panel));
            g.translate(0, Math.round(panel));
        }
        g.dispose();
        return image;
    }

    /** A picture as the bytes of a PNG. */
    public static byte[] png(BufferedImage image) throws IOException {
        ByteArrayOutputStream png = new ByteArrayOutputStream();
        ImageIO.setUseCache(false);
        ImageIO.write(image, "png", png);
        return png.toByteArray();
    }

    /**
     * The panels of a chart; their series hold the data of the layers and are labelled for the legend.
     *
     * @throws FileSystemException with a line for the user: no layer has anything that this chart shows
     */
    public static List<? extends AxesChart<?, ?>> panels(ChartType type, List<Layer> layers)
            throws FileSystemException {
        List<Layer> shown = layers.stream().map(layer -> layer.only(type.chart))
                .filter(layer -> !layer.runs().isEmpty()).toList();
        if (shown.isEmpty()) {
            throw new FileSystemException(layers.get(0).source(), null, type.chart.nothing());
        }
        return type.chart.panels(shown);
    }

    /** What was sent and how it was read, where that is the same in all layers. */
    private static String sent(List<Layer> layers) {
        List<String> all = layers.stream().map(Layer::sent).distinct().toList();
        return all.size() > 1 || all.get(0).isEmpty() ? "" : ": " + all.get(0);
    }

    static void checkFont() throws FileSystemException {
        try {
            new TextLayout("any text", Style.FONT, Style.FONT_CONTEXT);
        } catch (RuntimeException | LinkageError | InternalError e) { // each JDK and each missing part has its own
            throw new FileSystemException("fonts", null, "Java finds none; install fontconfig and a font"
                    + " (Debian: apt install fontconfig fonts-dejavu-core)");
        }
    }
}
