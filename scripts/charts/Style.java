package charts;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.font.FontRenderContext;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.internal.chartpart.AxesChart;
import org.knowm.xchart.style.AxesChartStyler;

/** What all charts look like: sizes, in pixels of a picture of the design width, fonts, colours and axes. */
final class Style {
    /** Of which all sizes and strokes are meant; a picture of another width is scaled. */
    static final int DESIGN_WIDTH = 900;
    static final int MARGIN = 16;
    static final int AXIS_WIDTH = 68; // the same in every panel, so that their times line up
    static final Font FONT = new Font(Font.SANS_SERIF, Font.PLAIN, 12);
    static final FontRenderContext FONT_CONTEXT = new FontRenderContext(null, true, true);
    /** The colours of Okabe and Ito, which colour-blind people can tell apart. */
    private static final List<Color> COLOURS = Stream.of(0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9)
            .map(Color::new).toList();

    private Style() { }

    static Color colour(int number) {
        return COLOURS.get(number % COLOURS.size());
    }

    static BasicStroke stroke(float width, float... dash) {
        float[] pattern = dash.length == 0 ? null : dash;
        return new BasicStroke(width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1, pattern, 0);
    }

    static double width(String text, Font font) {
        return font.getStringBounds(text, FONT_CONTEXT).getWidth();
    }

    /** A panel over the time from the connection to the end of the last run. */
    static XYChart timePanel(List<Layer> layers, String yTitle) {
        XYChart panel = new XYChart(DESIGN_WIDTH, DESIGN_WIDTH);
        apply(panel);
        panel.setXAxisTitle("seconds since the sender connected");
        panel.setYAxisTitle(yTitle);
        double end = Layer.runs(layers).mapToDouble(Trace::end).max().orElseThrow();
        panel.getStyler().setXAxisMin(0.0).setXAxisMax(Math.max(end, 0.001))
                .setXAxisTickLabelsFormattingFunction(Text::plain).setYAxisTickLabelsFormattingFunction(Text::plain);
        return panel;
    }

    static void apply(AxesChart<?, ?> panel) {
        AxesChartStyler styler = (AxesChartStyler) panel.getStyler();
        styler.setAxisTitleFont(FONT).setAxisTickLabelsFont(FONT).setAxisTickMarksColor(Color.GRAY)
                .setPlotGridLinesColor(new Color(0xE0E0E0)).setPlotGridLinesStroke(stroke(1));
        styler.setLegendVisible(false).setChartBackgroundColor(Color.WHITE).setPlotBorderVisible(false)
                .setChartTitleFont(FONT.deriveFont(Font.BOLD)).setChartPadding(4).setPlotContentSize(0.97)
                .setLocale(Locale.ROOT).setYAxisLeftWidthHint(AXIS_WIDTH);
    }

    /** Makes the vertical axis logarithmic, from a power of ten. */
    static void logarithmic(XYChart panel, double least, double most) {
        panel.getStyler().setYAxisLogarithmic(true).setYAxisMin(Math.pow(10, Math.floor(Math.log10(least))))
                .setYAxisMax(most);
    }
}
