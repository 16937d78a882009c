package dev.offsetd.query.item;

/**
 * The text of an item for error messages.
 *
 * @param number the number of the item in the query, from 1
 */
record ItemText(int number, String text) {

    /** Returns an error at {@code index}. */
    ItemSyntaxException error(int index, String expected) {
        return new ItemSyntaxException(number, text.codePointCount(0, index) + 1, text, expected);
    }
}
