package dev.offsetd.server.answers.symbols;

import dev.offsetd.query.symbol.CodeAddress;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.core.JsonGenerator;

/**
 * Addresses of a query by the text that the client sent, without duplicates.
 *
 * @param malformed texts that are not addresses
 */
record Addresses(Map<String, CodeAddress> readable, Set<String> malformed) {

    private static final String MALFORMED = "malformed";

    /** Returns the addresses of a query of a batch, where a malformed one must not cost the others their answers. */
    static Addresses ofBatch(List<String> texts) {
        Map<String, CodeAddress> readable = new LinkedHashMap<>();
        Set<String> malformed = new LinkedHashSet<>();
        for (String text : texts) {
            if (CodeAddress.matches(text)) {
                readable.put(text, CodeAddress.parse(text));
            } else {
                malformed.add(text);
            }
        }
        return new Addresses(readable, malformed);
    }

    /** Returns the addresses of a single query; 400 if one is malformed. */
    static Addresses of(List<String> texts) {
        Map<String, CodeAddress> readable = new LinkedHashMap<>();
        for (int i = 0; i < texts.size(); i++) {
            readable.put(texts.get(i), SymbolQuery.address(texts.get(i), i + 1));
        }
        return new Addresses(readable, Set.of());
    }

    boolean isEmpty() {
        return readable.isEmpty() && malformed.isEmpty();
    }

    /**
     * Writes the entries of malformed addresses.
     *
     * @param list member that lists what is at an address
     */
    void writeMalformed(JsonGenerator out, String list) {
        for (String text : malformed) {
            out.writeObjectPropertyStart(text);
            out.writeStringProperty("status", MALFORMED);
            out.writeStringProperty("detail", "the address cannot be read; expected " + CodeAddress.EXPECTED);
            out.writeArrayPropertyStart(list);
            out.writeEndArray();
            out.writeEndObject();
        }
    }
}
