package dev.offsetd.query.resolve;

import dev.offsetd.extractor.input.HostileText;

/** An expression that cannot be read. */
public final class ExpressionSyntaxException extends RuntimeException {

    private final int position;

    /**
     * @param text the expression as it was sent
     * @param position the character where reading it failed, counted from 1; one past the last if it ended too soon
     * @param expected what should have stood there
     */
    ExpressionSyntaxException(String text, int position, String expected) {
        super("expression " + HostileText.quote(text) + ", character " + position + ": expected " + expected);
        this.position = position;
    }

    /** The character of the expression where reading it failed, counted from 1. */
    public int position() {
        return position;
    }
}
