package dev.offsetd.server.answers.offsets;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.answers.ClaimedNames;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * One query of a batch. Its answer is always JSON.
 *
 * @param ifNoneMatch validators of the answers that the client has; null if it sent none
 * @param claimedName what the client calls the build; null if it does not say
 */
record BatchEntry(
        BuildId id,
        OffsetsQuery query,
        @Nullable String ifNoneMatch,
        @Nullable String claimedName) {

    private static final String BUILD_ID = "buildId";
    private static final String TYPES = "types";
    private static final String VIEW = "view";
    private static final String MAP = "map";
    private static final String LANG = "lang";
    private static final String ID = "id";
    private static final String IF_NONE_MATCH = "ifNoneMatch";
    private static final Set<String> MEMBERS = new TreeSet<>(Set.of(
            BUILD_ID,
            TYPES,
            VIEW,
            MAP,
            LANG,
            ID,
            IF_NONE_MATCH,
            ClaimedNames.NAME,
            Fallback.FALLBACK,
            Fallback.VERSION,
            Fallback.MACHINE,
            Fallback.TOKENS));

    private static final int MAX_ID_LENGTH = 128;

    /**
     * Parses an entry of the body.
     *
     * @throws ProblemException if it is malformed: 400
     */
    static BatchEntry of(JsonNode json) {
        if (!json.isObject()) {
            throw bad("query " + HostileText.quote(json.toString()));
        }
        JsonBody.unexpectedMember(json, MEMBERS).ifPresent(name -> {
            throw QueryParameters.badRequest(
                    "unknown_parameter",
                    "Unknown parameter",
                    "member " + HostileText.quote(name) + "; expected " + String.join(", ", MEMBERS));
        });
        BuildId id = BuildKeys.parse(text(json, BUILD_ID).orElseThrow(() -> bad("member buildId is missing")));
        Optional<String> view = text(json, VIEW);
        Optional<String> map = text(json, MAP);
        Optional<String> language = text(json, LANG);
        String ifNoneMatch = text(json, IF_NONE_MATCH).orElse(null);
        String claimedName = text(json, ClaimedNames.NAME).orElse(null);
        if (text(json, ID).filter(name -> name.length() > MAX_ID_LENGTH).isPresent()) {
            throw bad("member id has more than " + MAX_ID_LENGTH + " characters");
        }
        Optional<Fallback> fallback = Fallback.of(name -> text(json, name));
        JsonNode types = json.path(TYPES);
        OffsetsQuery query = types.isArray()
                ? OffsetsQuery.ofItems(items(types), view, map, language, offered -> Representation.JSON)
                : OffsetsQuery.ofLists(
                        List.of(text(json, TYPES).orElseThrow(() -> bad("member types is missing"))),
                        view,
                        map,
                        language,
                        offered -> Representation.JSON);
        return new BatchEntry(id, query.with(fallback), ifNoneMatch, claimedName);
    }

    private static List<String> items(JsonNode types) {
        List<String> items = new ArrayList<>();
        for (JsonNode item : types) {
            items.add(item.stringValueOpt()
                    .orElseThrow(() -> bad("item of types " + HostileText.quote(item.toString()))));
        }
        return items;
    }

    /** Returns the valid key of a build that an entry names, in lower case. */
    static Optional<String> buildId(JsonNode json) {
        try {
            return json.path(BUILD_ID)
                    .stringValueOpt()
                    .map(text -> BuildId.parseKey(text).toString());
        } catch (IllegalArgumentException none) {
            return Optional.empty();
        }
    }

    /** Returns the name that the client gave the query, if it is valid. */
    static Optional<String> clientId(JsonNode json) {
        return json.path(ID).stringValueOpt().filter(name -> name.length() <= MAX_ID_LENGTH);
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
                "bad_body",
                "The query cannot be read",
                detail + "; expected an object with buildId, types, and optionally view and lang");
    }
}
