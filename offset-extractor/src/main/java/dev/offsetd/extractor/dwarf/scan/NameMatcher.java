package dev.offsetd.extractor.dwarf.scan;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.TypeNames;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Matcher of names in string sections against the selected ones. The first eight bytes decide in nearly all cases. Names
 * with punctuation (templates) are compared without the spaces around it. Immutable.
 */
final class NameMatcher {

    private final List<String> wanted;
    private final Names names;
    private final Names templates;
    private final Set<String> punctuated = new HashSet<>();
    private final Set<Long> punctuatedStarts = new HashSet<>();
    private final int maxNameBytes;

    /** Templates whose instances are all selected. */
    private final byte[][] instantiated;

    /** Names that are looked for as they are. A file may declare thousands of types without a definition. */
    private static final class Names {

        /** Up to so many, a comparison with the first bytes of each takes less time than a search. */
        private static final int FEW = 32;

        /** In the order of their bytes. */
        private final byte[][] names;

        /** Their first bytes: of a few names each at its place, of many sorted. */
        private final long[] prefixes;

        private final int longest;

        Names(byte[][] names) {
            this.names = names;
            this.prefixes = new long[names.length];
            Arrays.sort(names, Arrays::compare);
            int length = 0;
            for (int i = 0; i < names.length; i++) {
                prefixes[i] = prefix(names[i]);
                length = Math.max(length, names[i].length);
            }
            this.longest = length;
            if (names.length > FEW) {
                Arrays.sort(prefixes);
            }
        }

        boolean isEmpty() {
            return names.length == 0;
        }

        /** @param head the first bytes of the name at this place */
        boolean contains(Section section, long offset, long head) {
            if (names.length > FEW) {
                return Arrays.binarySearch(prefixes, head) >= 0
                        && Arrays.binarySearch(names, startAt(section, offset), Arrays::compare) >= 0;
            }
            for (int i = 0; i < prefixes.length; i++) {
                if (prefixes[i] == head && equal(section, offset, names[i])) {
                    return true;
                }
            }
            return false;
        }

        /** Returns the name at this place, or the beginning of one that is longer than all others. */
        private byte[] startAt(Section section, long offset) {
            byte[] name = new byte[(int) Math.min(longest + 1L, section.size() - offset)];
            for (int i = 0; i < name.length; i++) {
                name[i] = section.byteAt(offset + i);
                if (name[i] == 0) {
                    return Arrays.copyOf(name, i);
                }
            }
            return name;
        }

        private static boolean equal(Section section, long offset, byte[] name) {
            if (section.size() - offset <= name.length || section.byteAt(offset + name.length) != 0) {
                return false;
            }
            for (int i = 0; i < name.length; i++) {
                if (section.byteAt(offset + i) != name[i]) {
                    return false;
                }
            }
            return true;
        }
    }

    NameMatcher(Collection<String> wanted, Limits limits) {
        this(wanted, Set.of(), limits);
    }

    private NameMatcher(Collection<String> wanted, Set<String> instantiated, Limits limits) {
        this.wanted = List.copyOf(wanted);
        this.instantiated = utf8(instantiated);
        List<byte[]> plain = new ArrayList<>();
        Set<String> stems = new LinkedHashSet<>(instantiated);
        for (String name : wanted) {
            byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            Set<String> spellings = TypeNames.spellings(name);
            if (isPlain(bytes) && spellings.size() == 1) {
                plain.add(bytes);
                continue;
            }
            if (name.indexOf('<') > 0) {
                stems.add(TypeNames.template(name));
            }
            punctuated.add(TypeNames.canonical(name));
            punctuatedStarts.add(wordPrefix(bytes));
            for (String spelling : spellings) {
                punctuatedStarts.add(wordPrefix(spelling.getBytes(StandardCharsets.UTF_8)));
            }
        }
        names = new Names(plain.toArray(byte[][]::new));
        templates = new Names(utf8(stems));
        maxNameBytes = limits.maxNameBytes();
    }

    /** Returns what this one matches, and the names of all instances of these templates. */
    NameMatcher withInstancesOf(Set<String> templates, Limits limits) {
        return new NameMatcher(wanted, templates, limits);
    }

    private static byte[][] utf8(Collection<String> names) {
        return names.stream().map(name -> name.getBytes(StandardCharsets.UTF_8)).toArray(byte[][]::new);
    }

    boolean isEmpty() {
        return names.isEmpty() && punctuated.isEmpty();
    }

    /** Returns whether the resolved name is wanted. */
    boolean matches(Section section, long offset) throws ExtractionException {
        long head = head(section, offset);
        if (names.contains(section, offset, head)) {
            return true;
        }
        for (byte[] template : instantiated) {
            if (isInstance(section, offset, template)) {
                return true;
            }
        }
        return !punctuated.isEmpty()
                && punctuatedStarts.contains(wordPrefix(head))
                && punctuated.contains(TypeNames.canonical(section.string(offset, maxNameBytes)));
    }

    /** Returns whether the name is selected, or may be once its template arguments are added. */
    boolean mayMatch(Section section, long offset) throws ExtractionException {
        return matches(section, offset)
                || (!templates.isEmpty() && templates.contains(section, offset, head(section, offset)));
    }

    private long head(Section section, long offset) throws ExtractionException {
        return section.size() - offset >= 8
                ? cutAtEnd(section.longAt(offset))
                : prefix(section.string(offset, maxNameBytes).getBytes(StandardCharsets.UTF_8));
    }

    private static boolean isInstance(Section section, long offset, byte[] template) {
        if (section.size() - offset <= template.length || section.byteAt(offset + template.length) != '<') {
            return false;
        }
        for (int i = 0; i < template.length; i++) {
            if (section.byteAt(offset + i) != template[i]) {
                return false;
            }
        }
        return true;
    }

    /** Returns the bytes before the first zero byte, the rest zero. */
    private static long cutAtEnd(long head) {
        long zeros = (head - 0x0101_0101_0101_0101L) & ~head & 0x8080_8080_8080_8080L;
        return zeros == 0 ? head : head & ((1L << (Long.numberOfTrailingZeros(zeros) & ~7)) - 1);
    }

    private static long prefix(byte[] name) {
        long head = 0;
        for (int i = 0; i < Math.min(8, name.length); i++) {
            head |= (name[i] & 0xffL) << (i * 8);
        }
        return head;
    }

    private static long wordPrefix(byte[] name) {
        return wordPrefix(prefix(name));
    }

    /** Returns the bytes before the first that is not part of a word or that Go may have escaped, and zeros. */
    private static long wordPrefix(long head) {
        for (int i = 0; i < 8; i++) {
            byte b = (byte) (head >>> (i * 8));
            if (b < 0 || !isWord(b)) {
                return i == 0 ? 0 : head & ((1L << (i * 8)) - 1);
            }
        }
        return head;
    }

    private static boolean isPlain(byte[] name) {
        for (byte b : name) {
            if (!isWord(b)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isWord(byte b) {
        return (b >= '0' && b <= '9')
                || (b >= 'a' && b <= 'z')
                || (b >= 'A' && b <= 'Z')
                || b == '_'
                || b == '$'
                || b < 0;
    }
}
