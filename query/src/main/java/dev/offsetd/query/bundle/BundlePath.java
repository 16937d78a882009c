package dev.offsetd.query.bundle;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.query.typeset.TypeSetParser;
import java.util.Optional;

/**
 * Path of a file in a bundle. There are no others, so a bundle cannot name a place outside of it.
 *
 * @param part what the file is
 * @param name build-id, name of the type set, or empty
 */
record BundlePath(Part part, String name) implements Comparable<BundlePath> {

    @Override
    public int compareTo(BundlePath other) {
        int order = part.compareTo(other.part);
        return order != 0 ? order : name.compareTo(other.name);
    }

    static final String MANIFEST = "manifest.json";
    static final String SIGNATURE = "manifest.json.sig";

    private static final String BUILDS = "builds/";
    private static final String SETS = "sets/";
    private static final String JSON = ".json";
    private static final Pattern SET = Pattern.compile(TypeSetParser.NAME);

    /** Kind of a file. */
    enum Part {
        BUILD("build.json", 4 << 20),
        TYPES("types", 256 << 20),
        SYMBOLS("symbols", 256 << 20),
        SET("", 256 << 10),
        MANIFEST(BundlePath.MANIFEST, 32 << 20),
        SIGNATURE(BundlePath.SIGNATURE, 64 << 10);

        private final String file;
        private final int maxBytes;

        Part(String file, int maxBytes) {
            this.file = file;
            this.maxBytes = maxBytes;
        }

        int maxBytes() {
            return maxBytes;
        }
    }

    static BundlePath of(BuildId id, Part part) {
        return new BundlePath(part, id.toString());
    }

    static BundlePath ofSet(String name) {
        return new BundlePath(Part.SET, name);
    }

    /** Parses a path; empty if no file of a bundle has it. */
    static Optional<BundlePath> parse(String path) {
        if (path.equals(MANIFEST)) {
            return Optional.of(new BundlePath(Part.MANIFEST, ""));
        }
        if (path.equals(SIGNATURE)) {
            return Optional.of(new BundlePath(Part.SIGNATURE, ""));
        }
        if (path.startsWith(SETS) && path.endsWith(JSON) && path.length() > SETS.length() + JSON.length()) {
            String name = path.substring(SETS.length(), path.length() - JSON.length());
            return SET.matcher(name).matches() ? Optional.of(ofSet(name)) : Optional.empty();
        }
        int slash = path.indexOf('/', BUILDS.length());
        if (!path.startsWith(BUILDS) || slash < 0) {
            return Optional.empty();
        }
        String id = path.substring(BUILDS.length(), slash);
        String file = path.substring(slash + 1);
        for (Part part : new Part[] {Part.BUILD, Part.TYPES, Part.SYMBOLS}) {
            if (part.file.equals(file) && isBuildId(id)) {
                return Optional.of(new BundlePath(part, id));
            }
        }
        return Optional.empty();
    }

    /** Parses a path. */
    static BundlePath require(String path) throws BundleException {
        return parse(path)
                .orElseThrow(() -> new BundleException("unexpected file " + HostileText.quote(path) + "; expected "
                        + BUILDS + "BUILDID/{build.json,types,symbols}, sets/NAME.json or " + MANIFEST));
    }

    private static boolean isBuildId(String text) {
        try {
            return BuildId.parseKey(text).toString().equals(text);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Returns the build of a file of a build. */
    BuildId build() {
        return BuildId.parseKey(name);
    }

    @Override
    public String toString() {
        return switch (part) {
            case BUILD, TYPES, SYMBOLS -> BUILDS + name + '/' + part.file;
            case SET -> SETS + name + JSON;
            case MANIFEST, SIGNATURE -> part.file;
        };
    }
}
