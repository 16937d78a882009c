package dev.offsetd.query.item;

import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.query.symbol.SymbolPattern;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One of the things that may answer an item. */
public sealed interface Alternative {

    /** The alternative as it was sent, without the spaces around it. */
    String text();

    /**
     * A type, or a member of one.
     *
     * @param kind the kind that the type must be of, or null for any
     * @param quoted whether the type's name was in quotes, so that it is {@code parts} alone
     * @param parts the text before the first index, split at its dots: the first one or more make up the type's name,
     *     because names of Go types have dots. Just the name if it was in quotes
     * @param steps the steps after {@code parts}
     */
    record TypePath(String text, @Nullable TypeKind kind, boolean quoted, List<String> parts, List<Step> steps)
            implements Alternative {

        public TypePath {
            parts = List.copyOf(parts);
            steps = List.copyOf(steps);
        }

        /** Every way to tell the type's name from its members; the longest name first. */
        public List<Reading> readings() {
            List<Reading> readings = new ArrayList<>(parts.size());
            for (int length = parts.size(); length > 0; length--) {
                List<Step> path = new ArrayList<>(parts.size() - length + steps.size());
                for (String member : parts.subList(length, parts.size())) {
                    path.add(new Step.Member(member));
                }
                path.addAll(steps);
                readings.add(new Reading(String.join(".", parts.subList(0, length)), path));
            }
            return readings;
        }

        /** The first {@code steps} steps of a reading, as an item that can be asked for. */
        String prefix(Reading reading, int steps) {
            StringBuilder out = new StringBuilder();
            if (kind != null) {
                out.append(kind.word()).append(' ');
            }
            out.append(quoted ? '"' + reading.typeName() + '"' : reading.typeName());
            for (Step step : reading.steps().subList(0, steps)) {
                switch (step) {
                    case Step.Member(String name) -> out.append('.').append(Item.memberText(name));
                    case Step.Index(long index) -> out.append('[').append(index).append(']');
                }
            }
            return out.toString();
        }
    }

    /** The value of an enumerator; {@code name} may have scopes. */
    record EnumeratorName(String text, String name) implements Alternative {}

    /** Symbols whose names match {@code glob}, which {@link SymbolPattern#of} understands. */
    record SymbolGlob(String text, String glob) implements Alternative {

        /** What the glob asks for. */
        SymbolPattern pattern() {
            return SymbolPattern.of(glob);
        }
    }

    /** The thread-local storage of the build. */
    record ThreadLocalStorage(String text) implements Alternative {}

    /** Every item of the type set {@code name}; the only alternative of its item. */
    record TypeSet(String text, String name) implements Alternative {}

    /**
     * A {@link TypePath} with its type's name told from its members.
     *
     * @param typeName the name, scopes included
     * @param steps from the type to what is asked for; empty if that is the type itself
     */
    record Reading(String typeName, List<Step> steps) {

        public Reading {
            steps = List.copyOf(steps);
        }
    }

    /** One step of a path. */
    sealed interface Step {

        /** To the member of this name. */
        record Member(String name) implements Step {}

        /**
         * To an element of an array, by an index as the source has it: from 0 in C, where it may lie past the array's end;
         * between the bounds of the dimension where these are others.
         */
        record Index(long index) implements Step {}
    }
}
