package dev.offsetd.query.bundle;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;

/**
 * An object in a JSON file of a bundle. Unknown members are ignored unless {@link #only} refuses them.
 *
 * @param place for messages
 */
record BundleJson(String place, Map<String, Object> members) {

    private static final int MAX_DEPTH = 8;
    private static final int MAX_STRING_CHARS = 1 << 20;

    /** Enough for the manifest of the largest bundle. The smallest values need 30 times their bytes in memory. */
    private static final int MAX_TOKENS = 2_000_000;

    private static final Instant FIRST_TIME = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant LAST_TIME = Instant.parse("9999-12-31T23:59:59Z");

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxStringLength(MAX_STRING_CHARS)
                    .maxTokenCount(MAX_TOKENS)
                    .build())
            .build();

    /** Parses the file of this path. */
    static BundleJson parse(BundlePath path, byte[] content) throws BundleException {
        try (JsonParser in = FACTORY.createParser(ObjectReadContext.empty(), content)) {
            in.nextToken();
            Object value = value(path, in);
            if (in.nextToken() != null) {
                throw new BundleException(at(path, in.currentTokenLocation()) + "text after the JSON value");
            }
            return of(path.toString(), value);
        } catch (JacksonException e) {
            String fault = e instanceof StreamConstraintsException
                    ? "more than " + MAX_DEPTH + " levels, or a text, a number or the whole is too long"
                    : "not JSON in UTF-8";
            throw new BundleException(at(path, e.getLocation()) + fault + "; expected an object", e);
        }
    }

    private static String at(BundlePath path, @Nullable TokenStreamLocation location) {
        return location == null
                ? path + ": "
                : path + ", line " + location.getLineNr() + ", column " + location.getColumnNr() + ": ";
    }

    private static Object value(BundlePath path, JsonParser in) throws BundleException {
        JsonToken token = in.currentToken();
        return switch (token) {
            case null -> "";
            case START_OBJECT -> {
                Map<String, Object> members = new LinkedHashMap<>();
                while (in.nextToken() == JsonToken.PROPERTY_NAME) {
                    String name = in.currentName();
                    in.nextToken();
                    if (members.containsKey(name)) {
                        throw new BundleException(
                                at(path, in.currentTokenLocation()) + HostileText.quote(name) + " is given twice");
                    }
                    members.put(name, value(path, in));
                }
                yield members;
            }
            case START_ARRAY -> {
                List<Object> elements = new ArrayList<>();
                while (in.nextToken() != JsonToken.END_ARRAY) {
                    elements.add(value(path, in));
                }
                yield elements;
            }
            case VALUE_STRING -> in.getString();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NUMBER_INT ->
                in.getNumberType() == JsonParser.NumberType.BIG_INTEGER ? Other.of(in) : in.getLongValue();
            default -> Other.of(in);
        };
    }

    /** A value that no getter takes: null, a fraction, or an integer of more than 64 bits. */
    private record Other(String text) {

        private static final int MAX_CHARS = 60;

        static Other of(JsonParser in) {
            String text = in.getString();
            return new Other(text.length() <= MAX_CHARS ? text : text.substring(0, MAX_CHARS) + "...");
        }
    }

    @SuppressWarnings("unchecked")
    private static BundleJson of(String place, Object value) throws BundleException {
        if (value instanceof Map<?, ?> members) {
            return new BundleJson(place, (Map<String, Object>) members);
        }
        throw new BundleException(place + ": not an object; expected one");
    }

    private <T> Optional<T> optional(String name, Class<T> type, String expected) throws BundleException {
        Object value = members.get(name);
        if (value == null) {
            return Optional.empty();
        }
        if (!type.isInstance(value)) {
            throw wrong(name, expected);
        }
        return Optional.of(type.cast(value));
    }

    BundleException wrong(String name, String expected) {
        Object value = members.get(name);
        return value == null
                ? new BundleException(place + ": " + name + " is missing; expected " + expected)
                : wrong(name, value, expected);
    }

    private BundleException wrong(String name, Object value, String expected) {
        String text = switch (value) {
            case String given -> HostileText.quote(given);
            case Map<?, ?> _ -> "an object";
            case List<?> list -> "an array of " + list.size();
            case Other other -> other.text;
            default -> value.toString();
        };
        return new BundleException(place + ": " + name + " is " + text + "; expected " + expected);
    }

    /** Requires that the object has these members only. */
    void only(Set<String> known) throws BundleException {
        for (String name : members.keySet()) {
            if (!known.contains(name)) {
                throw new BundleException(place + ": member " + HostileText.quote(name) + "; expected "
                        + String.join(", ", new TreeSet<>(known)));
            }
        }
    }

    boolean has(String name) {
        return members.containsKey(name);
    }

    Optional<String> optionalString(String name, int maxChars) throws BundleException {
        String expected = "a string of at most " + maxChars + " characters";
        Optional<String> text = optional(name, String.class, expected);
        if (text.isPresent() && (text.get().length() > maxChars || HostileText.firstForbidden(text.get()) >= 0)) {
            throw wrong(name, expected + ", none of them a control character");
        }
        return text;
    }

    String string(String name, int maxChars) throws BundleException {
        return optionalString(name, maxChars)
                .orElseThrow(() -> wrong(name, "a string of at most " + maxChars + " characters"));
    }

    boolean bool(String name) throws BundleException {
        return optional(name, Boolean.class, "true or false").orElse(false);
    }

    long integer(String name, long max) throws BundleException {
        String expected = "an integer from 0 to " + max;
        return optional(name, Long.class, expected)
                .filter(number -> number >= 0 && number <= max)
                .orElseThrow(() -> wrong(name, expected));
    }

    String sha256(String name) throws BundleException {
        String text = string(name, 64);
        if (!Pattern.matches("[0-9a-f]{64}", text)) {
            throw wrong(name, "64 lower-case hex digits");
        }
        return text;
    }

    Optional<Instant> optionalTime(String name) throws BundleException {
        Optional<String> text = optionalString(name, 40);
        try {
            Optional<Instant> time = text.map(Instant::parse);
            if (time.filter(each -> each.isBefore(FIRST_TIME) || each.isAfter(LAST_TIME))
                    .isEmpty()) {
                return time;
            }
        } catch (DateTimeException e) {
            // Refused below, as a time that a database cannot store.
        }
        throw wrong(name, "a time such as 2030-01-31T12:00:00Z");
    }

    Instant time(String name) throws BundleException {
        return optionalTime(name).orElseThrow(() -> wrong(name, "a time such as 2030-01-31T12:00:00Z"));
    }

    Optional<BundleJson> optionalObject(String name) throws BundleException {
        Object value = members.get(name);
        return value == null ? Optional.empty() : Optional.of(of(place + ": " + name, value));
    }

    BundleJson object(String name) throws BundleException {
        return optionalObject(name).orElseThrow(() -> wrong(name, "an object"));
    }

    /** Returns the objects of an array; an absent one is empty. */
    List<BundleJson> objects(String name, int max) throws BundleException {
        List<BundleJson> objects = new ArrayList<>();
        for (Object element : list(name, max)) {
            objects.add(of(place + ": " + name + '[' + objects.size() + ']', element));
        }
        return objects;
    }

    /** Returns the strings of an array; an absent one is empty. */
    List<String> strings(String name, int max, int maxChars) throws BundleException {
        List<String> strings = new ArrayList<>();
        for (Object element : list(name, max)) {
            if (!(element instanceof String text) || text.length() > maxChars) {
                throw wrong(
                        name + '[' + strings.size() + ']', element, "a string of at most " + maxChars + " characters");
            }
            strings.add(text);
        }
        return strings;
    }

    private List<?> list(String name, int max) throws BundleException {
        List<?> list = optional(name, List.class, "an array").orElse(List.of());
        if (list.size() > max) {
            throw wrong(name, "an array of at most " + max);
        }
        return list;
    }
}
