package dev.offsetd.server.admin.map;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A rectangle; {@code top} is less than {@code bottom}. */
record Rectangle(double left, double right, double top, double bottom) {

    private static final double INSET = 1;

    double width() {
        return right - left;
    }

    /** Returns whether the outline can continue straight down into the other rectangle. */
    boolean meets(Rectangle below) {
        return Math.min(right, below.right) - Math.max(left, below.left) > 2 * INSET;
    }

    String path() {
        return outline(List.of(this));
    }

    /** Returns the outline around rectangles each of which {@link #meets} the next. */
    static String outline(List<Rectangle> parts) {
        List<String> down = new ArrayList<>();
        List<String> up = new ArrayList<>();
        Rectangle above = parts.getFirst().inset();
        down.add(point(above.right, above.top));
        up.add(point(above.left, above.top));
        for (Rectangle part : parts.subList(1, parts.size())) {
            Rectangle below = part.inset();
            double rightTurn = above.right > below.right ? above.bottom : below.top;
            double leftTurn = above.left < below.left ? above.bottom : below.top;
            down.add(point(above.right, rightTurn));
            down.add(point(below.right, rightTurn));
            up.add(point(above.left, leftTurn));
            up.add(point(below.left, leftTurn));
            above = below;
        }
        down.add(point(above.right, above.bottom));
        up.add(point(above.left, above.bottom));
        return "M" + String.join("L", down) + "L" + String.join("L", up.reversed()) + "Z";
    }

    /** Returns a smaller rectangle, so that neighbours do not touch, but at least three units wide. */
    private Rectangle inset() {
        return new Rectangle(left + INSET, Math.max(right - INSET, left + INSET + 3), top, bottom);
    }

    private static String point(double x, double y) {
        return String.format(Locale.ROOT, "%.1f %.1f", x, y);
    }
}
