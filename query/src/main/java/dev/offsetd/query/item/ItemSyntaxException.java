package dev.offsetd.query.item;

import dev.offsetd.extractor.input.HostileText;

/** Thrown for an item that cannot be parsed, or a list of items that is empty or too long. */
public class ItemSyntaxException extends RuntimeException {

    private final int itemNumber;
    private final int position;
    private final String text;
    private final String expected;

    /**
     * @param itemNumber the number of the item in the query, from 1
     * @param position the character where parsing failed, from 1; one past the last if the item ended too soon
     * @param text the item as sent
     */
    public ItemSyntaxException(int itemNumber, int position, String text, String expected) {
        super("item " + itemNumber + " " + HostileText.quote(text) + ", character " + position + ": expected "
                + expected);
        this.itemNumber = itemNumber;
        this.position = position;
        this.text = text;
        this.expected = expected;
    }

    /** Returns the number of the item in the query, from 1. */
    public int itemNumber() {
        return itemNumber;
    }

    /** Returns the character where parsing failed, from 1. */
    public int position() {
        return position;
    }

    /** Returns the item as sent: untrusted text, not escaped. */
    public String text() {
        return text;
    }

    public String expected() {
        return expected;
    }
}
