///usr/bin/env jbang "$0" "$@" ; exit $?
//DESCRIPTION Draw charts from the files that compare and predict export
//JAVA 17+
//DEPS info.picocli:picocli:4.7.7
//DEPS com.google.code.gson:gson:2.13.2
//DEPS org.knowm.xchart:xchart:4.0.3
//RUNTIME_OPTIONS -Djava.awt.headless=true -XX:+UseSerialGC -XX:TieredStopAtLevel=1

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.Strictness;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.Shape;
import java.awt.font.FontRenderContext;
import java.awt.font.TextLayout;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.text.NumberFormat;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.CategorySeries.CategorySeriesRenderStyle;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.internal.chartpart.AxesChart;
import org.knowm.xchart.internal.chartpart.RenderableSeries.LegendRenderType;
import org.knowm.xchart.internal.series.MarkerSeries;
import org.knowm.xchart.internal.series.Series;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * Draws a chart from comparison files, which {@code compare} and {@code predict} export, and writes it as PNG. Several
 * files are laid over each other, so that a prediction can be held against a measurement.
 *
 * <p>Usage: {@code jbang plot.java --chart timeline compare.json predict.json}. From Java: {@link #draw}.
 *
 * <p>Limits: a sender learns what was accepted when its write returns, so that of a blocking sender shows late and all
 * at once. A beat that is less than a microsecond late, the resolution of the events, is drawn as that late.
 */
@Command(name = "plot", version = "plot 1.0", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Draws charts from the files that compare and predict export.")
class Plot implements Callable<Integer>, IParameterExceptionHandler {
    @Parameters(paramLabel = "FILE", arity = "1..*",
            description = "What compare or predict wrote with --export-json; several are laid over each other.")
    List<Path> files;
    @Option(names = "--chart", paramLabel = "CHART", defaultValue = "timeline", converter = ChartConverter.class,
            description = {"What to draw (default: ${DEFAULT-VALUE}):",
                "timeline: bytes accepted and delivered, the queue between them;",
                "cpu: user and system CPU time of each sender;",
                "writes: when each write returned, and its size;",
                "heartbeat: when each beat ran, and how late."})
    ChartType chart;
    @Option(names = "--output", paramLabel = "FILE",
            description = "PNG to write, or - for standard output (default: CHART.png).")
    String output;
    @Option(names = "--width", paramLabel = "PIXELS", defaultValue = "900", converter = PixelsConverter.class,
            description = "Width; text and lines grow with it (default: ${DEFAULT-VALUE}).")
    int width;
    @Option(names = "--height", paramLabel = "PIXELS", converter = PixelsConverter.class,
            description = "Height (default: what suits the width and the chart).")
    Integer height;
    @Option(names = "--title", paramLabel = "TEXT",
            description = "Title (default: the chart, what was sent, and how it was read).")
    String title;
    @Spec
    CommandSpec spec;

    /** The colours of Okabe and Ito, which colour-blind people can tell apart. */
    private static final List<Color> COLOURS = Stream.of(0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9)
            .map(Color::new).toList();
    private static final List<String> KIT_SENDERS = // of the same colour in every picture
            List.of("blocking-sender", "nonblocking-sender", "poll-sender");
    private static final Set<String> KINDS = Set.of("measured", "predicted");
    private static final Set<String> NOT_SENDING = Set.of("listening", "connected", "closed");
    private static final int DESIGN_WIDTH = 900; // of which sizes and strokes below are meant; the picture is scaled
    private static final int MARGIN = 16;
    private static final int AXIS_WIDTH = 68; // the same in every panel, so that their times line up
    private static final int AXIS_TITLE_HEIGHT = 22;
    private static final Font FONT = new Font(Font.SANS_SERIF, Font.PLAIN, 12);
    private static final FontRenderContext FONT_CONTEXT = new FontRenderContext(null, true, true);
    private static final double MICROSECOND = 1e-6;

    public static void main(String... args) {
        Plot plot = new Plot();
        System.exit(new CommandLine(plot).setParameterExceptionHandler(plot).execute(args));
    }

    @Override
    public Integer call() {
        Path target = "-".equals(output) ? null : Path.of(output == null ? chart + ".png" : output);
        try {
            if (target != null) {
                checkOutput(target);
            }
            List<Source> sources = read(files);
            save(draw(chart, sources, width, height, title), target);
            for (Source source : sources) {
                source.gaps(chart).forEach(gap -> System.err.println(spec.name() + ": " + gap + "; left out"));
            }
            return CommandLine.ExitCode.OK;
        } catch (OutOfMemoryError e) {
            return failed("--width: not enough memory for so large a picture or file");
        } catch (FileSystemException e) {
            return failed(e.getMessage());
        } catch (IOException e) {
            return failed((target == null ? "standard output" : target) + ": " + e.getMessage());
        }
    }

    @Override
    public int handleParseException(ParameterException e, String[] args) {
        System.err.println(spec.name() + ": " + e.getMessage() + " (see --help)");
        return CommandLine.ExitCode.USAGE;
    }

    private int failed(String message) {
        System.err.println(spec.name() + ": " + message);
        return CommandLine.ExitCode.SOFTWARE;
    }

    private void checkOutput(Path target) throws IOException {
        boolean exists = Files.exists(target);
        if (exists && !Files.isRegularFile(target)) {
            throw problem(target, "is not a regular file; choose another --output");
        }
        Path directory = withoutLinks(target).getParent();
        if (!Files.isDirectory(directory)) {
            throw problem(target, "its directory does not exist");
        }
        if (!Files.isWritable(directory) || exists && !Files.isWritable(target)) {
            throw problem(target, "cannot be written to");
        }
        for (Path file : files) {
            if (exists && Files.exists(file) && Files.isSameFile(target, file)) {
                throw problem(target, "is one of the files to draw; choose another --output");
            }
        }
    }

    /** Writes the PNG; a file that is there is replaced in one step, when the new one is complete. */
    private static void save(BufferedImage image, Path target) throws IOException {
        ByteArrayOutputStream png = new ByteArrayOutputStream();
        ImageIO.setUseCache(false);
        ImageIO.write(image, "png", png);
        if (target == null) {
            try (OutputStream out = new FileOutputStream(FileDescriptor.out)) {
                png.writeTo(out);
            }
            return;
        }
        Path replaced = withoutLinks(target);
        Path part = replaced.resolveSibling(".plot-" + ProcessHandle.current().pid() + ".png");
        part.toFile().deleteOnExit();
        Files.write(part, png.toByteArray(), StandardOpenOption.CREATE_NEW);
        Files.move(part, replaced, StandardCopyOption.ATOMIC_MOVE);
    }

    private static Path withoutLinks(Path target) throws IOException {
        return Files.exists(target) ? target.toRealPath() : target.toAbsolutePath();
    }

    private static FileSystemException problem(Path path, String message) {
        return new FileSystemException(path.toString(), null, message);
    }

    // --- the files

    /** Reads comparison files. Their labels are their kinds, with as much of the path as it takes to be distinct. */
    static List<Source> read(List<Path> files) throws IOException {
        List<Source> sources = new ArrayList<>();
        for (Path file : files.stream().distinct().toList()) {
            Comparison comparison = read(file);
            sources.add(new Source(file, comparison.kind, sources.size(), comparison));
        }
        List<Source> named = sources.stream().map(s -> s.labelled(s.label + ", " + s.file.getFileName())).toList();
        List<Source> located = sources.stream().map(s -> s.labelled(s.label + ", " + s.file)).toList();
        return Stream.of(sources, named)
                .filter(some -> some.stream().map(Source::label).distinct().count() == some.size())
                .findFirst().orElse(located);
    }

    private static Comparison read(Path file) throws IOException {
        String wanted = "is not a comparison; make one with compare --export-json or predict --export-json";
        String text;
        try {
            text = Files.readString(file).strip();
        } catch (NoSuchFileException e) {
            throw problem(file, "no such file");
        } catch (AccessDeniedException e) {
            throw problem(file, "cannot be read");
        } catch (FileSystemException e) {
            throw problem(file, e.getReason());
        } catch (CharacterCodingException e) {
            throw problem(file, wanted);
        } catch (IOException e) {
            throw problem(file, e.getMessage());
        }
        if (text.isEmpty()) {
            throw problem(file, "is empty; export it again");
        }
        Gson gson = new GsonBuilder().setStrictness(Strictness.STRICT)
                .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES).create();
        try {
            JsonElement json = gson.fromJson(text, JsonElement.class);
            Header header = gson.fromJson(json, Header.class);
            if (header != null && header.kind != null && header.version != null && header.version > 1) {
                throw problem(file, "has version " + header.version + " of the format, this plot reads version 1;"
                        + " use the plot that came with the script that wrote it");
            }
            Comparison comparison = gson.fromJson(json, Comparison.class);
            if (comparison == null || !comparison.isComplete()) {
                throw problem(file, wanted);
            }
            return comparison;
        } catch (JsonParseException e) {
            boolean cut = text.startsWith("{") && (!text.endsWith("}") || e.getCause() instanceof EOFException);
            throw problem(file, cut ? "ends in the middle; export it again" : wanted);
        }
    }

    // --- drawing

    /**
     * Draws a chart from comparison files.
     *
     * @param width in pixels
     * @param height in pixels, or null for what suits the width and the chart
     * @param title or null for what was sent, and how it was read
     * @throws FileSystemException with a line for the user: a file cannot be read, is no comparison, or has nothing
     *     that this chart shows; the height is too low; Java finds no font
     */
    static BufferedImage draw(ChartType chart, int width, Integer height, String title, Path... files)
            throws IOException {
        return draw(chart, read(List.of(files)), width, height, title);
    }

    private static BufferedImage draw(ChartType chart, List<Source> sources, int width, Integer height, String title)
            throws IOException {
        checkFont();
        List<? extends AxesChart<?, ?>> panels = panels(chart, sources);
        String heading = title == null ? chart.heading + settings(sources) : title;
        double scale = (double) width / DESIGN_WIDTH;
        Graphics2D scratch = new BufferedImage(1, 1, BufferedImage.TYPE_INT_RGB).createGraphics();
        double top = paintHead(scratch, heading, sources, panels);
        double around = top + AXIS_TITLE_HEIGHT + MARGIN;
        double usual = panels.size() == 1 ? 350 : 165;
        int pixels = height == null ? (int) Math.round((around + panels.size() * usual) * scale) : height;
        double panel = (pixels / scale - around) / panels.size();
        double least = 0.8 * usual; // so much do the titles of the axes take
        if (panel < least) {
            throw new FileSystemException("--height", null, pixels + " pixels are too low for this chart; "
                    + "at this width it takes " + (int) Math.ceil((around + panels.size() * least) * scale));
        }
        BufferedImage image = new BufferedImage(width, pixels, BufferedImage.TYPE_INT_RGB);
        Graphics2D g = image.createGraphics();
        g.setColor(Color.WHITE);
        g.fillRect(0, 0, width, pixels);
        g.scale(scale, scale);
        paintHead(g, heading, sources, panels);
        g.translate(0, top);
        for (AxesChart<?, ?> chartPanel : panels) {
            boolean last = chartPanel == panels.get(panels.size() - 1);
            chartPanel.paint(g, DESIGN_WIDTH, (int) Math.round(last ? panel + AXIS_TITLE_HEIGHT : panel));
            g.translate(0, Math.round(panel));
        }
        g.dispose();
        return image;
    }

    private static void checkFont() throws FileSystemException {
        try {
            new TextLayout("any text", FONT, FONT_CONTEXT);
        } catch (RuntimeException | LinkageError | InternalError e) { // each JDK and each missing part has its own
            throw new FileSystemException("fonts", null, "Java finds none; install fontconfig and a font"
                    + " (Debian: apt install fontconfig fonts-dejavu-core)");
        }
    }

    /** Paints the title and one legend for all panels, a row a file, which XChart's cannot; the height of both. */
    private static double paintHead(Graphics2D g, String title, List<Source> sources,
            List<? extends AxesChart<?, ?>> panels) {
        g.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        g.setRenderingHint(RenderingHints.KEY_FRACTIONALMETRICS, RenderingHints.VALUE_FRACTIONALMETRICS_ON);
        Font titleFont = FONT.deriveFont(Font.BOLD, 15);
        double fit = Math.min(1, (DESIGN_WIDTH - 2 * MARGIN) / Math.max(1, width(title, titleFont)));
        double y = MARGIN + 14;
        paintText(g, title, titleFont.deriveFont((float) (15 * fit)), MARGIN, y);
        Font labelFont = FONT.deriveFont(Font.BOLD);
        double left = MARGIN + 14 + sources.stream()
                .mapToDouble(source -> width(source.shortLabel(), labelFont)).max().orElseThrow();
        for (Source source : sources) {
            Map<String, MarkerSeries> legend = new LinkedHashMap<>();
            panels.stream().flatMap(panel -> panel.getSeriesCollection().stream()).filter(source::owns)
                    .sorted(Comparator.comparing(series -> series.getLegendRenderType() == LegendRenderType.Box))
                    .forEach(series -> legend.putIfAbsent(series.getLabel(), (MarkerSeries) series));
            if (legend.isEmpty()) {
                continue;
            }
            y += 20;
            paintText(g, source.shortLabel(), labelFont, MARGIN, y);
            double x = left;
            for (Map.Entry<String, MarkerSeries> entry : legend.entrySet()) {
                double textWidth = width(entry.getKey(), FONT);
                if (x > left && x + 32 + textWidth > DESIGN_WIDTH - MARGIN) {
                    x = left;
                    y += 20;
                }
                paintSample(g, entry.getValue(), x, y - 4);
                paintText(g, entry.getKey(), FONT, x + 32, y);
                x += 32 + textWidth + 20;
            }
        }
        return y + 6;
    }

    private static double width(String text, Font font) {
        return font.getStringBounds(text, FONT_CONTEXT).getWidth();
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
            g.draw(new Line2D.Double(x, y, x + 26, y));
        } else {
            g.setColor(series.getFillColor());
            g.fill(new Rectangle2D.Double(x, y - 6, 26, 12));
        }
    }

    /** What was sent and how it was read, where that is the same in all files. */
    private static String settings(List<Source> sources) {
        List<String> all = sources.stream().map(source -> source.comparison.settings.toString()).distinct().toList();
        return all.size() > 1 || all.get(0).isEmpty() ? "" : ": " + all.get(0);
    }

    // --- the charts

    /** The panels of a chart; their series hold the data of the files and are labelled for the legend. */
    static List<? extends AxesChart<?, ?>> panels(ChartType chart, List<Source> sources) throws FileSystemException {
        List<Source> shown = sources.stream().map(source -> source.only(chart))
                .filter(source -> !source.runs().isEmpty()).toList();
        if (shown.isEmpty()) {
            throw problem(sources.get(0).file, chart.nothing);
        }
        return switch (chart) {
            case TIMELINE -> timeline(shown);
            case CPU -> List.of(cpu(shown));
            case WRITES -> List.of(writes(shown));
            case HEARTBEAT -> List.of(heartbeat(shown));
        };
    }

    private static List<XYChart> timeline(List<Source> sources) {
        double most = runs(sources).mapToDouble(Run::most).max().orElseThrow();
        Unit unit = Unit.of(most);
        List<XYChart> panels = new ArrayList<>();
        for (String sender : senders(sources)) {
            XYChart panel = timePanel(sources, unit.name);
            Source first = sources.stream().filter(source -> !source.runs(sender).isEmpty()).findFirst().orElseThrow();
            panel.setTitle(first.summary(sender) + (sources.size() > 1 ? " (" + first.label + ")" : ""));
            panel.getStyler().setYAxisMin(0.0).setYAxisMax(most / unit.bytes).setXAxisTitleVisible(false);
            for (Source source : sources) {
                addSteps(panel, source, sender, unit);
            }
            panels.add(panel);
        }
        panels.get(panels.size() - 1).getStyler().setXAxisTitleVisible(true);
        return panels;
    }

    /** The first file is drawn in colours, the others as thin broken lines on top of it. */
    private static void addSteps(XYChart panel, Source source, String sender, Unit unit) {
        Points queued = new Points();
        Points delivered = new Points();
        Points accepted = new Points();
        Points failed = new Points();
        for (Run run : source.runs(sender)) {
            delivered.addSteps(run, "received", unit);
            if (run.reportsWrites()) {
                accepted.addSteps(run, "wrote", unit);
                if (source.layer == 0 && queued.isEmpty()) {
                    queued.addQueue(run, unit);
                }
            }
            if (run.error != null) {
                failed.add(run.end(), run.most() / unit.bytes);
            }
        }
        boolean base = source.layer == 0;
        Color over = source.layer == 1 ? Color.BLACK : COLOURS.get((source.layer + 1) % COLOURS.size());
        addLine(panel, queued, XYSeriesRenderStyle.PolygonArea, source,
                source.runs(sender).size() > 1 ? "queued in the kernel, first run" : "queued in the kernel",
                new Color(0x4056B4E9, true), SeriesLines.NONE);
        addLine(panel, accepted, XYSeriesRenderStyle.Step, source, "accepted, as its writes returned",
                base ? COLOURS.get(0) : over, base ? stroke(2.5f) : stroke(1.3f, 6, 4));
        addLine(panel, delivered, XYSeriesRenderStyle.Step, source, "delivered",
                base ? COLOURS.get(1) : over, base ? stroke(2.5f) : stroke(1.3f, 1.3f, 3));
        addMarkers(panel, failed, source, "failed", Color.BLACK, SeriesMarkers.CROSS);
    }

    private static XYChart writes(List<Source> sources) {
        double[] sizes = runs(sources).flatMap(run -> run.events("wrote"))
                .mapToDouble(Event::bytes).sorted().toArray();
        Unit unit = Unit.of(sizes[sizes.length - 1]);
        XYChart panel = timePanel(sources, "size of a write (" + unit.name + ", logarithmic)");
        addScatter(panel, sources, "wrote", event -> event.bytes / unit.bytes, Source::writeCount);
        logarithmic(panel, sizes[0] / unit.bytes, 2 * sizes[sizes.length - 1] / unit.bytes);
        return panel;
    }

    private static XYChart heartbeat(List<Source> sources) {
        XYChart panel = timePanel(sources, "lateness (logarithmic)");
        addScatter(panel, sources, "beat", event -> Math.max(event.late, MICROSECOND), Source::beatCount);
        double worst = panel.getSeriesCollection().stream().mapToDouble(XYSeries::getYMax).max().orElseThrow();
        logarithmic(panel, MICROSECOND, Math.max(2 * worst, 10));
        panel.getStyler().setYAxisTickLabelsFormattingFunction(
                late -> late > MICROSECOND ? duration(late) : "\u2264 " + duration(late));
        return panel;
    }

    /** Figures of the sending thread; where a foreign command reports none, those of the whole process for all. */
    private static CategoryChart cpu(List<Source> sources) {
        boolean threads = runs(sources).allMatch(run -> run.user != null);
        boolean repeated = sources.stream().anyMatch(source -> source.runs().size() > source.senders().size());
        List<String> senders = senders(sources);
        CategoryChart panel = new CategoryChart(DESIGN_WIDTH, DESIGN_WIDTH);
        style(panel);
        panel.setYAxisTitle("CPU seconds of " + (threads ? "the sending thread" : "process with start-up")
                + (repeated ? " (median)" : ""));
        int colour = 0;
        for (Source source : sources) {
            for (boolean system : new boolean[] {false, true}) {
                List<Double> seconds = senders.stream()
                        .map(sender -> source.medianCpu(sender, threads, system)).toList();
                String label = system ? "system" : "user";
                panel.addSeries(source.name(label), senders, seconds)
                        .setChartCategorySeriesRenderStyle(CategorySeriesRenderStyle.Bar)
                        .setFillColor(COLOURS.get(colour++ % COLOURS.size())).setLabel(label);
            }
        }
        double widest = senders.stream().mapToDouble(sender -> width(sender, FONT)).max().orElseThrow();
        boolean fits = senders.size() * (widest + 10) < DESIGN_WIDTH - AXIS_WIDTH;
        double most = panel.getSeriesCollection().stream().mapToDouble(CategorySeries::getYMax).max().orElseThrow();
        panel.getStyler().setLabelsVisible(true).setLabelsPosition(1.1).setLabelsFont(FONT).setAvailableSpaceFill(0.7)
                .setYAxisMin(0.0).setYAxisMax(Math.max(0.1, 1.1 * most)).setYAxisDecimalPattern("0.00")
                .setPlotGridVerticalLinesVisible(false).setXAxisLabelRotation(fits ? 0 : 20);
        return panel;
    }

    private static Stream<Run> runs(List<Source> sources) {
        return sources.stream().flatMap(source -> source.runs().stream());
    }

    /** All senders, in the order of the files. */
    private static List<String> senders(List<Source> sources) {
        return runs(sources).map(Run::sender).distinct().toList();
    }

    private static XYChart timePanel(List<Source> sources, String yTitle) {
        XYChart panel = new XYChart(DESIGN_WIDTH, DESIGN_WIDTH);
        style(panel);
        panel.setXAxisTitle("seconds since the sender connected");
        panel.setYAxisTitle(yTitle);
        double end = runs(sources).mapToDouble(Run::end).max().orElseThrow();
        panel.getStyler().setXAxisMin(0.0).setXAxisMax(Math.max(end, 0.001))
                .setXAxisTickLabelsFormattingFunction(Plot::plain).setYAxisTickLabelsFormattingFunction(Plot::plain);
        return panel;
    }

    private static void style(AxesChart<?, ?> panel) {
        AxesChartStyler styler = (AxesChartStyler) panel.getStyler();
        styler.setAxisTitleFont(FONT).setAxisTickLabelsFont(FONT).setAxisTickMarksColor(Color.GRAY)
                .setPlotGridLinesColor(new Color(0xE0E0E0)).setPlotGridLinesStroke(stroke(1));
        styler.setLegendVisible(false).setChartBackgroundColor(Color.WHITE).setPlotBorderVisible(false)
                .setChartTitleFont(FONT.deriveFont(Font.BOLD)).setChartPadding(4).setPlotContentSize(0.97)
                .setLocale(Locale.ROOT).setYAxisLeftWidthHint(AXIS_WIDTH);
    }

    private static BasicStroke stroke(float width, float... dash) {
        float[] pattern = dash.length == 0 ? null : dash;
        return new BasicStroke(width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1, pattern, 0);
    }

    private static void logarithmic(XYChart panel, double least, double most) {
        panel.getStyler().setYAxisLogarithmic(true).setYAxisMin(Math.pow(10, Math.floor(Math.log10(least))))
                .setYAxisMax(most);
    }

    private static void addScatter(XYChart panel, List<Source> sources, String event, ToDoubleFunction<Event> y,
            BiFunction<Source, String, String> count) {
        List<String> senders = Stream.concat(KIT_SENDERS.stream(), senders(sources).stream()).distinct().toList();
        for (Source source : sources) {
            for (String sender : source.senders()) {
                Points points = new Points();
                source.runs(sender).stream().flatMap(run -> run.events(event))
                        .forEach(e -> points.add(e.time, y.applyAsDouble(e)));
                int number = senders.indexOf(sender);
                Symbol symbol = new Symbol(number, points.x.size() > 100 ? 5 : 9, source.layer);
                addMarkers(panel, points, source, sender + ", " + count.apply(source, sender),
                        COLOURS.get(number % COLOURS.size()), symbol);
            }
        }
    }

    private static void addLine(XYChart panel, Points points, XYSeriesRenderStyle style, Source source, String label,
            Color colour, BasicStroke stroke) {
        if (!points.isEmpty()) {
            XYSeries series = panel.addSeries(source.name(label), points.x, points.y);
            series.setXYSeriesRenderStyle(style).setMarker(SeriesMarkers.NONE);
            series.setLineColor(colour).setLineStyle(stroke).setFillColor(colour).setLabel(label);
        }
    }

    private static void addMarkers(XYChart panel, Points points, Source source, String label, Color colour,
            Marker marker) {
        if (!points.isEmpty()) {
            XYSeries series = panel.addSeries(source.name(label), points.x, points.y);
            series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter);
            series.setMarker(marker).setMarkerColor(colour).setLabel(label);
        }
    }

    private static String shorten(String text, int length) {
        return text.length() > length ? text.substring(0, length) + "\u2026" : text;
    }

    private static String plain(double value) {
        NumberFormat format = NumberFormat.getNumberInstance(Locale.ROOT);
        format.setMaximumFractionDigits(9);
        return format.format(BigDecimal.valueOf(value).round(new MathContext(3)));
    }

    private static String duration(double seconds) {
        return seconds < 1e-3 ? plain(seconds * 1e6) + " \u00b5s"
                : seconds < 1 ? plain(seconds * 1e3) + " ms" : plain(seconds) + " s";
    }

    // --- nested types

    enum ChartType {
        TIMELINE("Accepted and delivered", "bytes", "has no bytes that were accepted or delivered"),
        CPU("CPU time", "CPU time", "has no CPU time; predictions have none"),
        WRITES("Size of each write", "writes", "has no writes"),
        HEARTBEAT("Lateness of each beat", "beats", "has no beats; run compare with --heartbeat");

        private final String heading;
        private final String data;
        private final String nothing;

        ChartType(String heading, String data, String nothing) {
            this.heading = heading;
            this.data = data;
            this.nothing = nothing;
        }

        private boolean shows(Run run) {
            return switch (this) {
                case TIMELINE -> run.most() > 0;
                case CPU -> run.error == null && (run.user != null || run.strategy == null && run.processUser != null);
                case WRITES -> run.events("wrote").findAny().isPresent();
                case HEARTBEAT -> run.events("beat").findAny().isPresent();
            };
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static class ChartConverter implements ITypeConverter<ChartType> {
        @Override
        public ChartType convert(String text) {
            return Stream.of(ChartType.values()).filter(chart -> chart.toString().equals(text)).findFirst()
                    .orElseThrow(() -> new TypeConversionException("'" + text
                            + "' is not a chart: timeline, cpu, writes or heartbeat"));
        }
    }

    static class PixelsConverter implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            if (text.matches("\\d{3,5}") && Integer.parseInt(text) >= 100 && Integer.parseInt(text) <= 10_000) {
                return Integer.valueOf(text);
            }
            throw new TypeConversionException("'" + text + "' is not a number of pixels from 100 to 10000");
        }
    }

    /** A file, the label that tells it from the others, and its number, from 0. */
    record Source(Path file, String label, int layer, Comparison comparison) {
        Source labelled(String newLabel) {
            return new Source(file, newLabel, layer, comparison);
        }

        List<Run> runs() {
            return comparison.runs;
        }

        List<Run> runs(String sender) {
            return comparison.runs.stream().filter(run -> run.sender.equals(sender)).toList();
        }

        List<String> senders() {
            return comparison.runs.stream().map(Run::sender).distinct().toList();
        }

        /** The same with those runs alone that have something to show in this chart. */
        Source only(ChartType chart) {
            List<Run> shown = comparison.runs.stream().filter(chart::shows).toList();
            return new Source(file, label, layer, new Comparison(comparison.kind, 1, comparison.settings, shown));
        }

        /** What this chart cannot show, one line each. */
        List<String> gaps(ChartType chart) {
            List<String> shown = only(chart).senders();
            if (shown.isEmpty()) {
                return List.of(file + ": no " + chart.data + " in it");
            }
            return senders().stream().filter(sender -> !shown.contains(sender))
                    .map(sender -> file + ": no " + chart.data + " of " + sender).toList();
        }

        /** The name of a series, which XChart wants to be distinct. */
        String name(String series) {
            return series + " (" + label + ")";
        }

        boolean owns(Series series) {
            return series.getName().equals(name(series.getLabel()));
        }

        String shortLabel() {
            return shorten(label, 40);
        }

        String writeCount(String sender) {
            long writes = runs(sender).stream().flatMap(run -> run.events("wrote")).count();
            return writes + (writes == 1 ? " write" : " writes");
        }

        String beatCount(String sender) {
            long ran = runs(sender).stream().flatMap(run -> run.events("beat")).count();
            List<Long> due = runs(sender).stream().map(Run::beatsDue).toList();
            return ran + (due.contains(null) ? "" : " of " + due.stream().mapToLong(beats -> beats).sum()) + " beats";
        }

        double medianCpu(String sender, boolean thread, boolean system) {
            double[] seconds = runs(sender).stream().map(run -> run.cpu(thread, system)).filter(Objects::nonNull)
                    .mapToDouble(figure -> figure).sorted().toArray();
            int middle = seconds.length / 2;
            return seconds.length == 0 ? Double.NaN
                    : seconds.length % 2 == 1 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
        }

        /** One line about the runs of a sender. */
        String summary(String sender) {
            List<Run> runs = runs(sender);
            Run first = runs.get(0);
            if (runs.size() > 1) {
                long failed = runs.stream().filter(run -> run.error != null).count();
                return sender + ": " + runs.size() + " runs" + (failed == 0 ? "" : ", " + failed + " failed");
            }
            if (first.error != null) {
                String error = first.error.startsWith(sender) ? first.error : sender + ": " + first.error;
                return shorten(error, 100);
            }
            return sender + ": " + Stream.of(
                    first.reportsWrites() ? writeCount(sender) : null,
                    first.acceptedSeconds == null ? null : "accepted in " + plain(first.acceptedSeconds) + " s",
                    first.deliveredSeconds == null ? null : "delivered in " + plain(first.deliveredSeconds) + " s",
                    Boolean.FALSE.equals(first.intact) ? "not intact" : null)
                    .filter(Objects::nonNull).collect(Collectors.joining(", "));
        }
    }

    /** What is looked at first, as the rest may look different in another version. */
    private record Header(String kind, Integer version) { }

    record Comparison(String kind, Integer version, Settings settings, List<Run> runs) {
        boolean isComplete() {
            return kind != null && KINDS.contains(kind) && version != null && version == 1 && settings != null
                    && runs != null && runs.stream().allMatch(run -> run != null && run.isComplete());
        }
    }

    record Settings(Long size, Long readSize, Double interval) {
        @Override
        public String toString() {
            if (size == null || readSize == null || interval == null) {
                return "";
            }
            return Unit.format(size) + " to a reader that takes " + Unit.format(readSize)
                    + (interval > 0 ? " every " + plain(interval) + " s" : " at a time");
        }
    }

    record Run(String sender, String strategy, String error, Boolean intact, Double acceptedSeconds,
            Double deliveredSeconds, Double user, Double system, Double processUser, Double processSystem,
            Long beatsDue, List<Event> events) {
        boolean isComplete() {
            return sender != null && !sender.isBlank() && events != null
                    && events.stream().allMatch(event -> event != null && event.isComplete());
        }

        Stream<Event> events(String name) {
            return events.stream().filter(event -> event.event.equals(name));
        }

        double sum(String name) {
            return events(name).mapToDouble(Event::bytes).sum();
        }

        double most() {
            return Math.max(sum("wrote"), sum("received"));
        }

        /** The time of the last event but that of closing, before which the receiver paused once more. */
        double end() {
            return events.stream().filter(event -> !NOT_SENDING.contains(event.event))
                    .mapToDouble(Event::time).max().orElse(0);
        }

        /** Foreign commands do not; a sender of this kit that reports none had none accepted. */
        boolean reportsWrites() {
            return strategy != null || events("wrote").findAny().isPresent();
        }

        Double cpu(boolean thread, boolean inSystem) {
            return thread ? inSystem ? system : user : inSystem ? processSystem : processUser;
        }
    }

    record Event(Double time, String event, Long bytes, Double late) {
        boolean isComplete() {
            return time != null && event != null && switch (event) {
                case "wrote", "received" -> bytes != null && bytes > 0;
                case "beat" -> late != null;
                default -> true;
            };
        }
    }

    /** A unit of bytes that gives an axis short numbers. */
    private record Unit(String name, double bytes) {
        private static final List<Unit> ALL = List.of(new Unit("GiB", 1 << 30), new Unit("MiB", 1 << 20),
                new Unit("KiB", 1 << 10), new Unit("bytes", 1));

        static Unit of(double most) {
            return ALL.stream().filter(unit -> most >= 10 * unit.bytes).findFirst().orElse(ALL.get(3));
        }

        static String format(long bytes) {
            Unit unit = ALL.stream().filter(some -> bytes >= some.bytes).findFirst().orElse(ALL.get(3));
            return plain(bytes / unit.bytes) + " " + unit.name;
        }
    }

    /** The data of a series in the making; NaN parts one run from the next. */
    private static class Points {
        private final List<Double> x = new ArrayList<>();
        private final List<Double> y = new ArrayList<>();

        boolean isEmpty() {
            return x.isEmpty();
        }

        void add(double newX, double newY) {
            x.add(newX);
            y.add(newY);
        }

        /** The bytes of these events, summed up, from the beginning to the end of the run. */
        void addSteps(Run run, String event, Unit unit) {
            if (!isEmpty()) {
                add(Double.NaN, Double.NaN);
            }
            double sum = 0;
            add(0, 0);
            for (Event step : run.events(event).toList()) {
                sum += step.bytes;
                add(step.time, sum / unit.bytes);
            }
            add(run.end(), sum / unit.bytes);
        }

        /** The outline of what is accepted and not delivered: forth along the one, and back along the other. */
        void addQueue(Run run, Unit unit) {
            Points back = new Points();
            double accepted = 0;
            double delivered = 0;
            for (Event step : run.events) {
                boolean wrote = step.event.equals("wrote");
                if (wrote || step.event.equals("received")) {
                    add(step.time, Math.max(accepted, delivered) / unit.bytes);
                    back.add(step.time, delivered / unit.bytes);
                    accepted += wrote ? step.bytes : 0;
                    delivered += wrote ? 0 : step.bytes;
                    add(step.time, Math.max(accepted, delivered) / unit.bytes);
                    back.add(step.time, delivered / unit.bytes);
                }
            }
            add(run.end(), Math.max(accepted, delivered) / unit.bytes);
            back.add(run.end(), delivered / unit.bytes);
            for (int i = back.x.size() - 1; i >= 0; i--) {
                add(back.x.get(i), back.y.get(i));
            }
        }
    }

    /** Tells senders apart by its shape, and files: filled for the first, a ring around it for the next. */
    private static class Symbol extends Marker {
        private final int shape;
        private final double radius;
        private final boolean filled;

        Symbol(int shape, int size, int ring) {
            this.shape = shape;
            radius = size * (0.5 + 0.4 * ring);
            filled = ring == 0;
        }

        @Override
        public void paint(Graphics2D g, double x, double y, int ignoredSize) {
            double r = radius;
            Shape outline = switch (shape % 4) {
                case 0 -> new Ellipse2D.Double(x - r, y - r, 2 * r, 2 * r);
                case 1 -> new Rectangle2D.Double(x - r, y - r, 2 * r, 2 * r);
                case 2 -> polygon(x - r, y + r, x + r, y + r, x, y - r);
                default -> polygon(x - r, y, x, y - r, x + r, y, x, y + r);
            };
            if (filled) {
                g.fill(outline);
            } else {
                g.setStroke(stroke(1.2f));
                g.draw(outline);
            }
        }

        private static Shape polygon(double... points) {
            Path2D path = new Path2D.Double();
            path.moveTo(points[0], points[1]);
            for (int i = 2; i < points.length; i += 2) {
                path.lineTo(points[i], points[i + 1]);
            }
            path.closePath();
            return path;
        }
    }
}
