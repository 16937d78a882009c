package dev.offsetd.query.resolve;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Variable;
import java.util.List;
import java.util.Locale;

/** What lies at the byte that an expression names. */
public sealed interface OffsetAnswer {

    /** What became of the question. */
    enum Status {
        /** Something is there; it may be padding. */
        FOUND,
        /** The byte is behind the end of the variable or type. */
        PAST_END,
        /** No variable and no type of this name. */
        NOT_FOUND,
        /** The name is only declared: this build does not say what it is made of. */
        DECLARATION_ONLY,
        /** Variables or types of this name differ at this byte. */
        AMBIGUOUS,
        /** There is something, but not with bytes that could be told apart. */
        UNSUPPORTED;

        /** As answers spell it: {@code past_end}. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    Status status();

    /** What a name stands for. */
    sealed interface Subject {

        /** A variable. */
        record OfVariable(Variable variable) implements Subject {}

        /** A type. */
        record OfType(Definition definition) implements Subject {}
    }

    /**
     * One way to what lies at the byte.
     *
     * @param subjects what the name stands for; of several variables or types all that agree at this byte
     * @param root the variable or type itself; without contents if the byte is behind its end, or if it has no parts
     */
    record Resolved(Status status, List<Subject> subjects, Step root) implements OffsetAnswer {

        public Resolved {
            subjects = List.copyOf(subjects);
        }
    }

    /**
     * Several ways that differ.
     *
     * @param variants the first of them, in the order of the debug information
     * @param total how many there are
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
     * @param detail why, in a sentence
     */
    record Missed(Status status, String detail) implements OffsetAnswer {}
}
