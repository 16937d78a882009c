package dev.offsetd.query.typeset;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import java.util.Set;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Values of the JSON text of a type set. Errors name the place of the value that is current. */
final class TypeSetJson {

    /** Longest title, note and name of a group, in UTF-16 units. */
    static final int MAX_TEXT_CHARS = 1_000;

    private static final int MAX_NUMBER_CHARS = 60;

    private final JsonParser in;

    TypeSetJson(JsonParser in) {
        this.in = in;
    }

    JsonToken next() {
        return in.nextToken();
    }

    /** Returns an item, which is not a type set. */
    Item item(String place) {
        require(JsonToken.VALUE_STRING, place, "an item as a string");
        String text = in.getString();
        Item item;
        try {
            item = ItemParser.parse(text);
        } catch (ItemSyntaxException e) {
            throw new TypeSetSyntaxException(
                    place + ", character " + e.position(), HostileText.quote(text), e.expected());
        }
        if (item.setName().isPresent()) {
            throw new TypeSetSyntaxException(
                    place, HostileText.quote(text), "the items of that set: type sets cannot be nested");
        }
        return item;
    }

    /** Returns a string that is not blank, and whose characters are printable apart from line ends and tabs. */
    String text(String place) {
        require(JsonToken.VALUE_STRING, place, "a string");
        String text = in.getString();
        if (text.isBlank() || text.length() > MAX_TEXT_CHARS) {
            throw new TypeSetSyntaxException(
                    place, HostileText.quote(text), "1 to " + MAX_TEXT_CHARS + " characters, not only spaces");
        }
        int[] characters = text.codePoints().toArray();
        for (int i = 0; i < characters.length; i++) {
            if (!HostileText.isPrintable(characters[i]) && "\t\n\r".indexOf(characters[i]) < 0) {
                throw new TypeSetSyntaxException(
                        place + ", character " + (i + 1),
                        HostileText.quote(Character.toString(characters[i])),
                        "no character that controls the text around it, and no half of a surrogate pair");
            }
        }
        return text;
    }

    /** Returns an integer of at most this absolute value. */
    long integer(String place, long most) {
        if (in.currentToken() == JsonToken.VALUE_NUMBER_INT
                && in.getNumberType() != JsonParser.NumberType.BIG_INTEGER
                && in.getLongValue() >= -most
                && in.getLongValue() <= most) {
            return in.getLongValue();
        }
        throw unexpected(place, "an integer from " + -most + " to " + most);
    }

    /** Returns the name of the next property; its value is the current token. */
    String property(String place, Set<String> given) {
        String name = in.currentName();
        if (!given.add(name)) {
            throw new TypeSetSyntaxException(place + HostileText.quote(name), "given twice", "it once");
        }
        in.nextToken();
        return name;
    }

    static TypeSetSyntaxException unknown(String place, String property, String expected) {
        return new TypeSetSyntaxException(place + HostileText.quote(property), "unknown property", expected);
    }

    void require(JsonToken token, String place, String expected) {
        if (in.currentToken() != token) {
            throw unexpected(place, expected);
        }
    }

    TypeSetSyntaxException unexpected(String place, String expected) {
        JsonToken token = in.currentToken();
        String found = switch (token) {
            case null -> "nothing";
            case START_OBJECT -> "an object";
            case START_ARRAY -> "an array";
            case VALUE_STRING -> HostileText.quote(in.getString());
            // A number is as long as the parser permits.
            default -> in.getString().substring(0, Math.min(in.getString().length(), MAX_NUMBER_CHARS));
        };
        return new TypeSetSyntaxException(place, found, expected);
    }
}
