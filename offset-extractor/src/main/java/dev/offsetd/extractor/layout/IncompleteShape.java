package dev.offsetd.extractor.layout;

import dev.offsetd.extractor.input.ExtractionException;

/**
 * A type that this build declares but does not define, or defines in a file that was not given (DWARF 5 §2.13.1).
 *
 * @param reason why it is incomplete
 * @param byteSize its size where the declaration states it, as clang 3.9 does, else {@link TypeShape#UNKNOWN_SIZE}
 */
public record IncompleteShape(String spelling, Reason reason, long byteSize) implements TypeShape {

    /** A type of unknown size. */
    public IncompleteShape(String spelling, Reason reason) {
        this(spelling, reason, UNKNOWN_SIZE);
    }

    /** Returns a type that the reader does not know, by the name of its tag or attribute. */
    public static IncompleteShape unsupported(String construct) {
        return new IncompleteShape(construct, new Reason.Unsupported(construct));
    }

    /** Why a type is incomplete. */
    public sealed interface Reason {

        Reason DECLARED = new Declared();
        Reason NOT_IN_BINARY = new NotInBinary();

        /** Returns the reason in a few words, as messages and catalogues have it. */
        String text();

        /** Returns the reason that has this text. */
        static Reason of(String text) {
            if (text.equals(DECLARED.text())) {
                return DECLARED;
            }
            if (text.equals(NOT_IN_BINARY.text())) {
                return NOT_IN_BINARY;
            }
            return text.startsWith(Unsupported.PREFIX)
                    ? new Unsupported(text.substring(Unsupported.PREFIX.length()))
                    : new Unread(text);
        }

        /** Returns the reason of a type that has a fault. */
        static Reason of(ExtractionException fault) {
            return new Unread(String.valueOf(fault.getMessage()));
        }

        /** The build only declares the type, or its definition is not known. */
        record Declared() implements Reason {

            @Override
            public String text() {
                return "only declared";
            }
        }

        /** The program describes some of its types itself, and not this one. */
        record NotInBinary() implements Reason {

            @Override
            public String text() {
                return "the program does not describe it";
            }
        }

        /**
         * The build defines the type, and the reader does not support a part of it.
         *
         * @param construct the name of a tag or attribute
         */
        record Unsupported(String construct) implements Reason {

            private static final String PREFIX = "unsupported ";

            @Override
            public String text() {
                return PREFIX + construct;
            }
        }

        /** The type was not read, because of a fault or because no answer needs it. */
        record Unread(String text) implements Reason {}
    }
}
