package charts;

import java.awt.Graphics2D;
import java.awt.Shape;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import org.knowm.xchart.style.markers.Marker;

/** Tells senders apart by its shape, and layers: filled for the first, a ring around it for the next. */
final class Symbol extends Marker {
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
            g.setStroke(Style.stroke(1.2f));
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
