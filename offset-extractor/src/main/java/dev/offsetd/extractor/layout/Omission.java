package dev.offsetd.extractor.layout;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Parts of one kind that a reading left out of a file for one cause.
 *
 * @param count how many
 * @param places the first {@value #MAX_PLACES} of them at most: where the fault is and what was expected there, or the file that
 *     is missing
 */
public record Omission(Part part, Cause cause, long count, List<String> places) {

    /** Most places of an omission. */
    public static final int MAX_PLACES = 20;

    /** Number of places that a message names. */
    private static final int NAMED_PLACES = 3;

    /** A part of a file that a fault makes unanswerable, the smallest first. */
    public enum Part {
        MEMBER,
        TYPE,
        VARIABLE,
        SYMBOL,
        SYMBOL_TABLE,
        UNIT;

        /** Returns its name as the contract has it. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Returns the part of this name. */
        public static Optional<Part> of(String word) {
            return Arrays.stream(values())
                    .filter(part -> part.word().equals(word))
                    .findFirst();
        }
    }

    /** Why a part was left out. */
    public enum Cause {
        /** The part has something that its format forbids, so another copy of the file may be better. */
        DAMAGED,
        /** The part is made of something that the reader does not support. */
        UNSUPPORTED,
        /** The part is in another file, which was not found. */
        MISSING;

        /** Returns its name as the contract has it. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Returns the cause of this name. */
        public static Optional<Cause> of(String word) {
            return Arrays.stream(values())
                    .filter(cause -> cause.word().equals(word))
                    .findFirst();
        }
    }

    public Omission {
        places = List.copyOf(places);
    }

    /** Returns whether one of these was left out because the file is damaged. */
    public static boolean areOfDamage(List<Omission> omissions) {
        return omissions.stream().anyMatch(omission -> omission.cause == Cause.DAMAGED);
    }

    /** Returns whether symbols or a symbol table were left out, so that symbols of other names may exist. */
    public static boolean areOfSymbols(List<Omission> omissions) {
        return omissions.stream().anyMatch(Omission::isOfSymbols);
    }

    /** Returns whether this is of symbols, and of no types. */
    public boolean isOfSymbols() {
        return part == Part.SYMBOL || part == Part.SYMBOL_TABLE;
    }

    /** Returns a sentence about what was left out, or null if nothing was. */
    public static @Nullable String summary(List<Omission> omissions) {
        return omissions.isEmpty()
                ? null
                : omissions.stream().map(Omission::sentence).collect(Collectors.joining("; "));
    }

    private String sentence() {
        String name = part.word().replace('_', ' ');
        String parts = count == 1 ? "1 " + name + " was" : count + " " + name + "s were";
        String why = switch (cause) {
            case DAMAGED -> " left out, because of damage: ";
            case UNSUPPORTED -> " left out, because " + (count == 1 ? "it is" : "they are") + " not supported: ";
            case MISSING ->
                " not read, because " + (count == 1 ? "it is in another file: " : "they are in other files: ");
        };
        long others = count - Math.min(NAMED_PLACES, places.size());
        return parts
                + why
                + places.stream().limit(NAMED_PLACES).collect(Collectors.joining(", "))
                + (others > 0 ? ", and " + others + " more" : "");
    }
}
