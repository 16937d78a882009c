package dev.offsetd.query.resolve;

import dev.offsetd.extractor.input.HostileText;

/** Thrown for an expression that cannot be parsed. */
public final class ExpressionSyntaxException extends RuntimeException {

    private final int position;

    /**
     * @param text the expression as sent
     * @param position the character where parsing failed, from 1; one past the last if it ended too soon
     */
    ExpressionSyntaxException(String text, int position, String expected) {
        super("expression " + HostileText.quote(text) + ", character " + position + ": expected " + expected);
        this.position = position;
    }

    /** Returns the character where parsing failed, from 1. */
    public int position() {
        return position;
    }
}
