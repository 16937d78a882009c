package dev.offsetd.extractor.identity.scan;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.identity.IdentityField.Kind;
import dev.offsetd.extractor.identity.VersionProbe;
import dev.offsetd.extractor.input.Deadline;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Search for the strings of several probes in one section. A pass over the section compares each string that starts like
 * a probe; a second pass checks what the versions found require.
 */
final class ProbeSearch {

    /** Longest string that is compared. */
    private static final int MAX_STRING_BYTES = 1 << 12;

    private static final int WINDOW_BYTES = 1 << 18;

    private static final int MAX_VERSION_BYTES = 64;

    /** Bits of the bytes from 0xf8 on. */
    private static final int NOT_UTF_8 = 0xf8;

    /** Versions of a probe that are checked against what it requires. */
    private static final int MAX_CANDIDATES = 32;

    private static final Pattern NO_DIGITS = Pattern.compile("[^0-9]+");

    private final MemorySegment section;
    private final List<Search> searches;

    /** The part of the section that is being compared: array accesses are fast before they are compiled too. */
    private byte[] window = {};

    private long windowStart;

    /** Place in the window of the zero byte that ends the last string; several strings may end there. */
    private int zero;

    /** A version and the whole string that it is in. */
    record Match(String version, String string) {}

    /** A part of a probe's text. */
    private static final class Part {

        final boolean isVersion;
        final boolean isAny;
        final byte[] literal;

        /** The literal starts at no place of the section between these: strings may share the text that was searched. */
        long absentFrom;

        long absentTo;

        Part(String text) {
            this.isVersion = text.equals(VersionProbe.VERSION);
            this.isAny = text.equals(VersionProbe.ANY);
            this.literal = utf8(text);
        }
    }

    /** Search for one probe. */
    private static final class Search {

        final VersionProbe probe;
        final List<Part> parts;

        /** Matches by the start of the string that must exist too; empty if none must. */
        final Map<String, Match> candidates = new LinkedHashMap<>();

        @Nullable
        Match found;

        Search(VersionProbe probe) {
            this.probe = probe;
            this.parts = probe.parts().stream().map(Part::new).toList();
        }

        boolean isNew(String version) {
            return probe.requires().isEmpty()
                    || (candidates.size() < MAX_CANDIDATES && !candidates.containsKey(required(version)));
        }

        void add(Match match) {
            if (probe.requires().isEmpty()) {
                found = match;
            } else {
                candidates.put(required(match.version), match);
            }
        }

        private String required(String version) {
            String[] numbers = NO_DIGITS.split(version, 3);
            return probe.requires()
                    .replace("{major}", numbers[0])
                    .replace("{minor}", numbers.length > 1 ? numbers[1] : "");
        }
    }

    /** Receives where a string starts and ends in the window. */
    @FunctionalInterface
    private interface Strings {
        void accept(int start, int end);
    }

    private ProbeSearch(List<VersionProbe> probes, Section section) {
        this.section = section.bytes();
        this.searches = probes.stream().map(Search::new).toList();
    }

    /** Returns the first match of each probe, or null for one without, in the order of the probes. */
    static List<@Nullable Match> run(List<VersionProbe> probes, Section section) {
        ProbeSearch search = new ProbeSearch(probes, section);
        search.findVersions();
        search.findRequired();
        List<@Nullable Match> found = new ArrayList<>();
        search.searches.forEach(each -> found.add(each.found));
        return found;
    }

    /** Returns the projects and versions that probes find; of several probes of a set, the first that matches counts. */
    static List<IdentityField> fields(List<VersionProbe> probes, Section section) {
        Map<String, IdentityField> projects = new LinkedHashMap<>();
        List<IdentityField> fields = new ArrayList<>();
        List<@Nullable Match> matches = run(probes, section);
        for (int i = 0; i < probes.size(); i++) {
            VersionProbe probe = probes.get(i);
            Match match = matches.get(i);
            String source = probe.source();
            IdentityField project = new IdentityField(Kind.PROJECT, probe.project(), source, false);
            if (match != null && projects.putIfAbsent(probe.set(), project) == null) {
                fields.add(project);
                fields.add(new IdentityField(Kind.VERSION, match.version, source, false));
            }
        }
        return fields;
    }

    private void findVersions() {
        boolean[] starts = new boolean[256];
        for (Search search : searches) {
            Part first = search.parts.getFirst();
            if (first.isVersion) {
                for (char digit = '0'; digit <= '9'; digit++) {
                    starts[digit] = true;
                }
            } else {
                starts[first.literal[0] & 0xff] = true;
            }
        }
        forEachString(starts, (start, end) -> {
            for (Search search : searches) {
                String version = search.found == null ? version(search.parts, start, end) : null;
                if (version != null && search.isNew(version)) {
                    search.add(new Match(version, text(start, end)));
                }
            }
        });
    }

    private void findRequired() {
        List<String> texts = searches.stream()
                .flatMap(search -> search.candidates.keySet().stream())
                .distinct()
                .toList();
        Set<String> present = present(texts);
        for (Search search : searches) {
            for (Map.Entry<String, Match> candidate : search.candidates.entrySet()) {
                if (search.found == null && present.contains(candidate.getKey())) {
                    search.found = candidate.getValue();
                }
            }
        }
    }

    /** Returns the texts that a string in the section starts with. */
    static Set<String> present(List<String> texts, Section section) {
        return new ProbeSearch(List.of(), section).present(texts);
    }

    private Set<String> present(List<String> texts) {
        boolean[] starts = new boolean[256];
        Map<String, byte[]> missing = new HashMap<>();
        for (String text : texts) {
            byte[] bytes = utf8(text);
            if (bytes.length > 0) {
                missing.put(text, bytes);
                starts[bytes[0] & 0xff] = true;
            }
        }
        Set<String> present = new HashSet<>();
        if (!missing.isEmpty()) {
            forEachString(
                    starts,
                    (start, end) -> missing.forEach((text, bytes) -> {
                        if (isAt(bytes, start, end)) {
                            present.add(text);
                        }
                    }));
        }
        return present;
    }

    /** Passes on every string that starts with one of these bytes, a window of the section after the other. */
    private void forEachString(boolean[] starts, Strings strings) {
        boolean atStart = true;
        for (long from = 0; from < section.byteSize(); from += WINDOW_BYTES) {
            Deadline.checkCurrent();
            long size = Math.min(section.byteSize() - from, WINDOW_BYTES + MAX_STRING_BYTES);
            window = section.asSlice(from, size).toArray(ValueLayout.JAVA_BYTE);
            windowStart = from;
            zero = -1;
            int startsEnd = Math.min(window.length, WINDOW_BYTES);
            for (int at = 0; at < startsEnd; at++) {
                if (atStart && starts[window[at] & 0xff]) {
                    strings.accept(at, endOfString(at));
                }
                atStart = endsBefore(window[at]);
            }
        }
    }

    /**
     * Returns whether a string may start after this byte: the end of another one, or one that UTF-8 does not have. A jump table
     * without padding ends with such a byte: its entries are negative distances from code.
     */
    private static boolean endsBefore(byte previous) {
        return previous == 0 || (previous & NOT_UTF_8) == NOT_UTF_8;
    }

    private int endOfString(int start) {
        if (start > zero) {
            zero = start;
            while (zero < window.length && window[zero] != 0) {
                zero++;
            }
        }
        return Math.min(zero, start + MAX_STRING_BYTES);
    }

    /** Returns the version in a string, or null if the string does not match. */
    private @Nullable String version(List<Part> parts, int start, int end) {
        String version = null;
        int at = start;
        boolean anywhere = false;
        for (Part part : parts) {
            if (part.isVersion) {
                int versionEnd = versionEnd(at, end);
                if (versionEnd == at) {
                    return null;
                }
                version = text(at, versionEnd);
                at = versionEnd;
            } else if (part.isAny) {
                anywhere = true;
            } else {
                at = anywhere ? nextPlace(part, at, end) : at;
                if (!isAt(part.literal, at, end)) {
                    return null;
                }
                at += part.literal.length;
                anywhere = false;
            }
        }
        return parts.getLast().isVersion && at < end ? null : version;
    }

    /** Returns the first place of a literal in a string, or one too close to the end. */
    private int nextPlace(Part part, int start, int end) {
        long from = windowStart + start;
        if (from < part.absentFrom || from > part.absentTo) {
            part.absentFrom = from;
            part.absentTo = from;
        }
        int at = (int) (part.absentTo - windowStart);
        while (at + part.literal.length <= end && !isAt(part.literal, at, end)) {
            at++;
        }
        part.absentTo = windowStart + at;
        return at;
    }

    /** Returns where a version ends that starts here; it starts with a digit, and ends with a letter or digit. */
    private int versionEnd(int start, int end) {
        int versionEnd = start;
        for (int at = start; at < end && at - start < MAX_VERSION_BYTES; at++) {
            byte c = window[at];
            boolean digit = c >= '0' && c <= '9';
            boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            if (digit || (letter && at > start)) {
                versionEnd = at + 1;
            } else if (at == start || ".+-~_".indexOf(c) < 0) {
                break;
            }
        }
        return versionEnd;
    }

    private boolean isAt(byte[] text, int at, int end) {
        return text.length <= end - at && Arrays.equals(text, 0, text.length, window, at, at + text.length);
    }

    private String text(int start, int end) {
        return new String(window, start, end - start, StandardCharsets.UTF_8);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
