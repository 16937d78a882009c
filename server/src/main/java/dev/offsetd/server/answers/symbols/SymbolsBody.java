package dev.offsetd.server.answers.symbols;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** Parser of the body of a symbol query: {@code {"names": [...], "addresses": [...]}}, of which one may be missing. */
final class SymbolsBody {

    /** Fits 1,000 mangled C++ names. */
    private static final int MAX_BYTES = 1 << 20;

    private static final String EXPECTED = "an object with names, addresses, or both, each an array of strings";

    private SymbolsBody() {}

    /**
     * Parses the body of a request and, for further parameters, its query string.
     *
     * @throws ProblemException if it is malformed: 400; if it is too large: 413
     */
    static SymbolQuery read(HttpServletRequest request) throws IOException {
        JsonNode json = JsonBody.read(request, MAX_BYTES, EXPECTED);
        if (!json.isObject()) {
            throw bad("the body is " + HostileText.quote(json.toString()));
        }
        JsonBody.unexpectedMember(json, Set.of(SymbolQuery.NAMES, SymbolQuery.ADDRESSES))
                .ifPresent(member -> {
                    throw bad("member " + HostileText.quote(member));
                });
        return SymbolQuery.ofLists(
                strings(json, SymbolQuery.NAMES), strings(json, SymbolQuery.ADDRESSES), request.getQueryString());
    }

    private static List<String> strings(JsonNode json, String member) {
        JsonNode array = json.get(member);
        if (array == null) {
            return List.of();
        }
        if (!array.isArray()) {
            throw bad("member " + member + " is " + HostileText.quote(array.toString()));
        }
        List<String> strings = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            if (!array.get(i).isString()) {
                throw bad("entry " + (i + 1) + " of " + member + " is "
                        + HostileText.quote(array.get(i).toString()));
            }
            strings.add(array.get(i).asString());
        }
        return strings;
    }

    private static ProblemException bad(String detail) {
        return JsonBody.bad(detail, EXPECTED);
    }
}
