package dev.offsetd.query.item;

import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.query.symbol.SymbolPattern;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An alternative of an item. */
public sealed interface Alternative {

    /** Returns the alternative as sent, without the spaces around it. */
    String text();

    /**
     * A type or variable, or a member of one.
     *
     * @param kind the kind that the type must have, or null for any
     * @param variable whether the name is that of a variable, although a type may have it
     * @param quoted whether the type's name was in quotes, so that it is {@code parts} alone
     * @param parts the text before the first index or pointer, split at its dots. Names of Go types have dots, so one or more of the
     *     parts make up the type's name. Just the name if it was in quotes
     * @param steps the steps after {@code parts}
     */
    record TypePath(
            String text,
            @Nullable TypeKind kind,
            boolean variable,
            boolean quoted,
            List<String> parts,
            List<PathStep> steps)
            implements Alternative {

        public TypePath {
            parts = List.copyOf(parts);
            steps = List.copyOf(steps);
        }

        /**
         * Longest name of a type that has dots and is not quoted, as those of Go. Every such name that a path begins with is
         * looked for, so that without a limit an item would cost the square of its length.
         */
        private static final int MAX_DOTTED_CHARS = 512;

        /** Returns every split into a type's name and its members, the longest name first. */
        public List<TypeAndSteps> splits() {
            List<TypeAndSteps> splits = new ArrayList<>(parts.size());
            for (int length = mostParts(); length > 0; length--) {
                List<PathStep> path = new ArrayList<>(parts.size() - length + steps.size());
                for (String member : parts.subList(length, parts.size())) {
                    path.add(new PathStep.MemberStep(member));
                }
                path.addAll(steps);
                splits.add(new TypeAndSteps(String.join(".", parts.subList(0, length)), path));
            }
            return splits;
        }

        /** Returns the number of parts that a name of a type may have. */
        private int mostParts() {
            int count = 1;
            int characters = parts.getFirst().length();
            while (count < parts.size()) {
                characters += 1 + parts.get(count).length();
                if (characters > MAX_DOTTED_CHARS) {
                    break;
                }
                count++;
            }
            return count;
        }

        /** Returns the type and the first {@code steps} steps of a split as an item. */
        String prefix(TypeAndSteps split, int steps) {
            StringBuilder out = new StringBuilder();
            if (variable) {
                out.append("variable ");
            } else if (kind != null) {
                out.append(kind.word()).append(' ');
            }
            out.append(quoted ? '"' + split.typeName() + '"' : split.typeName());
            appendSteps(out, split.steps().subList(0, steps));
            return out.toString();
        }

        /**
         * Returns the whole path that follows a pointer before the member at a step. Two arrows in a row are refused, so an index
         * follows the first of two pointers, and one that leads to an array.
         *
         * @param dimensions of the array that the pointer leads to; 0 for anything else
         */
        String following(TypeAndSteps split, int step, int dimensions) {
            boolean isBehind = step > 0 && split.steps().get(step - 1) instanceof PathStep.PointerStep;
            StringBuilder out = new StringBuilder(isBehind ? prefix(split, step - 1) + "[0]" : prefix(split, step));
            out.append(dimensions == 0 ? "->" : "[0]".repeat(dimensions + 1) + ".")
                    .append(Item.memberText(((PathStep.MemberStep) split.steps().get(step)).name()));
            appendSteps(out, split.steps().subList(step + 1, split.steps().size()));
            return out.toString();
        }

        private static void appendSteps(StringBuilder out, List<PathStep> steps) {
            boolean dot = true;
            for (PathStep step : steps) {
                switch (step) {
                    case PathStep.MemberStep(String name) ->
                        out.append(dot ? "." : "").append(Item.memberText(name));
                    case PathStep.IndexStep(long index) ->
                        out.append('[').append(index).append(']');
                    case PathStep.PointerStep _ -> out.append("->");
                }
                dot = !(step instanceof PathStep.PointerStep);
            }
        }
    }

    /** The value of an enumerator; {@code name} may have scopes. */
    record EnumeratorName(String text, String name) implements Alternative {}

    /** Symbols whose names match {@code glob}, which {@link SymbolPattern#of} understands. */
    record SymbolGlob(String text, String glob) implements Alternative {

        SymbolPattern pattern() {
            return SymbolPattern.of(glob);
        }
    }

    /** The thread-local storage of the build. */
    record ThreadLocalStorage(String text) implements Alternative {}

    /** Every item of the type set {@code name}; the only alternative of its item. */
    record TypeSetName(String text, String name) implements Alternative {}

    /**
     * One way to split a {@link TypePath} into the name of a type and the steps from it.
     *
     * @param typeName the name, scopes included
     * @param steps the steps from the type to the member; empty for the type itself
     */
    record TypeAndSteps(String typeName, List<PathStep> steps) {

        public TypeAndSteps {
            steps = List.copyOf(steps);
        }
    }

    /** One step of a path. */
    sealed interface PathStep {

        /** A member by its name. */
        record MemberStep(String name) implements PathStep {}

        /**
         * An element of an array, or a value behind a pointer. The index of an array is that of the source language: from 0 in C, where it may lie past the array's
         * end; between the bounds of the dimension elsewhere.
         */
        record IndexStep(long index) implements PathStep {}

        /** The target of a pointer: {@code ->}, before the step to a member of it. */
        record PointerStep() implements PathStep {}
    }
}
