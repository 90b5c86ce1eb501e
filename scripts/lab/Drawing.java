package lab;

import charts.ChartType;
import charts.ManyReadersChart;
import charts.Picture;
import io.github.spencerpark.jupyter.kernel.display.DisplayData;
import io.github.spencerpark.jupyter.kernel.display.DisplayDataRenderable;
import io.github.spencerpark.jupyter.kernel.display.RenderContext;
import io.github.spencerpark.jupyter.kernel.display.mime.MIMEType;
import java.io.IOException;
import java.util.Base64;
import results.Comparison;
import results.ManyReaders;

/**
 * A chart as the output of a cell. A BufferedImage would do, but beside its picture stand its fields and its identity
 * in words, which are others each time that the notebook is stored.
 *
 * @param chart its name, as plot has it
 * @param png the bytes of a PNG
 */
public record Drawing(String chart, byte[] png) implements DisplayDataRenderable {
    /** Draws what plot draws: comparisons laid over each other. */
    static Drawing of(ChartType type, Comparison... comparisons) throws IOException {
        return new Drawing(type.toString(), Picture.png(Picture.draw(type, comparisons)));
    }

    static Drawing of(ManyReadersChart type, ManyReaders runs) throws IOException {
        return new Drawing(type.toString(), Picture.png(type.draw(runs)));
    }

    @Override
    public void render(RenderContext context) {
        DisplayData out = context.getOutputContainer();
        out.putText(toString());
        out.putData(MIMEType.IMAGE_PNG, Base64.getEncoder().encodeToString(png));
    }

    @Override
    public String toString() {
        return chart + " chart";
    }
}
