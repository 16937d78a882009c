package dev.offsetd.query.item;

/** Thrown for a list of more than {@link ItemParser#MAX_ITEMS} items. */
public final class TooManyItemsException extends ItemSyntaxException {

    TooManyItemsException(int itemNumber, String text) {
        super(itemNumber, 1, text, "the end of the list: the limit is " + ItemParser.MAX_ITEMS + " items");
    }
}
