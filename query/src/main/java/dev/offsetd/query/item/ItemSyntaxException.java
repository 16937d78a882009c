package dev.offsetd.query.item;

import dev.offsetd.extractor.input.HostileText;

/** An item that cannot be read, or a list of items that is empty or too long. */
public final class ItemSyntaxException extends RuntimeException {

    private final int itemNumber;
    private final int position;
    private final String text;
    private final String expected;

    /**
     * @param itemNumber the item, counted from 1 over the whole question
     * @param position the character of the item where reading it failed, counted from 1; one past the last if it ended
     *     too soon
     * @param text the item as it was sent
     * @param expected what should have stood there
     */
    public ItemSyntaxException(int itemNumber, int position, String text, String expected) {
        super("item " + itemNumber + " " + HostileText.quote(text) + ", character " + position + ": expected "
                + expected);
        this.itemNumber = itemNumber;
        this.position = position;
        this.text = text;
        this.expected = expected;
    }

    /** The item, counted from 1 over the whole question. */
    public int itemNumber() {
        return itemNumber;
    }

    /** The character of the item where reading it failed, counted from 1. */
    public int position() {
        return position;
    }

    /** The item as it was sent: hostile text, not escaped. */
    public String text() {
        return text;
    }

    /** What should have stood there. */
    public String expected() {
        return expected;
    }
}
