package dev.offsetd.server.admin.map;

import java.util.Locale;

/** A rectangle; {@code top} is less than {@code bottom}. */
record Rectangle(double left, double right, double top, double bottom) {

    private static final double INSET = 1;

    double width() {
        return right - left;
    }

    /** Returns whether the other rectangle is as wide, in the same columns. */
    boolean hasColumnsOf(Rectangle other) {
        return left == other.left && right == other.right;
    }

    /** Returns the rectangle from the top of this one to the bottom of the other. */
    Rectangle to(Rectangle below) {
        return new Rectangle(left, right, top, below.bottom);
    }

    /** Returns its outline, inset so that neighbours do not touch, but at least three units wide. */
    String path() {
        double from = left + INSET;
        double to = Math.max(right - INSET, from + 3);
        return String.format(Locale.ROOT, "M%.1f %.1fH%.1fV%.1fH%.1fZ", from, top, to, bottom, from);
    }
}
