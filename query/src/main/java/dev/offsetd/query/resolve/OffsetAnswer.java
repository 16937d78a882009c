package dev.offsetd.query.resolve;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Variable;
import java.util.List;
import java.util.Locale;

/** Result of resolving an expression. */
public sealed interface OffsetAnswer {

    /** Status of a resolution. */
    enum Status {
        /** The byte belongs to a member or to padding. */
        FOUND,
        /** The byte is past the end of the variable or type. */
        PAST_END,
        /** The build has no variable or type of this name. */
        NOT_FOUND,
        /** The build only declares the name. */
        DECLARATION_ONLY,
        /** Several variables or types of this name differ at this byte. */
        AMBIGUOUS,
        /** The layout of the bytes is not known. */
        UNSUPPORTED;

        /** Returns the word in answers: {@code past_end}. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    Status status();

    /** Variable or type that a name stands for. */
    sealed interface Subject {

        /** A variable. */
        record OfVariable(Variable variable) implements Subject {}

        /** A type. */
        record OfType(Definition definition) implements Subject {}
    }

    /**
     * The chain of members at the byte.
     *
     * @param subjects the variables or types of the name that agree at this byte
     * @param root the variable or type itself; without contents if the byte is past its end, or if it has no members
     */
    record Resolved(Status status, List<Subject> subjects, ResolutionStep root) implements OffsetAnswer {

        public Resolved {
            subjects = List.copyOf(subjects);
        }
    }

    /**
     * Several definitions that differ at the byte.
     *
     * @param variants the first different resolutions, in the order of the debug information
     * @param total the number of different resolutions
     */
    record Ambiguous(List<Resolved> variants, int total) implements OffsetAnswer {

        public Ambiguous {
            variants = List.copyOf(variants);
        }

        @Override
        public Status status() {
            return Status.AMBIGUOUS;
        }
    }

    /**
     * No answer.
     *
     * @param detail the reason in a sentence
     */
    record Missed(Status status, String detail) implements OffsetAnswer {}
}
