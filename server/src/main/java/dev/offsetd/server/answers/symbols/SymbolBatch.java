package dev.offsetd.server.answers.symbols;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.JsonObject;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * Addresses in many builds, as kernels list them: pairs of a build-id and an address.
 *
 * @param addresses by build, in the order of the first address of each; those without a build-id under {@link #NO_BUILD}
 * @param segments of the programs, by build; of others too
 */
record SymbolBatch(Map<String, List<String>> addresses, Map<String, JsonNode> segments) {

    /** Key of addresses that have only an instruction pointer. */
    static final String NO_BUILD = "";

    private static final int MAX_QUERIES = 10_000;
    private static final int MAX_BUILDS = 200;
    private static final int MAX_BODY_BYTES = 2 << 20;

    private static final String QUERIES = "queries";
    private static final String SEGMENTS = "segments";
    private static final String BUILD_ID = "buildId";
    private static final String ADDRESS = "address";
    private static final String EXPECTED =
            "{\"queries\": [{\"buildId\": …, \"address\": …}, …]}, and optionally segments by build-id, each once";

    /** Bytes of a build-id in a kernel's {@code bpf_stack_build_id}, which fills shorter ones up with zeros. */
    private static final int KERNEL_BYTES = 20;

    /** Shorter build-ids that linkers write: UUIDs and 128-bit hashes, and 64-bit hashes. */
    private static final int[] SHORTER_BYTES = {8, 16};

    /** Reads the body of a request; 400 if it is malformed, 413 if it is too large. */
    static SymbolBatch of(HttpServletRequest request) throws IOException {
        JsonObject body = JsonBody.object(JsonBody.read(request, MAX_BODY_BYTES, EXPECTED))
                .only(Set.of(QUERIES, SEGMENTS));
        JsonNode list = body.json().path(QUERIES);
        if (!list.isArray() || list.isEmpty()) {
            throw body.bad(QUERIES, EXPECTED);
        }
        if (list.size() > MAX_QUERIES) {
            throw JsonBody.tooLarge("the array has " + list.size() + " queries", MAX_QUERIES);
        }
        Map<String, List<String>> addresses = new LinkedHashMap<>();
        for (int i = 0; i < list.size(); i++) {
            JsonObject query =
                    new JsonObject(list.get(i), QUERIES + '[' + i + ']', JsonBody::bad).only(Set.of(BUILD_ID, ADDRESS));
            String key = query.json().hasNonNull(BUILD_ID) ? key(query.text(BUILD_ID)) : NO_BUILD;
            addresses
                    .computeIfAbsent(isZero(key) ? NO_BUILD : key, _ -> new ArrayList<>())
                    .add(query.text(ADDRESS));
        }
        if (addresses.size() > MAX_BUILDS) {
            throw JsonBody.tooLarge("the queries are about " + addresses.size() + " builds", MAX_BUILDS);
        }
        return new SymbolBatch(addresses, body.has(SEGMENTS) ? byBuild(body.object(SEGMENTS)) : Map.of());
    }

    private static Map<String, JsonNode> byBuild(JsonObject segments) {
        Map<String, JsonNode> byBuild = new LinkedHashMap<>();
        segments.json().properties().forEach(ofBuild -> {
            String key = key(ofBuild.getKey());
            if (!isKey(key) || byBuild.put(key, ofBuild.getValue()) != null) {
                throw JsonBody.bad(
                        SEGMENTS,
                        "segments has the member " + HostileText.quote(ofBuild.getKey())
                                + "; expected build-ids, each once");
            }
        });
        return byBuild;
    }

    /** Returns the one spelling of a key. */
    private static String key(String text) {
        try {
            return BuildId.parseKey(text).toString();
        } catch (IllegalArgumentException malformed) {
            return text.toLowerCase(Locale.ROOT);
        }
    }

    private static boolean isZero(String key) {
        return key.chars().allMatch(digit -> digit == '0');
    }

    /** Returns whether a text that the client sent is the key of a build. */
    static boolean isKey(String text) {
        try {
            return !BuildId.parseKey(text).toString().isEmpty();
        } catch (IllegalArgumentException malformed) {
            return false;
        }
    }

    /** Returns the query about a build. */
    SymbolQuery query(String key) {
        return SymbolQuery.ofAddresses(
                addresses.getOrDefault(key, List.of()), segments.getOrDefault(key, MissingNode.getInstance()));
    }

    /** Returns the key of a build without the zeros that a kernel has filled it up with. */
    static String withoutPadding(String key) {
        if (key.length() == 2 * KERNEL_BYTES) {
            for (int bytes : SHORTER_BYTES) {
                if (isZero(key.substring(2 * bytes))) {
                    return key.substring(0, 2 * bytes);
                }
            }
        }
        return key;
    }
}
