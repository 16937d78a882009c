package dev.offsetd.extractor.identity;

import dev.offsetd.extractor.input.HostileText;
import java.util.Arrays;
import java.util.Optional;

/**
 * One fact of an {@link Identity}.
 *
 * @param value text that is safe to store and to show: invisible characters are replaced by spaces, and it has at most
 *     {@link #MAX_CHARS} characters
 * @param source where it was read: a section, an attribute such as {@code DW_AT_producer}, or {@code file name}
 * @param derived whether it is inferred from its source rather than stated there
 */
public record IdentityField(Kind kind, String value, String source, boolean derived) {

    /** Longest value and source, in code points. */
    public static final int MAX_CHARS = 1_000;

    /** Value of a field. */
    public enum Kind {
        SONAME("soname"),
        FILE_NAME("fileName"),
        PACKAGE("package"),
        PACKAGE_VERSION("packageVersion"),
        DISTRIBUTION("distribution"),
        PROJECT("project"),
        VERSION("version"),
        /** The state of a {@link VariantToken}: {@code ruby.yjit=yes}. */
        VARIANT("variant"),
        COMPILER("compiler"),
        COMPILER_VERSION("compilerVersion"),
        /** The flags that change layouts, separated by spaces. */
        COMPILER_FLAGS("compilerFlags"),
        COMPILATION_DIRECTORY("compilationDirectory"),
        LANGUAGE("language"),
        GO_MODULE("goModule"),
        GO_MODULE_VERSION("goModuleVersion"),
        GO_VERSION("goVersion"),
        KERNEL_RELEASE("kernelRelease"),
        KERNEL_BANNER("kernelBanner");

        private final String wireName;

        Kind(String wireName) {
            this.wireName = wireName;
        }

        /** Returns the name in answers and in storage. */
        public String wireName() {
            return wireName;
        }

        /** Returns the kind of this name, or empty if there is none. */
        public static Optional<Kind> named(String wireName) {
            return Arrays.stream(values())
                    .filter(kind -> kind.wireName.equals(wireName))
                    .findFirst();
        }
    }

    public IdentityField {
        value = clean(value);
        source = clean(source);
    }

    private static String clean(String text) {
        StringBuilder clean = new StringBuilder();
        text.codePoints()
                .limit(MAX_CHARS)
                .map(c -> HostileText.isPrintable(c) ? c : ' ')
                .forEach(clean::appendCodePoint);
        return clean.toString().strip();
    }
}
