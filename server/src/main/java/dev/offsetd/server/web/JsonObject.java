package dev.offsetd.server.web;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import tools.jackson.databind.JsonNode;

/**
 * An object in a body. Problems of its members name the place, the value and what is expected.
 *
 * @param at place of the object; empty for the body itself
 * @param problems makes the problem of a route from the place and the text of a fault
 */
public record JsonObject(JsonNode json, String at, BiFunction<String, String, ProblemException> problems) {

    /** Requires that the value is an object, with these members only. */
    public JsonObject only(Set<String> members) {
        if (!json.isObject()) {
            throw bad(at.isEmpty() ? "body" : at, json, "an object");
        }
        json.propertyNames().stream()
                .filter(name -> !members.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw problems.apply(
                            place(name),
                            "member " + HostileText.quote(place(name)) + "; expected "
                                    + String.join(", ", new TreeSet<>(members)));
                });
        return this;
    }

    /** Returns the place of a member, quoted if its untrusted name has unusual characters. */
    public static String within(String at, String name) {
        String shown = HostileText.needsNoEscape(name) ? name : HostileText.quote(name);
        return at.isEmpty() ? shown : at + '.' + shown;
    }

    public String place(String name) {
        return within(at, name);
    }

    public boolean has(String name) {
        return json.has(name);
    }

    /** Returns the object that is a member. */
    public JsonObject object(String name) {
        if (!json.path(name).isObject()) {
            throw bad(name, "an object");
        }
        return new JsonObject(json.path(name), place(name), problems);
    }

    public Optional<String> optionalText(String name) {
        return has(name) ? Optional.of(text(name)) : Optional.empty();
    }

    public String text(String name) {
        return json.path(name).stringValueOpt().orElseThrow(() -> bad(name, "a string"));
    }

    public long integer(String name) {
        JsonNode value = json.path(name);
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw bad(name, "an integer");
        }
        return value.longValue();
    }

    public BuildId buildId(String name) {
        return buildId(place(name), text(name));
    }

    /** Parses the build-id at a place. */
    public BuildId buildId(String place, String text) {
        try {
            return BuildId.parseKey(text);
        } catch (IllegalArgumentException e) {
            throw problems.apply(place, place + " is " + HostileText.quote(text) + ": " + e.getMessage());
        }
    }

    /** Returns the strings of an array; none if the member is missing. */
    public List<String> texts(String name) {
        return has(name) ? texts(json.path(name), place(name)) : List.of();
    }

    /** Returns the strings of the array at a place. */
    public List<String> texts(JsonNode array, String place) {
        if (!array.isArray()) {
            throw bad(place, array, "an array of strings");
        }
        List<String> texts = new ArrayList<>();
        for (JsonNode each : array) {
            texts.add(each.stringValueOpt().orElseThrow(() -> bad(place + '[' + texts.size() + ']', each, "a string")));
        }
        return texts;
    }

    /** Returns the problem of a member. */
    public ProblemException bad(String name, String expected) {
        return bad(place(name), json.path(name), expected);
    }

    /** Returns the problem of the value at a place. */
    public ProblemException bad(String place, JsonNode value, String expected) {
        return problems.apply(place, place + " is " + JsonBody.shown(value) + "; expected " + expected);
    }
}
