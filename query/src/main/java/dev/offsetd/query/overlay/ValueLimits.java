package dev.offsetd.query.overlay;

import dev.offsetd.extractor.input.HostileText;
import java.util.ArrayList;
import java.util.List;

/** Limits of the numbers in pinned values. */
final class ValueLimits {

    private ValueLimits() {}

    static void require(PinnedValue value) {
        List<String> problems = problems(value);
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(problems.getFirst());
        }
    }

    /** Returns the errors in numbers and names; empty if there are none. */
    static List<String> problems(PinnedValue value) {
        List<String> problems = new ArrayList<>();
        switch (value) {
            case PinnedValue.OfMember place -> addProblems("", place, problems);
            case PinnedValue.OfType type -> {
                addOutOfRange("size", type.size(), problems);
                type.members().forEach((name, place) -> {
                    if (name.isBlank() || name.indexOf('.') >= 0 || name.indexOf('[') >= 0) {
                        problems.add("member " + HostileText.quote(name) + "; expected the name of one member");
                    }
                    addProblems("member " + HostileText.quote(name) + ": ", place, problems);
                });
            }
        }
        return problems;
    }

    private static void addProblems(String where, PinnedValue.OfMember place, List<String> problems) {
        List<String> own = new ArrayList<>();
        addOutOfRange("offset", place.offset(), own);
        addOutOfRange("size", place.size(), own);
        PinnedValue.Bits bits = place.bits();
        if (bits != null && own.isEmpty()) {
            addBitProblems(place, bits, own);
        }
        own.forEach(problem -> problems.add(where + problem));
    }

    private static void addBitProblems(PinnedValue.OfMember place, PinnedValue.Bits bits, List<String> problems) {
        if (bits.bitOffset() < 0 || bits.bitOffset() > PinnedValue.MAX_BYTES * Byte.SIZE) {
            problems.add("bitOffset is " + bits.bitOffset() + "; expected 0 to " + PinnedValue.MAX_BYTES * Byte.SIZE);
            return;
        }
        if (bits.bitSize() <= 0) {
            problems.add("bitSize is " + bits.bitSize() + "; expected at least 1");
            return;
        }
        long first = bits.bitOffset() / Byte.SIZE;
        if (place.offset() != first) {
            problems.add("offset is " + place.offset() + "; expected " + first + ", the byte that holds bit "
                    + bits.bitOffset());
        }
        long touched = (bits.bitOffset() + bits.bitSize() - 1) / Byte.SIZE - first + 1;
        if (place.size() != touched) {
            problems.add("size is " + place.size() + "; expected " + touched + ", the bytes that "
                    + (bits.bitSize() == 1
                            ? "bit " + bits.bitOffset()
                            : bits.bitSize() + " bits from bit " + bits.bitOffset())
                    + (bits.bitSize() == 1 ? " touches" : " touch"));
        }
    }

    private static void addOutOfRange(String name, long bytes, List<String> problems) {
        if (bytes < 0 || bytes > PinnedValue.MAX_BYTES) {
            problems.add(name + " is " + bytes + "; expected 0 to " + PinnedValue.MAX_BYTES);
        }
    }
}
