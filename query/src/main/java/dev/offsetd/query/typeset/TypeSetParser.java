package dev.offsetd.query.typeset;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.identity.VariantToken;
import dev.offsetd.extractor.identity.VersionProbe;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.Need;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
 * <p>Section, the name of the set, and no requirement are their defaults; see {@link VersionProbe}. {@code variants} is
 * optional, and each has one {@link VariantToken.Evidence}:
 *
 * <pre>{@code
 *  "variants": [{"token": "yjit", "symbol": "rb_yjit_enabled_p"}, {"token": "debug", "text": "DEBUG: "}]
 * }</pre>
 *
 * <p>{@code versions} is optional, and lists the versions that the set was checked with: {@code ["3.3", "3.4"]}.
 *
 * <p>{@code maps} is optional too; see {@link NameMapParser}. Any other text ends in a {@link TypeSetSyntaxException}.
 */
public final class TypeSetParser {

    /** Syntax of the names of sets. */
    public static final String NAME = "[a-z][a-z0-9_-]{0,63}";

    /** Most probes of a set: they are searched for in every program. */
    static final int MAX_PROBES = 8;

    /** Most variant tokens of a set: each must be known of a program whose layouts others tell. */
    static final int MAX_VARIANTS = 16;

    /** Most versions of a set. */
    static final int MAX_VERSIONS = 64;

    private static final String RETIRED = "retired";
    private static final String PROPERTIES = "name, version, title, versions, items, probes, variants or maps";
    private static final Pattern NAMES = Pattern.compile(NAME);
    private static final Pattern VERSION = Pattern.compile("[0-9]{1,9}(\\.[0-9]{1,9}){0,3}");
    private static final JsonFactory JSON = new JsonFactory();

    private final JsonParser in;
    private final TypeSetJson json;
    private final Set<String> items = new HashSet<>();
    private final Set<String> once = new HashSet<>();

    private TypeSetParser(JsonParser in) {
        this.in = in;
        this.json = new TypeSetJson(in);
    }

    /**
     * Parses a set with its name and version. Whether it is retired where it is kept is not part of it.
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
        if (document.retirement) {
            throw TypeSetJson.unknown("", RETIRED, PROPERTIES);
        }
        return document.set(name, 1);
    }

    /** Properties of the text; null or 0 if absent. */
    private static final class Document {

        private @Nullable String name;
        private int version;

        /** Whether the text says that the set is retired, or that it is not. */
        private boolean retirement;

        private @Nullable String title;
        private @Nullable List<TypeSetEntry> entries;
        private List<Probe> probes = List.of();
        private List<Token> variants = List.of();
        private List<NameMap> maps = List.of();
        private List<String> versions = List.of();

        TypeSet set(String ofName, int ofVersion) {
            if (entries == null) {
                throw missing("items", "an array of items and groups");
            }
            List<VersionProbe> ofSet =
                    probes.stream().map(probe -> probe.ofSet(ofName)).toList();
            List<VariantToken> tokens =
                    variants.stream().map(token -> token.ofSet(ofName)).toList();
            return new TypeSet(ofName, ofVersion, required("title", title), entries, ofSet, tokens, maps, versions);
        }
    }

    /** A probe before the name of its set is known; no project stands for that name. */
    private record Probe(@Nullable String project, String section, String text, String requires) {

        VersionProbe ofSet(String set) {
            return new VersionProbe(set, project == null ? set : project, section, text, requires);
        }
    }

    /** A variant token before the name of its set is known. */
    private record Token(String name, VariantToken.Evidence evidence, String value) {

        VariantToken ofSet(String set) {
            return new VariantToken(set, name, evidence, value);
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
        json.require(JsonToken.START_OBJECT, "the set", "a JSON object");
        Set<String> given = new HashSet<>();
        while (in.nextToken() != JsonToken.END_OBJECT) {
            String property = json.property("", given);
            switch (property) {
                case "name" -> document.name = json.text(property);
                case "version" -> document.version = version();
                case "title" -> document.title = json.text(property);
                case "versions" -> document.versions = versions();
                case "items" -> document.entries = entries();
                case "probes" -> document.probes = probes();
                case "variants" -> document.variants = variants();
                case "maps" -> document.maps = new NameMapParser(json).maps();
                case RETIRED -> document.retirement = retirement();
                default -> throw TypeSetJson.unknown("", property, PROPERTIES);
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
        throw json.unexpected("version", "an integer from 1 to " + Integer.MAX_VALUE);
    }

    private boolean retirement() {
        if (in.currentToken() != JsonToken.VALUE_TRUE && in.currentToken() != JsonToken.VALUE_FALSE) {
            throw json.unexpected(RETIRED, "true or false");
        }
        return true;
    }

    private List<String> versions() {
        json.require(JsonToken.START_ARRAY, "versions", "an array of versions");
        List<String> versions = new ArrayList<>();
        while (in.nextToken() != JsonToken.END_ARRAY) {
            String place = "versions[" + versions.size() + "]";
            if (versions.size() == MAX_VERSIONS) {
                throw new TypeSetSyntaxException(place, "one more", "at most " + MAX_VERSIONS + " versions");
            }
            String version = json.text(place);
            if (!VERSION.matcher(version).matches()) {
                throw new TypeSetSyntaxException(place, HostileText.quote(version), "numbers such as 3.4");
            }
            versions.add(version);
        }
        return versions;
    }

    private List<Probe> probes() {
        json.require(JsonToken.START_ARRAY, "probes", "an array of probes");
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
        json.require(JsonToken.START_OBJECT, place, "an object with \"text\"");
        String project = null;
        String section = VersionProbe.RODATA;
        String text = null;
        String requires = "";
        Set<String> given = new HashSet<>();
        while (in.nextToken() != JsonToken.END_OBJECT) {
            String property = json.property(place + ".", given);
            String at = place + "." + property;
            switch (property) {
                case "project" -> project = json.text(at);
                case "section" -> section = json.text(at);
                case "text" -> text = json.text(at);
                case "requires" -> requires = json.text(at);
                default -> throw TypeSetJson.unknown(place + ".", property, "text, section, project or requires");
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

    private List<Token> variants() {
        json.require(JsonToken.START_ARRAY, "variants", "an array of variant tokens");
        List<Token> variants = new ArrayList<>();
        Set<String> names = new HashSet<>();
        while (in.nextToken() != JsonToken.END_ARRAY) {
            String place = "variants[" + variants.size() + "]";
            if (variants.size() == MAX_VARIANTS) {
                throw new TypeSetSyntaxException(place, "one more", "at most " + MAX_VARIANTS + " variant tokens");
            }
            Token token = variant(place);
            if (!names.add(token.name)) {
                throw new TypeSetSyntaxException(
                        place + ".token", HostileText.quote(token.name) + " given twice", "it once");
            }
            variants.add(token);
        }
        return variants;
    }

    private Token variant(String place) {
        String expected = "\"token\" and one of \"symbol\", \"sizeOf\" and \"text\"";
        json.require(JsonToken.START_OBJECT, place, "an object with " + expected);
        String name = null;
        VariantToken.Evidence evidence = null;
        String value = "";
        Set<String> given = new HashSet<>();
        while (in.nextToken() != JsonToken.END_OBJECT) {
            String property = json.property(place + ".", given);
            if (property.equals("token")) {
                name = json.text(place + ".token");
                continue;
            }
            VariantToken.Evidence named = VariantToken.Evidence.named(property)
                    .orElseThrow(() -> TypeSetJson.unknown(place + ".", property, expected));
            if (evidence != null) {
                throw new TypeSetSyntaxException(place + "." + property, "given too", expected);
            }
            evidence = named;
            value = json.text(place + "." + property);
        }
        if (name == null || evidence == null) {
            throw missing(place, expected);
        }
        Token token = new Token(name, evidence, value);
        try {
            token.ofSet("");
        } catch (IllegalArgumentException e) {
            throw new TypeSetSyntaxException(place, HostileText.quote(name), String.valueOf(e.getMessage()));
        }
        return token;
    }

    private List<TypeSetEntry> entries() {
        json.require(JsonToken.START_ARRAY, "items", "an array of items and groups");
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
        json.require(JsonToken.START_OBJECT, place, "an object with \"item\", or with \"group\" and \"oneOf\"");
        Item item = null;
        String group = null;
        List<List<Item>> oneOf = null;
        Need need = Need.REQUIRED;
        String note = null;
        Set<String> given = new HashSet<>();
        while (in.nextToken() != JsonToken.END_OBJECT) {
            String property = json.property(place + ".", given);
            String at = place + "." + property;
            switch (property) {
                case "item" -> item = item(at);
                case "group" -> group = json.text(at);
                case "oneOf" -> oneOf = oneOf(at);
                case "need" -> need = need(at);
                case "note" -> note = json.text(at);
                default -> throw TypeSetJson.unknown(place + ".", property, "item, group, oneOf, need or note");
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
        String word = json.text(place);
        for (Need need : Need.values()) {
            if (need.word().equals(word)) {
                return need;
            }
        }
        throw new TypeSetSyntaxException(place, HostileText.quote(word), "required or optional");
    }

    private List<List<Item>> oneOf(String place) {
        String expected = "an array of alternatives, each an array of items";
        json.require(JsonToken.START_ARRAY, place, expected);
        List<List<Item>> ways = new ArrayList<>();
        while (in.nextToken() != JsonToken.END_ARRAY) {
            String at = place + "[" + ways.size() + "]";
            json.require(JsonToken.START_ARRAY, at, "an array of items");
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
        Item item = json.item(place);
        if (items.add(item.text()) && items.size() > ItemParser.MAX_ITEMS) {
            throw new TypeSetSyntaxException(
                    place,
                    "item " + items.size(),
                    "the end of the set: the limit is " + ItemParser.MAX_ITEMS + " items");
        }
        return item;
    }
}
