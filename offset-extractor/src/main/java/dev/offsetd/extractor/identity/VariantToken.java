package dev.offsetd.extractor.identity;

import com.google.re2j.Pattern;
import java.util.Arrays;
import java.util.Optional;

/**
 * A property that tells apart the variants in which a runtime is built, such as a just-in-time compiler, and that a
 * stripped program still shows. It is looked for in programs in which a {@link VersionProbe} of the same set is found.
 *
 * @param set name of the type set that declares it
 * @param name the property, such as {@code yjit}
 * @param value the name of a symbol, or the text
 */
public record VariantToken(String set, String name, Evidence evidence, String value) {

    /** Longest value, in characters. */
    public static final int MAX_CHARS = 200;

    /** Syntax of names. */
    public static final String NAME = "[a-z][a-z0-9_-]{0,31}";

    /** State of a token that the program has. */
    public static final String PRESENT = "yes";

    /** State of a token that was looked for and is not there. */
    public static final String ABSENT = "no";

    private static final Pattern NAMES = Pattern.compile(NAME);

    /** How a program shows the property. */
    public enum Evidence {
        /** The file defines a symbol in {@code .dynsym}. */
        SYMBOL("symbol"),
        /** The file defines a symbol in {@code .dynsym}, whose size in bytes is the state. */
        SIZE("sizeOf"),
        /** A null-terminated string in {@code .rodata} starts with a text. */
        TEXT("text");

        private final String word;

        Evidence(String word) {
            this.word = word;
        }

        /** Returns the property of type sets for it. */
        public String word() {
            return word;
        }

        /** Returns the evidence of this word, or empty if there is none. */
        public static Optional<Evidence> named(String word) {
            return Arrays.stream(values())
                    .filter(evidence -> evidence.word.equals(word))
                    .findFirst();
        }
    }

    /** @throws IllegalArgumentException if name or value are not such; the message says what is expected */
    public VariantToken {
        if (!NAMES.matcher(name).matches()) {
            throw new IllegalArgumentException("a token named " + NAME);
        }
        if (value.isEmpty() || value.length() > MAX_CHARS) {
            throw new IllegalArgumentException("1 to " + MAX_CHARS + " characters");
        }
    }

    /** Returns the start of the {@link IdentityField.Kind#VARIANT} fields for a token, which the state follows. */
    public static String prefix(String typeSet, String token) {
        return typeSet + "." + token + "=";
    }

    /**
     * Returns the field that states this token.
     *
     * @param state {@link #PRESENT}, {@link #ABSENT}, or the size of a symbol
     * @param section where it was looked for
     */
    public IdentityField field(String state, String section) {
        return new IdentityField(
                IdentityField.Kind.VARIANT, prefix(set, name) + state, section + " (@" + set + " variants)", false);
    }
}
