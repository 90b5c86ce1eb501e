package charts;

import java.util.List;
import org.knowm.xchart.XYChart;

/** When each write returned, and its size. */
final class Writes implements Chart {
    @Override
    public String heading() {
        return "Size of each write";
    }

    @Override
    public String data() {
        return "writes";
    }

    @Override
    public boolean shows(Trace run) {
        return run.has("wrote");
    }

    @Override
    public List<XYChart> panels(List<Layer> layers) {
        double[] sizes = Layer.runs(layers).flatMap(run -> run.steps("wrote"))
                .mapToDouble(Trace.Step::bytes).sorted().toArray();
        Text.Unit unit = Text.Unit.of(sizes[sizes.length - 1]);
        XYChart panel = Style.timePanel(layers, "size of a write (" + unit.name() + ", logarithmic)");
        Points.scatter(panel, layers, "wrote", step -> step.bytes() / unit.bytes(), Layer::writeCount);
        Style.logarithmic(panel, sizes[0] / unit.bytes(), 2 * sizes[sizes.length - 1] / unit.bytes());
        return List.of(panel);
    }
}
