package dev.offsetd.server.exports;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.query.gooffsets.GoVersion;
import dev.offsetd.query.gooffsets.OffsetsFormat;
import dev.offsetd.query.gooffsets.TrackedModule;
import dev.offsetd.query.gooffsets.TrackedModule.TrackedMember;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Lists of modules and members of Go structs, in the format of go-offsets-tracker's input:
 *
 * <pre>{@code
 * {"google.golang.org/grpc": {"fields": {
 *    "google.golang.org/grpc/internal/transport.Stream": ["method", "[1.40.0,1.68.99]st"]}}}
 * }</pre>
 *
 * A field may have the first and the last version in which it is needed in front. The other members of a module say how
 * the tracker builds programs; only {@code branch} counts, which marks a module without versions.
 */
final class TrackedList {

    static final String EXPECTED = "an object of modules with \"fields\", as go-offsets-tracker reads it";

    /** Most members of a list; agents track one or two hundred. */
    static final int MAX_MEMBERS = ItemParser.MAX_ITEMS;

    private static final String FIELDS = "fields";
    private static final String BRANCH = "branch";
    private static final String PACKAGES = "packages";
    private static final Set<String> TEXTS = Set.of(BRANCH, "versions", "inspect");
    private static final Set<String> MEMBERS = Set.of(FIELDS, BRANCH, "versions", "inspect", PACKAGES);

    /** The name of the standard library in such lists. */
    private static final String GO = "go";

    private static final Pattern FIELD = Pattern.compile("(?:\\[([^],]*)(?:,([^]]*))?])?([^\\[\\]\"]+)");

    private final List<TrackedModule> modules = new ArrayList<>();
    private final Set<String> items = new HashSet<>();

    private TrackedList() {}

    /** Returns the built-in list for a format: what the agent that reads it tracked in October 2026. */
    static List<TrackedModule> builtIn(OffsetsFormat format) {
        String name = format == OffsetsFormat.TRACKER ? "obi.json" : "opentelemetry-go.json";
        try (InputStream in = TrackedList.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("resource " + name + " is missing");
            }
            return parse(JsonMapper.shared().readTree(in));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Parses a list.
     *
     * @throws dev.offsetd.server.web.ProblemException if it is malformed: 400; if it has too many members: 413
     */
    static List<TrackedModule> parse(JsonNode json) {
        TrackedList list = new TrackedList();
        if (!json.isObject() || json.isEmpty()) {
            throw JsonBody.bad("body", json, EXPECTED);
        }
        JsonObject body = JsonBody.object(json);
        json.propertyNames()
                .forEach(module -> list.addModule(module, body.object(module).only(MEMBERS)));
        return list.modules;
    }

    private void addModule(String path, JsonObject module) {
        JsonObject fields = module.object(FIELDS);
        if (fields.json().isEmpty()) {
            throw module.bad(FIELDS, "an object of types with their members, at least one");
        }
        TEXTS.forEach(module::optionalText);
        module.texts(PACKAGES);
        List<TrackedMember> members = new ArrayList<>();
        for (String type : fields.json().propertyNames()) {
            if (!fields.json().path(type).isArray()) {
                throw fields.bad(type, "an array of members");
            }
            JsonNode names = fields.json().path(type);
            for (int i = 0; i < names.size(); i++) {
                members.add(member(fields.place(type) + '[' + i + ']', type, names.get(i)));
            }
        }
        modules.add(new TrackedModule(
                path.equals(GO) ? TrackedModule.STANDARD_LIBRARY : path, !module.has(BRANCH), members));
    }

    private TrackedMember member(String place, String type, JsonNode json) {
        Matcher parts = FIELD.matcher(json.asString(""));
        if (!json.isString() || !parts.matches()) {
            throw JsonBody.bad(place, json, "a name such as \"st\" or \"[1.40.0,1.68.99]st\"");
        }
        if (type.indexOf('.', type.lastIndexOf('/') + 1) < 0 || type.indexOf('"') >= 0) {
            throw JsonBody.bad(
                    place,
                    place + " is of type " + HostileText.quote(type)
                            + "; expected a type with the path of its package, such as net/http.Request");
        }
        TrackedMember member =
                new TrackedMember(type, parts.group(3), version(place, parts.group(1)), version(place, parts.group(2)));
        try {
            ItemParser.parse(member.item());
        } catch (ItemSyntaxException e) {
            throw JsonBody.bad(
                    place, place + ": " + e.getMessage() + "; expected the name of a struct and of a member");
        }
        if (!items.add(member.item())) {
            throw JsonBody.bad(
                    place,
                    place + ": " + HostileText.quote(member.item())
                            + " is there twice; expected each member once, with one module");
        }
        if (items.size() > MAX_MEMBERS) {
            throw JsonBody.tooLarge("the list has more than " + MAX_MEMBERS + " members", MAX_MEMBERS);
        }
        return member;
    }

    private static @Nullable GoVersion version(String place, @Nullable String text) {
        return text == null
                ? null
                : GoVersion.parse(text)
                        .orElseThrow(() -> JsonBody.bad(
                                place,
                                place + ": version " + HostileText.quote(text)
                                        + "; expected a version such as 1.40.0"));
    }
}
