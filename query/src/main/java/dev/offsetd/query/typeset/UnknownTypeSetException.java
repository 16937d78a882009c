package dev.offsetd.query.typeset;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.query.item.Item;
import java.util.Collection;

/** Thrown for an item of a type set that does not exist. */
public final class UnknownTypeSetException extends RuntimeException {

    private final int itemNumber;
    private final String text;

    UnknownTypeSetException(int itemNumber, Item item, Collection<String> known) {
        super("item " + itemNumber + " " + HostileText.quote(item.text())
                + ": no type set has this name; expected one of "
                + String.join(
                        ", ", known.stream().map(name -> "@" + name).sorted().toList()));
        this.itemNumber = itemNumber;
        this.text = item.text();
    }

    /** Returns the number of the item among the distinct items of the query, from 1. */
    public int itemNumber() {
        return itemNumber;
    }

    /** Returns the item as sent: untrusted text, not escaped. */
    public String text() {
        return text;
    }
}
