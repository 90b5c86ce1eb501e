package charts;

import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Line2D;
import java.awt.geom.Rectangle2D;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.knowm.xchart.internal.chartpart.AxesChart;
import org.knowm.xchart.internal.chartpart.RenderableSeries.LegendRenderType;
import org.knowm.xchart.internal.series.MarkerSeries;

/** The title and one legend for all panels, a row a layer, which XChart's cannot. */
record Head(String title, List<Layer> layers, List<? extends AxesChart<?, ?>> panels) {
    private static final int ROW = 20;
    private static final int SAMPLE = 26;
    private static final int INDENT = SAMPLE + 6; // of the text after its sample

    /** Paints it at the top of a picture of the design width; the height that it takes. */
    double paint(Graphics2D g) {
        g.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        g.setRenderingHint(RenderingHints.KEY_FRACTIONALMETRICS, RenderingHints.VALUE_FRACTIONALMETRICS_ON);
        Font titleFont = Style.FONT.deriveFont(Font.BOLD, 15);
        double fit = Math.min(1,
                (Style.DESIGN_WIDTH - 2 * Style.MARGIN) / Math.max(1, Style.width(title, titleFont)));
        double y = Style.MARGIN + 14;
        paintText(g, title, titleFont.deriveFont((float) (15 * fit)), Style.MARGIN, y);
        Font labelFont = Style.FONT.deriveFont(Font.BOLD);
        double left = Style.MARGIN + 14 + layers.stream()
                .mapToDouble(layer -> Style.width(layer.shortLabel(), labelFont)).max().orElseThrow();
        for (Layer layer : layers) {
            Map<String, MarkerSeries> legend = legend(layer);
            if (!legend.isEmpty()) {
                y += ROW;
                paintText(g, layer.shortLabel(), labelFont, Style.MARGIN, y);
                y = paintLegend(g, legend, left, y);
            }
        }
        return y + 6;
    }

    /** The series of a layer, each label once, lines before areas. */
    private Map<String, MarkerSeries> legend(Layer layer) {
        Map<String, MarkerSeries> legend = new LinkedHashMap<>();
        panels.stream().flatMap(panel -> panel.getSeriesCollection().stream()).filter(layer::owns)
                .sorted(Comparator.comparing(series -> series.getLegendRenderType() == LegendRenderType.Box))
                .forEach(series -> legend.putIfAbsent(series.getLabel(), (MarkerSeries) series));
        return legend;
    }

    /** In as many rows as it takes; the place of the last. */
    private static double paintLegend(Graphics2D g, Map<String, MarkerSeries> legend, double left, double top) {
        double x = left;
        double y = top;
        for (Map.Entry<String, MarkerSeries> entry : legend.entrySet()) {
            double textWidth = Style.width(entry.getKey(), Style.FONT);
            if (x > left && x + INDENT + textWidth > Style.DESIGN_WIDTH - Style.MARGIN) {
                x = left;
                y += ROW;
            }
            paintSample(g, entry.getValue(), x, y - 4);
            paintText(g, entry.getKey(), Style.FONT, x + INDENT, y);
            x += INDENT + textWidth + 20;
        }
        return y;
    }

    private static void paintText(Graphics2D g, String text, Font font, double x, double y) {
        g.setColor(Color.BLACK);
        g.setFont(font);
        g.drawString(text, (float) x, (float) y);
    }

    private static void paintSample(Graphics2D g, MarkerSeries series, double x, double y) {
        LegendRenderType type = series.getLegendRenderType();
        if (type == LegendRenderType.Scatter) {
            g.setColor(series.getMarkerColor());
            series.getMarker().paint(g, x + 13, y, 8);
        } else if (type == LegendRenderType.Line) {
            g.setColor(series.getLineColor());
            g.setStroke(series.getLineStyle());
            g.draw(new Line2D.Double(x, y, x + SAMPLE, y));
        } else {
            g.setColor(series.getFillColor());
            g.fill(new Rectangle2D.Double(x, y - 6, SAMPLE, 12));
        }
    }
}
