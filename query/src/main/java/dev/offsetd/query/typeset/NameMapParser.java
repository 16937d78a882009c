package dev.offsetd.query.typeset;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.query.item.ItemParser;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonToken;

/**
 * Parser of the name maps of a type set:
 *
 * <pre>{@code
 *  "maps": {"runtime-data": {"title": "parca's table",
 *    "names": {"cfp_offset": {"offset": "rb_execution_context_struct.cfp"}, "path_flavour": {"constant": 1}},
 *    "oneOf": [{"frame": {"offset": "_ts.frame"}}, {"frame": {"constant": -1}}]}}
 * }</pre>
 *
 * <p>A name has one {@link Measure} of an item, which may have an {@code ifAbsent} beside it; or a constant; or the {@code sum}
 * or {@code product} of two such values. {@code oneOf} is optional.
 */
final class NameMapParser {

    /** Most maps of a set. */
    static final int MAX_MAPS = 16;

    /** Most names of a map, those of all alternatives included. */
    static final int MAX_NAMES = ItemParser.MAX_ITEMS;

    /** Largest absolute value of a constant: every JSON reader has these integers. */
    static final long MAX_CONSTANT = (1L << 53) - 1;

    /** Most sums and products inside each other: a difference is the sum of a value and the product of another and -1. */
    private static final int MAX_DEPTH = 2;

    private static final String NAME = "[A-Za-z_][A-Za-z0-9_]{0,99}";
    private static final Pattern MAPS = Pattern.compile(TypeSetParser.NAME);
    private static final Pattern NAMES = Pattern.compile(NAME + "(\\." + NAME + "){0,3}");
    private static final String VALUE =
            "an object with " + Measure.words() + ", constant, sum or product; ifAbsent beside a measure";
    private static final String CONSTANT = "constant";
    private static final String IF_ABSENT = "ifAbsent";

    private final TypeSetJson json;
    private int count;

    NameMapParser(TypeSetJson json) {
        this.json = json;
    }

    /** Parses the value of {@code maps}, which is current. */
    List<NameMap> maps() {
        json.require(JsonToken.START_OBJECT, "maps", "an object with a name map under each name");
        List<NameMap> maps = new ArrayList<>();
        Set<String> given = new HashSet<>();
        while (json.next() != JsonToken.END_OBJECT) {
            String name = json.property("maps.", given);
            String place = "maps." + name;
            if (!MAPS.matcher(name).matches()) {
                throw new TypeSetSyntaxException("maps", HostileText.quote(name), TypeSetParser.NAME);
            }
            if (maps.size() == MAX_MAPS) {
                throw new TypeSetSyntaxException(place, "one more", "at most " + MAX_MAPS + " maps");
            }
            maps.add(map(name, place));
        }
        return maps;
    }

    private NameMap map(String name, String place) {
        json.require(JsonToken.START_OBJECT, place, "an object with \"title\" and \"names\"");
        count = 0;
        String title = null;
        List<MappedName> names = null;
        List<List<MappedName>> oneOf = List.of();
        Set<String> given = new HashSet<>();
        while (json.next() != JsonToken.END_OBJECT) {
            String property = json.property(place + ".", given);
            String at = place + "." + property;
            switch (property) {
                case "title" -> title = json.text(at);
                case "names" -> names = names(at);
                case "oneOf" -> oneOf = oneOf(at);
                default -> throw TypeSetJson.unknown(place + ".", property, "title, names or oneOf");
            }
        }
        if (title == null) {
            throw new TypeSetSyntaxException(place + ".title", "missing", "a string");
        }
        if (names == null) {
            throw new TypeSetSyntaxException(place + ".names", "missing", "an object with a value under each name");
        }
        requireDistinct(place, names, List.of());
        for (List<MappedName> alternative : oneOf) {
            requireDistinct(place, names, alternative);
        }
        return new NameMap(name, title, names, oneOf);
    }

    private List<List<MappedName>> oneOf(String place) {
        json.require(JsonToken.START_ARRAY, place, "an array of alternatives, each an object like \"names\"");
        List<List<MappedName>> alternatives = new ArrayList<>();
        while (json.next() != JsonToken.END_ARRAY) {
            alternatives.add(names(place + "[" + alternatives.size() + "]"));
        }
        if (alternatives.isEmpty()) {
            throw new TypeSetSyntaxException(place, "empty", "at least one alternative");
        }
        return alternatives;
    }

    private List<MappedName> names(String place) {
        json.require(JsonToken.START_OBJECT, place, "an object with a value under each name");
        List<MappedName> names = new ArrayList<>();
        Set<String> given = new HashSet<>();
        while (json.next() != JsonToken.END_OBJECT) {
            String name = json.property(place + ".", given);
            if (!NAMES.matcher(name).matches()) {
                throw new TypeSetSyntaxException(
                        place, HostileText.quote(name), "C identifiers of at most 100 characters, joined by dots");
            }
            String at = place + "." + name;
            if (++count > MAX_NAMES) {
                throw new TypeSetSyntaxException(at, "name " + count, "at most " + MAX_NAMES + " names in a map");
            }
            names.add(new MappedName(name, source(at, 0)));
        }
        if (names.isEmpty()) {
            throw new TypeSetSyntaxException(place, "empty", "at least one name");
        }
        return names;
    }

    private MappedName.ValueSource source(String place, int depth) {
        json.require(JsonToken.START_OBJECT, place, VALUE);
        MappedName.ValueSource source = null;
        Long ifAbsent = null;
        Set<String> given = new HashSet<>();
        while (json.next() != JsonToken.END_OBJECT) {
            String property = json.property(place + ".", given);
            String at = place + "." + property;
            if (property.equals(IF_ABSENT)) {
                ifAbsent = json.integer(at, MAX_CONSTANT);
                continue;
            }
            if (source != null) {
                throw new TypeSetSyntaxException(at, "one more", "one value");
            }
            source = value(place, property, depth);
        }
        if (source == null) {
            throw new TypeSetSyntaxException(place, "empty", VALUE);
        }
        if (ifAbsent == null) {
            return source;
        }
        if (source instanceof MappedName.ItemSource measured) {
            return new MappedName.ItemSource(measured.measure(), measured.item(), ifAbsent);
        }
        throw new TypeSetSyntaxException(place + "." + IF_ABSENT, "not beside a measure", Measure.words());
    }

    private MappedName.ValueSource value(String place, String property, int depth) {
        String at = place + "." + property;
        if (property.equals(CONSTANT)) {
            return new MappedName.ConstantSource(json.integer(at, MAX_CONSTANT));
        }
        Measure measure = measure(property);
        if (measure != null) {
            MappedName.ItemSource source = new MappedName.ItemSource(measure, json.item(at), null);
            if (!measure.suits(source.item())) {
                throw new TypeSetSyntaxException(
                        at, HostileText.quote(source.item().text()), measure.subject());
            }
            return source;
        }
        for (MappedName.Operation operation : MappedName.Operation.values()) {
            if (operation.word().equals(property) && depth < MAX_DEPTH) {
                return calculation(operation, at, depth + 1);
            }
        }
        throw TypeSetJson.unknown(place + ".", property, VALUE);
    }

    private MappedName.CalculatedSource calculation(MappedName.Operation operation, String place, int depth) {
        json.require(JsonToken.START_ARRAY, place, "an array of two values");
        List<MappedName.ValueSource> parts = new ArrayList<>();
        while (json.next() != JsonToken.END_ARRAY) {
            parts.add(source(place + "[" + parts.size() + "]", depth));
            if (parts.size() > 2) {
                break;
            }
        }
        if (parts.size() != 2 || parts.stream().allMatch(MappedName.ConstantSource.class::isInstance)) {
            throw new TypeSetSyntaxException(place, "other values", "two values, at most one of them constant");
        }
        if (parts.stream().anyMatch(NameMapParser::isPlan)) {
            throw new TypeSetSyntaxException(place, "a plan", "two numbers");
        }
        return new MappedName.CalculatedSource(operation, parts.getFirst(), parts.getLast());
    }

    private static boolean isPlan(MappedName.ValueSource source) {
        return source instanceof MappedName.ItemSource measured && measured.measure() == Measure.PLAN;
    }

    private static @Nullable Measure measure(String word) {
        for (Measure measure : Measure.values()) {
            if (measure.word().equals(word)) {
                return measure;
            }
        }
        return null;
    }

    /** Requires names that are different identifiers in C, and of which none is the start of another in YAML. */
    private static void requireDistinct(String place, List<MappedName> names, List<MappedName> alternative) {
        Set<String> identifiers = new HashSet<>();
        Set<String> starts = new HashSet<>();
        for (List<MappedName> part : List.of(names, alternative)) {
            for (MappedName each : part) {
                if (!identifiers.add(each.name().replace('.', '_'))) {
                    throw new TypeSetSyntaxException(
                            place, each.name() + " again", "names that differ, also with _ for each dot");
                }
                for (int dot = each.name().indexOf('.');
                        dot > 0;
                        dot = each.name().indexOf('.', dot + 1)) {
                    starts.add(each.name().substring(0, dot));
                }
            }
        }
        for (List<MappedName> part : List.of(names, alternative)) {
            for (MappedName each : part) {
                if (starts.contains(each.name())) {
                    throw new TypeSetSyntaxException(
                            place, each.name() + " is also the start of another name", "one of both");
                }
            }
        }
    }
}
