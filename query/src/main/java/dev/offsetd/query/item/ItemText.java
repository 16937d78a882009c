package dev.offsetd.query.item;

/**
 * An item on its way through the parser.
 *
 * @param number counted from 1 over the whole question
 * @param text as it was sent
 */
record ItemText(int number, String text) {

    /** The complaint about what is at {@code index}. */
    ItemSyntaxException error(int index, String expected) {
        return new ItemSyntaxException(number, text.codePointCount(0, index) + 1, text, expected);
    }
}
