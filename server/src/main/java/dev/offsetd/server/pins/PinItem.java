package dev.offsetd.server.pins;

import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.query.item.Alternative;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.codec.digest.DigestUtils;

/**
 * The item of a pin: a type, or a member path.
 *
 * @param spelling the canonical text: without spaces, quotes and {@code struct}
 * @param isPath whether it names a member; the name of a type with dots is written in quotes
 */
record PinItem(Item item, String spelling, boolean isPath) {

    private static final String EXPECTED = "expected a type or a member path, such as \"T\" or \"T.member\"";

    /**
     * Parses the item of a pin.
     *
     * @throws IllegalArgumentException if it cannot be pinned; the message says why
     */
    static PinItem of(String text) {
        Item item;
        try {
            item = ItemParser.parse(text);
        } catch (ItemSyntaxException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        if (item.alternatives().size() > 1) {
            throw new IllegalArgumentException("has " + item.alternatives().size() + " alternatives; " + EXPECTED);
        }
        if (!(item.alternatives().getFirst() instanceof Alternative.TypePath path)) {
            throw new IllegalArgumentException("names no type; " + EXPECTED);
        }
        if (path.variable()) {
            throw new IllegalArgumentException("names a variable; " + EXPECTED);
        }
        List<String> names = new ArrayList<>(path.parts());
        for (Alternative.PathStep step : path.steps()) {
            switch (step) {
                case Alternative.PathStep.MemberStep(String name) -> names.add(name);
                case Alternative.PathStep.IndexStep(long index) ->
                    throw new IllegalArgumentException("has the index [" + index + "]; " + EXPECTED);
                case Alternative.PathStep.PointerStep _ ->
                    throw new IllegalArgumentException("follows a pointer; " + EXPECTED);
            }
        }
        return new PinItem(item, TypeNames.normalize(String.join(".", names)), names.size() > 1);
    }

    /** Returns the SHA-256 of the spelling. */
    byte[] key() {
        return DigestUtils.sha256(spelling);
    }
}
