package dev.offsetd.query.typeset;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.VersionProbe;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.item.Need;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;

/**
 * Parser of type sets:
 *
 * <pre>{@code
 * {"name": "ruby", "version": 1, "title": "Stacks of Ruby threads",
 *  "items": [
 *    {"item": "rb_control_frame_struct.pc"},
 *    {"item": "rb_method_definition_struct.type", "need": "optional", "note": "bit-field"},
 *    {"group": "current frame", "oneOf": [["_ts.current_frame"], ["_ts.cframe", "_PyCFrame.current_frame"]]}]}
 * }</pre>
 *
 * {@code need} is {@code required} by default. {@code probes} is optional:
 *
 * <pre>{@code
 *  "probes": [{"text": "ruby {version} (", "section": ".rodata", "project": "ruby", "requires": ""}]
 * }</pre>
 *
 * <p>Section, the name of the set, and no requirement are their defaults; see {@link VersionProbe}. Any other text ends in a {@link TypeSetSyntaxException}.
 */
public final class TypeSetParser {

    /** Syntax of the names of sets. */
    public static final String NAME = "[a-z][a-z0-9_-]{0,63}";

    /** Longest title, note and name of a group, in UTF-16 units. */
    static final int MAX_TEXT_CHARS = 1_000;

    /** Most probes of a set: they are searched for in every program. */
    static final int MAX_PROBES = 8;

    private static final Pattern NAMES = Pattern.compile(NAME);
    private static final JsonFactory JSON = new JsonFactory();

    private final JsonParser in;
    private final Set<String> items = new HashSet<>();
    private final Set<String> once = new HashSet<>();

    private TypeSetParser(JsonParser in) {
        this.in = in;
    }

    /**
     * Parses a set with its name and version.
     *
     * @param json UTF-8
     * @throws TypeSetSyntaxException if the text is not a type set
     */
    public static TypeSet parse(byte[] json) {
        Document document = document(json);
        String name = required("name", document.name);
        if (!NAMES.matcher(name).matches()) {
            throw new TypeSetSyntaxException("name", HostileText.quote(name), NAME);
        }
        if (document.version == 0) {
            throw missing("version", "an integer of at least 1");
        }
        return document.set(name, document.version);
    }

    /**
     * Parses a set without a version, as its author sends it; it has version 1.
     *
     * @param name the name of the set; the text may repeat it, but not have another
     * @param json UTF-8
     * @throws TypeSetSyntaxException if the text is not a type set
     */
    public static TypeSet parseNew(String name, byte[] json) {
        Document document = document(json);
        if (document.name != null && !document.name.equals(name)) {
            throw new TypeSetSyntaxException(
                    "name", HostileText.quote(document.name), HostileText.quote(name) + ", or no name");
        }
        if (document.version != 0) {
            throw new TypeSetSyntaxException(
                    "version",
                    Integer.toString(document.version),
                    "no version: changes are counted where sets are kept");
        }
        return document.set(name, 1);
    }

    /** Properties of the text; null or 0 if absent. */
    private static final class Document {

        private @Nullable String name;
        private int version;
        private @Nullable String title;
        private @Nullable List<TypeSetEntry> entries;
        private List<Probe> probes = List.of();

        TypeSet set(String ofName, int ofVersion) {
            if (entries == null) {
                throw missing("items", "an array of items and groups");
            }
            List<VersionProbe> ofSet =
                    probes.stream().map(probe -> probe.ofSet(ofName)).toList();
            return new TypeSet(ofName, ofVersion, required("title", title), entries, ofSet);
        }
    }

    /** A probe before the name of its set is known; no project stands for that name. */
    private record Probe(@Nullable String project, String section, String text, String requires) {

        VersionProbe ofSet(String set) {
            return new VersionProbe(set, project == null ? set : project, section, text, requires);
        }
    }

    private static String required(String property, @Nullable String value) {
        if (value == null) {
            throw missing(property, "a string");
        }
        return value;
    }

    private static TypeSetSyntaxException missing(String place, String expected) {
        return new TypeSetSyntaxException(place, "missing", expected);
    }

    private static Document document(byte[] json) {
        try (JsonParser in = JSON.createParser(ObjectReadContext.empty(), json)) {
            return document(in);
        } catch (JacksonException e) {
            TypeSetSyntaxException refused =
                    new TypeSetSyntaxException(at(e.getLocation()), "not JSON", "a type set as a JSON object in UTF-8");
            throw located(refused, e.getLocation());
        }
    }

    private static Document document(JsonParser in) {
        try {
            in.nextToken();
            Document document = new TypeSetParser(in).document();
            if (in.nextToken() != null) {
                throw new TypeSetSyntaxException(at(in.currentTokenLocation()), "more text", "the end of the set");
            }
            return document;
        } catch (TypeSetSyntaxException e) {
            throw located(e, in.currentTokenLocation());
        }
    }

    private static TypeSetSyntaxException located(
            TypeSetSyntaxException refused, @Nullable TokenStreamLocation location) {
        return location == null || location.getLineNr() < 1
                ? refused
                : refused.at(location.getLineNr(), location.getColumnNr());
    }

    private static String at(@Nullable TokenStreamLocation location) {
        return location == null ? "the text" : "line " + location.getLineNr() + ", column " + location.getColumnNr();
    }

    private Document document() {
        Document document = new Document();
        require(JsonToken.START_OBJECT, "the set", "a JSON object");
        Set<String> given = new HashSet<>();
        while (in.nextToken() != JsonToken.END_OBJECT) {
            String property = property("", given);
            switch (property) {
                case "name" -> document.name = text(property);
                case "version" -> document.version = version();
                case "title" -> document.title = text(property);
                case "items" -> document.entries = entries();
                case "probes" -> document.probes = probes();
                default -> throw unknown("", property, "name, version, title, items or probes");
            }
        }
        return document;
    }

    private int version() {
        if (in.currentToken() == JsonToken.VALUE_NUMBER_INT
                && in.getNumberType() == JsonParser.NumberType.INT
                && in.getIntValue() > 0) {
            return in.getIntValue();
        }
        throw unexpected("version", "an integer from 1 to " + Integer.MAX_VALUE);
    }

    private List<Probe> probes() {
        require(JsonToken.START_ARRAY, "probes", "an array of probes");
        List<Probe> probes = new ArrayList<>();
        while (in.nextToken() != JsonToken.END_ARRAY) {
            String place = "probes[" + probes.size() + "]";
            if (probes.size() == MAX_PROBES) {
                throw new TypeSetSyntaxException(place, "one more", "at most " + MAX_PROBES + " probes");
            }
            probes.add(probe(place));
        }
        return probes;
    }

    private Probe probe(String place) {
        require(JsonToken.START_OBJECT, place, "an object with \"text\"");
        String project = null;
        String section = VersionProbe.RODATA;
        String text = null;
        String requires = "";
        Set<String> given = new HashSet<>();
        while (in.nextToken() != JsonToken.END_OBJECT) {
            String property = property(place + ".", given);
            String at = place + "." + property;
            switch (property) {
                case "project" -> project = text(at);
                case "section" -> section = text(at);
                case "text" -> text = text(at);
                case "requires" -> requires = text(at);
                default -> throw unknown(place + ".", property, "text, section, project or requires");
            }
        }
        if (text == null) {
            throw missing(place + ".text", "the text that has the version");
        }
        Probe probe = new Probe(project, section, text, requires);
        try {
            probe.ofSet("");
        } catch (IllegalArgumentException e) {
            throw new TypeSetSyntaxException(place, HostileText.quote(text), String.valueOf(e.getMessage()));
        }
        return probe;
    }

    private List<TypeSetEntry> entries() {
        require(JsonToken.START_ARRAY, "items", "an array of items and groups");
        List<TypeSetEntry> entries = new ArrayList<>();
        while (in.nextToken() != JsonToken.END_ARRAY) {
            entries.add(entry("items[" + entries.size() + "]"));
        }
        if (entries.isEmpty()) {
            throw new TypeSetSyntaxException("items", "empty", "at least one item");
        }
        return entries;
    }

    private TypeSetEntry entry(String place) {
        require(JsonToken.START_OBJECT, place, "an object with \"item\", or with \"group\" and \"oneOf\"");
        Item item = null;
        String group = null;
        List<List<Item>> oneOf = null;
        Need need = Need.REQUIRED;
        String note = null;
        Set<String> given = new HashSet<>();
        while (in.nextToken() != JsonToken.END_OBJECT) {
            String property = property(place + ".", given);
            String at = place + "." + property;
            switch (property) {
                case "item" -> item = item(at);
                case "group" -> group = text(at);
                case "oneOf" -> oneOf = oneOf(at);
                case "need" -> need = need(at);
                case "note" -> note = text(at);
                default -> throw unknown(place + ".", property, "item, group, oneOf, need or note");
            }
        }
        if (item != null && group == null && oneOf == null) {
            requireFirst(item.text(), place + ".item", "an item that the set does not list yet");
            return new TypeSetEntry.SingleEntry(item, need, note);
        }
        if (item == null && group != null && oneOf != null) {
            // Items cannot start with a space, so keys of groups and items never collide.
            requireFirst(" " + group, place + ".group", "a name that no other group has");
            return new TypeSetEntry.GroupEntry(group, need, oneOf, note);
        }
        throw new TypeSetSyntaxException(
                place,
                "it has " + String.join(", ", given.stream().sorted().toList()),
                "\"item\", or \"group\" and \"oneOf\"");
    }

    private void requireFirst(String key, String place, String expected) {
        if (!once.add(key)) {
            throw new TypeSetSyntaxException(place, HostileText.quote(key.strip()) + " again", expected);
        }
    }

    private Need need(String place) {
        String word = text(place);
        for (Need need : Need.values()) {
            if (need.word().equals(word)) {
                return need;
            }
        }
        throw new TypeSetSyntaxException(place, HostileText.quote(word), "required or optional");
    }

    private List<List<Item>> oneOf(String place) {
        String expected = "an array of alternatives, each an array of items";
        require(JsonToken.START_ARRAY, place, expected);
        List<List<Item>> ways = new ArrayList<>();
        while (in.nextToken() != JsonToken.END_ARRAY) {
            String at = place + "[" + ways.size() + "]";
            require(JsonToken.START_ARRAY, at, "an array of items");
            List<Item> way = new ArrayList<>();
            while (in.nextToken() != JsonToken.END_ARRAY) {
                way.add(item(at + "[" + way.size() + "]"));
            }
            if (way.isEmpty()) {
                throw new TypeSetSyntaxException(at, "empty", "at least one item");
            }
            ways.add(way);
        }
        if (ways.isEmpty()) {
            throw new TypeSetSyntaxException(place, "empty", "at least one alternative");
        }
        return ways;
    }

    private Item item(String place) {
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
        if (items.add(text) && items.size() > ItemParser.MAX_ITEMS) {
            throw new TypeSetSyntaxException(
                    place,
                    "item " + items.size(),
                    "the end of the set: the limit is " + ItemParser.MAX_ITEMS + " items");
        }
        return item;
    }

    private String text(String place) {
        require(JsonToken.VALUE_STRING, place, "a string");
        String text = in.getString();
        if (text.isBlank() || text.length() > MAX_TEXT_CHARS) {
            throw new TypeSetSyntaxException(
                    place, HostileText.quote(text), "1 to " + MAX_TEXT_CHARS + " characters, not only spaces");
        }
        int forbidden = HostileText.firstForbidden(text);
        if (forbidden >= 0) {
            throw new TypeSetSyntaxException(
                    place + ", character " + (text.codePointCount(0, forbidden) + 1),
                    HostileText.quote(text.substring(forbidden, forbidden + 1)),
                    "no control character and no half of a surrogate pair");
        }
        return text;
    }

    /** Returns the name of the next property; its value is the current token. */
    private String property(String place, Set<String> given) {
        String name = in.currentName();
        if (!given.add(name)) {
            throw new TypeSetSyntaxException(place + HostileText.quote(name), "given twice", "it once");
        }
        in.nextToken();
        return name;
    }

    private static TypeSetSyntaxException unknown(String place, String property, String expected) {
        return new TypeSetSyntaxException(place + HostileText.quote(property), "unknown property", expected);
    }

    private void require(JsonToken token, String place, String expected) {
        if (in.currentToken() != token) {
            throw unexpected(place, expected);
        }
    }

    private TypeSetSyntaxException unexpected(String place, String expected) {
        JsonToken token = in.currentToken();
        String found = switch (token) {
            case null -> "nothing";
            case START_OBJECT -> "an object";
            case START_ARRAY -> "an array";
            default -> HostileText.quote(in.getString());
        };
        return new TypeSetSyntaxException(place, found, expected);
    }
}
