package dev.offsetd.query.typeset;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.query.item.Item;
import java.util.Collection;

/** An item that asks for a type set that there is not. */
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

    /** The item, counted from 1 over the distinct items that were sent. */
    public int itemNumber() {
        return itemNumber;
    }

    /** The item as it was sent: hostile text, not escaped. */
    public String text() {
        return text;
    }
}
