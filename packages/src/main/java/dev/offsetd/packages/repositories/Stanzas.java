package dev.offsetd.packages.repositories;

import dev.offsetd.packages.repositories.RepositoryException.Reason;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringTokenizer;
import java.util.TreeMap;

/** Reader of Debian control files (deb822): stanzas of fields, separated by empty lines. */
final class Stanzas {

    /** More than the fields of a kernel's debug package or of a release with thousands of indexes. */
    private static final int MAX_BYTES = 8 << 20;

    private final String place;
    private final InputStream in;

    /** @param place of the file, for messages */
    Stanzas(String place, InputStream in) {
        this.place = place;
        this.in = new BufferedInputStream(in, 1 << 16);
    }

    /** Returns the next stanza by name of its fields in any case, or empty at the end. */
    Optional<Map<String, String>> next() throws IOException {
        Map<String, StringBuilder> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        StringBuilder value = new StringBuilder();
        int left = MAX_BYTES;
        while (true) {
            Optional<String> read = line(left);
            String line = read.orElse("");
            left -= line.length() + 1;
            if (line.isBlank()) {
                if (fields.isEmpty() && read.isPresent()) {
                    left = MAX_BYTES;
                    continue;
                }
                break;
            }
            int colon = line.indexOf(':');
            if (line.startsWith(" ") || line.startsWith("\t")) {
                value.append('\n').append(line.strip());
            } else if (colon > 0) {
                value = new StringBuilder(line.substring(colon + 1).strip());
                fields.put(line.substring(0, colon), value);
            } else if (!line.startsWith("#")) {
                throw new RepositoryException(
                        Reason.MALFORMED, place + " has a line of " + line.length() + " characters without a colon");
            }
        }
        Map<String, String> stanza = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        fields.forEach((name, text) -> stanza.put(name, text.toString()));
        return stanza.isEmpty() ? Optional.empty() : Optional.of(stanza);
    }

    /** Returns the words of a value, separated by spaces or line ends. */
    static List<String> words(String text) {
        return Collections.list(new StringTokenizer(text)).stream()
                .map(String.class::cast)
                .toList();
    }

    private Optional<String> line(int maxBytes) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next = in.read();
        if (next < 0) {
            return Optional.empty();
        }
        for (; next >= 0 && next != '\n'; next = in.read()) {
            if (line.size() >= maxBytes) {
                throw new RepositoryException(
                        Reason.LIMIT, place + " has a stanza of more than the limit of " + MAX_BYTES + " bytes");
            }
            line.write(next);
        }
        return Optional.of(line.toString(StandardCharsets.UTF_8));
    }
}
