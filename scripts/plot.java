///usr/bin/env jbang "$0" "$@" ; exit $?
//DESCRIPTION Draw charts from the files that compare and predict export
//JAVA 17+
//MAIN Plot
//DEPS info.picocli:picocli:4.7.7
//DEPS com.google.code.gson:gson:2.13.2
//DEPS org.knowm.xchart:xchart:4.0.3
//SOURCES cli/Errors.java
//SOURCES cli/FileName.java
//SOURCES results/Comparison.java
//SOURCES results/Csv.java
//SOURCES results/Event.java
//SOURCES results/Events.java
//SOURCES results/Json.java
//SOURCES results/ManyReaders.java
//SOURCES results/OneLine.java
//SOURCES results/OutputFile.java
//SOURCES results/ReadersFile.java
//SOURCES charts/Chart.java
//SOURCES charts/ChartType.java
//SOURCES charts/CpuChart.java
//SOURCES charts/Head.java
//SOURCES charts/Heartbeat.java
//SOURCES charts/Layer.java
//SOURCES charts/ManyReadersChart.java
//SOURCES charts/Picture.java
//SOURCES charts/Points.java
//SOURCES charts/ReadersOverTime.java
//SOURCES charts/Scale.java
//SOURCES charts/Style.java
//SOURCES charts/Symbol.java
//SOURCES charts/Text.java
//SOURCES charts/Timeline.java
//SOURCES charts/Trace.java
//SOURCES charts/Writes.java
//RUNTIME_OPTIONS -Djava.awt.headless=true -XX:+UseSerialGC -XX:TieredStopAtLevel=1

import charts.ChartType;
import charts.Layer;
import charts.ManyReadersChart;
import charts.Picture;
import cli.Errors;
import cli.FileName;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;
import results.OutputFile;
import results.ReadersFile;

/**
 * Draws a chart from comparison files, which {@code compare} and {@code predict} export, and writes it as PNG. Several
 * files are laid over each other, so that a prediction can be held against a measurement.
 *
 * <p>Usage: {@code jbang plot.java --chart timeline compare.json predict.json}. From Java: {@link Picture#draw}.
 */
@Command(name = "plot", version = "plot 1.0", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Draws charts from the files that compare and predict export.")
class Plot implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", arity = "1..*", converter = FileName.class,
            description = "What compare or predict wrote with --export-json; several are laid over each other.")
    List<Path> files;
    @Option(names = "--chart", paramLabel = "CHART", defaultValue = "timeline", converter = ChartName.class,
            description = {"What to draw (default: ${DEFAULT-VALUE}):",
                "timeline: bytes accepted and delivered, the queue between them;",
                "cpu: user and system CPU time of each sender;",
                "writes: when each write returned, and its size;",
                "heartbeat: when each beat ran, and how late;",
                "of compare --readers, readers: what each of the many readers got, for each way to serve them;",
                "scale: CPU time and memory of each way, over the number of readers."})
    Enum<?> chart;
    @Option(names = "--output", paramLabel = "FILE", converter = FileName.class,
            description = "PNG to write, or - for standard output (default: CHART.png).")
    Path output;
    @Option(names = "--width", paramLabel = "PIXELS", defaultValue = "900", converter = Pixels.class,
            description = "Width; text and lines grow with it (default: ${DEFAULT-VALUE}).")
    int width;
    @Option(names = "--height", paramLabel = "PIXELS", converter = Pixels.class,
            description = "Height (default: what suits the width and the chart).")
    Integer height;
    @Option(names = "--title", paramLabel = "TEXT",
            description = "Title (default: the chart, what was sent, and how it was read).")
    String title;
    @Spec
    CommandSpec spec;

    public static void main(String... args) {
        System.exit(Errors.run(new Plot(), args));
    }

    @Override
    public Integer call() throws IOException {
        OutputFile target = OutputFile.of(output == null ? Path.of(chart + ".png") : output, "--output",
                files.toArray(Path[]::new));
        try {
            if (chart instanceof ManyReadersChart readers) {
                Errors.check(spec, files.size() == 1, "--chart " + chart + " takes one file");
                write(target, readers.draw(files.get(0).toString(), ReadersFile.read(files.get(0)), width, height,
                        title));
            } else {
                ChartType type = (ChartType) chart;
                List<Layer> layers = Layer.read(files);
                write(target, Picture.draw(type, layers, width, height, title));
                layers.stream().flatMap(layer -> layer.gaps(type).stream())
                        .forEach(gap -> System.err.println(spec.name() + ": " + gap + "; left out"));
            }
        } catch (OutOfMemoryError e) {
            throw Errors.problem("--width", "not enough memory for so large a picture or file");
        }
        return CommandLine.ExitCode.OK;
    }

    private static void write(OutputFile target, BufferedImage picture) throws IOException {
        byte[] png = Picture.png(picture);
        target.write(out -> out.write(png));
    }

    static class ChartName implements ITypeConverter<Enum<?>> {
        @Override
        public Enum<?> convert(String text) {
            return charts().filter(chart -> chart.toString().equals(text)).findFirst()
                    .orElseThrow(() -> new TypeConversionException("'" + text + "' is not a chart: " + names()));
        }

        private static Stream<? extends Enum<?>> charts() {
            return Stream.concat(Stream.of(ChartType.values()), Stream.of(ManyReadersChart.values()));
        }

        private static String names() {
            return charts().map(Enum::toString).collect(Collectors.joining(", "))
                    .replaceFirst(", (\\w+)$", " or $1");
        }
    }

    static class Pixels implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            if (text.matches("\\d{3,5}") && Integer.parseInt(text) >= 100 && Integer.parseInt(text) <= 10_000) {
                return Integer.valueOf(text);
            }
            throw new TypeConversionException("'" + text + "' is not a number of pixels from 100 to 10000");
        }
    }
}
