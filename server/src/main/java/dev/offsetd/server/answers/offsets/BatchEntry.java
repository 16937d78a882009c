package dev.offsetd.server.answers.offsets;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.answers.BatchReplies;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.answers.consensus.Fallback;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.web.JsonObject;
import dev.offsetd.server.web.ProblemException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
    private static final String ID = "id";
    private static final String IF_NONE_MATCH = "ifNoneMatch";

    /** Members with the names of parameters, without the items. */
    private static final Set<String> PARAMETERS = Stream.concat(
                    Fallback.PARAMETERS.stream(),
                    Stream.of(OffsetsQuery.VIEW, OffsetsQuery.MAP, QueryParameters.LANG, BuildRequest.NAME))
            .collect(Collectors.toCollection(TreeSet::new));

    private static final Set<String> MEMBERS = Stream.concat(
                    PARAMETERS.stream(), Stream.of(BUILD_ID, QueryParameters.TYPES, ID, IF_NONE_MATCH))
            .collect(Collectors.toCollection(TreeSet::new));

    /** Parses an entry of the body; 400 if it is malformed. */
    static BatchEntry of(JsonNode json) {
        JsonObject entry = BatchReplies.query(json);
        new JsonObject(json, "", BatchEntry::unknownMember).only(MEMBERS);
        BuildId id = BuildKeys.parse(entry.text(BUILD_ID));
        Map<String, String> parameters = new HashMap<>();
        for (String name : PARAMETERS) {
            entry.optionalText(name).ifPresent(value -> parameters.put(name, value));
        }
        OffsetsQuery query = OffsetsQuery.of(items(entry), QueryParameters.of(parameters), List.of());
        return new BatchEntry(
                id, query, entry.optionalText(IF_NONE_MATCH).orElse(null), parameters.get(BuildRequest.NAME));
    }

    /** Members have the names of parameters. */
    private static ProblemException unknownMember(String place, String detail) {
        return ProblemException.badRequest("unknown_parameter", "Unknown parameter", detail)
                .with("place", place);
    }

    private static List<String> items(JsonObject entry) {
        JsonNode types = entry.json().path(QueryParameters.TYPES);
        return types.isArray()
                ? entry.texts(QueryParameters.TYPES)
                : QueryParameters.split(List.of(types.stringValueOpt()
                        .orElseThrow(() -> entry.bad(QueryParameters.TYPES, "a string or an array of strings"))));
    }
}
