package dev.offsetd.query.bundle;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.Sha256;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.query.typeset.TypeSetParser;
import dev.offsetd.query.typeset.TypeSetSource;
import dev.offsetd.query.typeset.TypeSetSyntaxException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A bundle in a file. Opening it checks the structure of the archive and compares it with the manifest; each file is compared
 * with its hash before it is used.
 */
public final class Bundle implements AutoCloseable {

    private final FileChannel file;
    private final TarIndex index;
    private final byte[] manifestBytes;
    private final BundleManifest manifest;
    private final Map<BundlePath, BundleManifest.FileEntry> entries = new LinkedHashMap<>();

    private Bundle(FileChannel file) throws IOException, BundleException {
        this.file = file;
        // Manifest and signature are the other two.
        this.index = TarIndex.read(file, BundleManifest.MAX_FILES + 2);
        this.manifestBytes = index.read(new BundlePath(BundlePath.Part.MANIFEST, ""));
        this.manifest = BundleManifest.read(manifestBytes);
        compare();
    }

    /**
     * Opens a bundle.
     *
     * @throws BundleException if the file is not a bundle, or not the one that its manifest describes
     */
    public static Bundle open(Path path) throws IOException, BundleException {
        FileChannel file = FileChannel.open(path, StandardOpenOption.READ);
        try {
            return new Bundle(file);
        } catch (IOException | BundleException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /** Requires that the archive has exactly the files of the manifest, and all files of each build. */
    private void compare() throws BundleException {
        Set<BundlePath> expected = new HashSet<>();
        for (BundleManifest.BuildEntry build : manifest.builds()) {
            expected.add(BundlePath.of(build.id(), BundlePath.Part.BUILD));
            expected.add(BundlePath.of(build.id(), BundlePath.Part.TYPES));
            expected.add(BundlePath.of(build.id(), BundlePath.Part.SYMBOLS));
        }
        for (BundleManifest.FileEntry entry : manifest.files()) {
            BundlePath path = BundlePath.require(entry.path());
            TarIndex.Place place = index.places().get(path);
            if (place == null) {
                throw new BundleException(entry.path() + " is missing");
            }
            if (place.bytes() != entry.bytes()) {
                throw new BundleException(entry.path() + ": " + place.bytes() + " bytes; expected " + entry.bytes());
            }
            boolean isKnown = path.part() == BundlePath.Part.SET || expected.remove(path);
            if (!isKnown || entries.put(path, entry) != null) {
                throw new BundleException(BundlePath.MANIFEST + ": " + entry.path()
                        + ": expected each file of a build in the list of builds, once");
            }
        }
        if (!expected.isEmpty()) {
            throw new BundleException(BundlePath.MANIFEST + " does not name "
                    + expected.iterator().next());
        }
        for (BundlePath path : index.places().keySet()) {
            if (path.part() != BundlePath.Part.MANIFEST
                    && path.part() != BundlePath.Part.SIGNATURE
                    && !entries.containsKey(path)) {
                throw new BundleException(BundlePath.MANIFEST + " does not name " + path);
            }
        }
    }

    public BundleManifest manifest() {
        return manifest;
    }

    /** Returns the bytes that the signature is over. */
    public byte[] signedBytes() {
        return manifestBytes.clone();
    }

    /** Returns the signature; empty if the bundle has none. */
    public Optional<byte[]> signature() throws IOException, BundleException {
        BundlePath path = new BundlePath(BundlePath.Part.SIGNATURE, "");
        return index.places().containsKey(path) ? Optional.of(index.read(path)) : Optional.empty();
    }

    /**
     * Compares every file with its hash, and reads what it says of each build and type set.
     *
     * @throws BundleException if one is damaged
     */
    public void verify() throws IOException, BundleException {
        for (Map.Entry<BundlePath, BundleManifest.FileEntry> entry : entries.entrySet()) {
            MessageDigest digest = Sha256.digest();
            index.read(entry.getKey(), (bytes, length) -> digest.update(bytes, 0, length));
            requireHash(entry.getValue(), digest.digest());
        }
        for (BundleManifest.BuildEntry entry : manifest.builds()) {
            BundlePath path = BundlePath.of(entry.id(), BundlePath.Part.BUILD);
            BundledBuild build = BundledBuild.read(path, content(path));
            if (!BundleManifest.BuildEntry.of(build).equals(entry)) {
                throw new BundleException(path + ": differs from the entry of the build in " + BundlePath.MANIFEST);
            }
            BuildArchive.requireSource(
                    build,
                    index.bytes(BundlePath.of(entry.id(), BundlePath.Part.TYPES)),
                    index.bytes(BundlePath.of(entry.id(), BundlePath.Part.SYMBOLS)));
        }
        for (String set : setNames()) {
            set(set);
        }
    }

    private static void requireHash(BundleManifest.FileEntry entry, byte[] hash) throws BundleException {
        if (!Arrays.equals(hash, HexFormat.of().parseHex(entry.sha256()))) {
            throw new BundleException(entry.path() + ": damaged or changed: its SHA-256 is "
                    + HexFormat.of().formatHex(hash) + "; expected " + entry.sha256());
        }
    }

    private byte[] content(BundlePath path) throws IOException, BundleException {
        byte[] content = index.read(path);
        BundleManifest.FileEntry entry = entries.get(path);
        if (entry == null) {
            throw new BundleException(path + " is missing");
        }
        requireHash(entry, Sha256.digest().digest(content));
        return content;
    }

    /**
     * Returns the build-id of the build with this key; empty if the bundle has none. An alias never stands for a build that the
     * bundle has, nor for a GNU build-id: both name their own build only, as on a server.
     */
    public Optional<BuildId> find(BuildId key) {
        if (index.places().containsKey(BundlePath.of(key, BundlePath.Part.BUILD))) {
            return Optional.of(key);
        }
        return manifest.builds().stream()
                .filter(build -> !key.isGnu() && build.aliases().contains(key))
                .map(BundleManifest.BuildEntry::id)
                .findFirst();
    }

    /** Returns a build of the bundle. */
    public BuildArchive build(BuildId id) throws IOException, BundleException {
        BundlePath path = BundlePath.of(id, BundlePath.Part.BUILD);
        return BuildArchive.of(
                BundledBuild.read(path, content(path)),
                content(BundlePath.of(id, BundlePath.Part.TYPES)),
                content(BundlePath.of(id, BundlePath.Part.SYMBOLS)));
    }

    /** Returns the names of the type sets. */
    public List<String> setNames() {
        List<String> names = new ArrayList<>();
        for (BundlePath path : entries.keySet()) {
            if (path.part() == BundlePath.Part.SET) {
                names.add(path.name());
            }
        }
        return names;
    }

    /** Returns a type set of the bundle. */
    public TypeSet set(String name) throws IOException, BundleException {
        BundlePath path = BundlePath.ofSet(name);
        TypeSet set;
        try {
            set = TypeSetParser.parse(content(path));
        } catch (TypeSetSyntaxException e) {
            throw new BundleException(path + ": " + e.getMessage(), e);
        }
        if (!set.name().equals(name)) {
            throw new BundleException(path + ": the set is named " + set.name());
        }
        return set;
    }

    /**
     * Returns the type sets of the bundle, and the others of this source.
     *
     * @throws BundleException if one is damaged
     */
    public TypeSetSource sets(TypeSetSource others) throws IOException, BundleException {
        Map<String, TypeSet> own = new LinkedHashMap<>();
        for (String name : setNames()) {
            own.put(name, set(name));
        }
        return new TypeSetSource() {
            @Override
            public Optional<TypeSet> find(String name) {
                return Optional.ofNullable(own.get(name)).or(() -> others.find(name));
            }

            @Override
            public Set<String> names() {
                Set<String> names = new HashSet<>(others.names());
                names.addAll(own.keySet());
                return names;
            }
        };
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
