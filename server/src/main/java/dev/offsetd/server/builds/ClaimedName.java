package dev.offsetd.server.builds;

import dev.offsetd.extractor.identity.FileNames;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField.Kind;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.operations.Word;
import dev.offsetd.server.web.TokenShape;
import java.util.Optional;

/**
 * Name that a caller gave a build without a file, usually a path. Nothing verifies it, so it is shown as a claim and never
 * becomes part of an identity.
 *
 * @param name 1 to {@value #MAX_CHARACTERS} characters
 */
public record ClaimedName(String name, By by) {

    /** Most characters of a name, in code points. */
    public static final int MAX_CHARACTERS = 200;

    /** Kind of caller. */
    public enum By implements Word {
        /** Anyone who may read. */
        CLIENT,
        /** A prewarm, which requires scope {@code publish}. */
        PREWARM,
        /** An upload, which requires scope {@code publish}. */
        PUSH
    }

    /**
     * Returns the name with spaces for invisible characters, without tokens of access, and of a long path as many of its last
     * components as fit; empty if nothing is left.
     *
     * @param path a name or path, with the names inside of archives after each {@code !}
     */
    public static Optional<ClaimedName> of(String path, By by) {
        String name = TokenShape.redact(path)
                .codePoints()
                .map(c -> HostileText.isPrintable(c) ? c : ' ')
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString()
                .strip();
        int excess = name.codePointCount(0, name.length()) - MAX_CHARACTERS;
        if (excess > 0) {
            int start = name.offsetByCodePoints(0, excess);
            int component = start;
            while (component < name.length() && "/\\!".indexOf(name.charAt(component - 1)) < 0) {
                component++;
            }
            name = name.substring(component < name.length() ? component : start);
        }
        return name.isEmpty() ? Optional.empty() : Optional.of(new ClaimedName(name, by));
    }

    /** Returns the package that the name says the file is of, with its version. */
    public Optional<String> packageName() {
        Identity said = FileNames.ofPath(name, "claim").merge(FileNames.ofArchive(name, "claim"));
        return said.first(Kind.PACKAGE)
                .map(found -> said.first(Kind.PACKAGE_VERSION)
                        .map(version -> found + " " + version)
                        .orElse(found));
    }
}
