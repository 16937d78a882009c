package dev.offsetd.server.answers.symbols;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.server.answers.BatchReplies;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.JsonObject;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Query for the functions and lines at addresses of a build, without duplicates.
 *
 * @param returnAddress whether they are return addresses, so that the byte before each is looked up, which is part of the call
 * @param segments of the program, as the client knows them; none if it sent none
 */
record FrameQuery(
        Addresses addresses, boolean returnAddress, List<FileOffsets.Segment> segments, Representation representation) {

    static final int MAX_ADDRESSES = 10_000;

    static final String ADDRESSES = "addresses";
    private static final String RETURN_ADDRESS = "returnAddress";
    private static final String BUILD_ID = "buildId";
    private static final String ID = "id";
    private static final Set<String> MEMBERS =
            Set.of(BUILD_ID, ADDRESSES, RETURN_ADDRESS, SymbolQuery.SEGMENTS, BuildRequest.NAME, ID);

    /**
     * Reads the query of a GET.
     *
     * @throws ProblemException if it is malformed (400), has too many addresses (413), or the client accepts no representation
     *     of the answer (406)
     */
    static FrameQuery of(HttpServletRequest request) {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        QueryParameters parameters = QueryParameters.of(
                request.getQueryString(), Set.of(ADDRESSES, RETURN_ADDRESS, BuildRequest.NAME), Set.of(ADDRESSES));
        List<String> addresses = SymbolQuery.split(parameters.all(ADDRESSES));
        requireFew(addresses.size());
        return of(
                Addresses.of(addresses),
                parameters.flag(RETURN_ADDRESS, "bad_return_address"),
                List.of(),
                representation);
    }

    /**
     * A query of a batch. Its answer is always JSON.
     *
     * @param id key of the build, without the zeros of a kernel
     * @param name that the client gives the build; null for none
     */
    record Entry(BuildId id, FrameQuery query, @Nullable String name) {

        /** Parses an entry of the body; 400 if it is malformed. */
        static Entry of(JsonNode json) {
            JsonObject query = BatchReplies.query(json).only(MEMBERS);
            JsonNode returnAddress = json.path(RETURN_ADDRESS);
            if (!returnAddress.isBoolean() && !returnAddress.isMissingNode()) {
                throw query.bad(RETURN_ADDRESS, "true or false");
            }
            String key = SymbolBatch.withoutPadding(query.text(BUILD_ID));
            FrameQuery frames = FrameQuery.of(
                    Addresses.ofBatch(query.texts(json.path(ADDRESSES), ADDRESSES)),
                    returnAddress.asBoolean(false),
                    SymbolQuery.segments(json.path(SymbolQuery.SEGMENTS)),
                    Representation.JSON);
            String name = query.optionalText(BuildRequest.NAME).orElse(null);
            return new Entry(BuildKeys.parse(key), frames, name);
        }
    }

    /** Requires that the queries of a batch have few addresses together; else 413. */
    static void requireFew(List<JsonNode> queries) {
        requireFew(
                queries.stream().mapToInt(query -> query.path(ADDRESSES).size()).sum());
    }

    private static void requireFew(int addresses) {
        if (addresses > MAX_ADDRESSES) {
            throw JsonBody.tooLarge(addresses + " addresses", MAX_ADDRESSES);
        }
    }

    private static FrameQuery of(
            Addresses addresses,
            boolean returnAddress,
            List<FileOffsets.Segment> segments,
            Representation representation) {
        if (addresses.isEmpty()) {
            throw ProblemException.badRequest(
                    "missing_addresses", "No addresses", "the query has no addresses; expected at least one");
        }
        return new FrameQuery(addresses, returnAddress, segments, representation);
    }
}
