package dev.offsetd.server.offsets;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.builds.BuildIdText;
import dev.offsetd.server.query.QueryParameters;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/** One query of a batch. Its answer is always JSON. */
record BatchEntry(BuildId id, OffsetsQuery query) {

    private static final String BUILD_ID = "buildId";
    private static final String TYPES = "types";
    private static final String VIEW = "view";
    private static final String LANG = "lang";
    private static final Set<String> MEMBERS = new TreeSet<>(Set.of(BUILD_ID, TYPES, VIEW, LANG));

    /**
     * Parses an entry of the body.
     *
     * @throws ProblemException if it is malformed: 400
     */
    static BatchEntry of(JsonNode json) {
        if (!json.isObject()) {
            throw bad("query " + HostileText.quote(json.toString()));
        }
        for (String name : json.propertyNames()) {
            if (!MEMBERS.contains(name)) {
                throw QueryParameters.badRequest(
                        "unknown_parameter",
                        "Unknown parameter",
                        "member " + HostileText.quote(name) + "; expected " + String.join(", ", MEMBERS));
            }
        }
        BuildId id = BuildIdText.parse(text(json, BUILD_ID).orElseThrow(() -> bad("member buildId is missing")));
        Optional<String> view = text(json, VIEW);
        Optional<String> language = text(json, LANG);
        JsonNode types = json.path(TYPES);
        if (types.isArray()) {
            List<String> items = new ArrayList<>();
            for (JsonNode item : types) {
                items.add(item.stringValueOpt()
                        .orElseThrow(() -> bad("item of types " + HostileText.quote(item.toString()))));
            }
            return new BatchEntry(id, OffsetsQuery.ofItems(items, view, language, Representation.JSON));
        }
        String list = text(json, TYPES).orElseThrow(() -> bad("member types is missing"));
        return new BatchEntry(id, OffsetsQuery.ofLists(List.of(list), view, language, Representation.JSON));
    }

    /** Returns the valid build-id that an entry names, in lower case. */
    static Optional<String> buildId(JsonNode json) {
        try {
            return json.path(BUILD_ID)
                    .stringValueOpt()
                    .map(text -> BuildId.parse(text).toString());
        } catch (IllegalArgumentException none) {
            return Optional.empty();
        }
    }

    private static Optional<String> text(JsonNode json, String name) {
        JsonNode value = json.path(name);
        if (value.isMissingNode()) {
            return Optional.empty();
        }
        return Optional.of(value.stringValueOpt()
                .orElseThrow(() -> bad("member " + name + ' ' + HostileText.quote(value.toString()))));
    }

    private static ProblemException bad(String detail) {
        return QueryParameters.badRequest(
                "bad_question",
                "The query cannot be read",
                detail + "; expected an object with buildId, types, and optionally view and lang");
    }
}
