package dev.offsetd.server.answers.offsets;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.answers.BatchReplies;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.answers.consensus.Fallback;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.ProblemException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

    private static final String OPTIONAL = Stream.concat(PARAMETERS.stream(), Stream.of(ID, IF_NONE_MATCH))
            .sorted()
            .collect(Collectors.joining(", "));

    private static final Set<String> MEMBERS = Stream.concat(
                    PARAMETERS.stream(), Stream.of(BUILD_ID, QueryParameters.TYPES, ID, IF_NONE_MATCH))
            .collect(Collectors.toCollection(TreeSet::new));

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
        String ifNoneMatch = text(json, IF_NONE_MATCH).orElse(null);
        BatchReplies.requireValidId(json);
        Map<String, String> parameters = new HashMap<>();
        for (String name : PARAMETERS) {
            text(json, name).ifPresent(value -> parameters.put(name, value));
        }
        OffsetsQuery query = OffsetsQuery.of(items(json), QueryParameters.of(parameters), List.of());
        return new BatchEntry(id, query, ifNoneMatch, parameters.get(BuildRequest.NAME));
    }

    private static List<String> items(JsonNode json) {
        JsonNode types = json.path(QueryParameters.TYPES);
        if (!types.isArray()) {
            String list = text(json, QueryParameters.TYPES).orElseThrow(() -> bad("member types is missing"));
            return QueryParameters.split(List.of(list));
        }
        return types.valueStream()
                .map(item -> item.stringValueOpt()
                        .orElseThrow(() -> bad("item of types " + HostileText.quote(item.toString()))))
                .toList();
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
        return JsonBody.bad(
                detail, "an object of strings with buildId, types (an array, too), and optionally " + OPTIONAL);
    }
}
