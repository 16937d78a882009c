package dev.offsetd.query.bundle;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.Sha256;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Writes a bundle: the files of each build, the type sets, the manifest and its signature. */
public final class BundleWriter {

    private final TarWriter archive;
    private final List<BundleManifest.FileEntry> files = new ArrayList<>();
    private final List<BundleManifest.BuildEntry> builds = new ArrayList<>();
    private final Set<BundlePath> paths = new HashSet<>();

    public BundleWriter(OutputStream out) {
        this.archive = new TarWriter(out);
    }

    /** Signs the bytes of the manifest. */
    @FunctionalInterface
    public interface Signer<E extends Exception> {

        /** Returns the signature; empty for none. */
        byte[] sign(byte[] manifest) throws IOException, E;
    }

    /**
     * Adds a build.
     *
     * @return false if it is in the bundle already
     * @throws BundleException if the bundle has too many builds
     */
    public boolean add(BuildArchive build) throws IOException, BundleException {
        BundlePath path = BundlePath.of(build.build().id(), BundlePath.Part.BUILD);
        if (paths.contains(path)) {
            return false;
        }
        if (builds.size() == BundleManifest.MAX_BUILDS) {
            throw new BundleException("more than " + BundleManifest.MAX_BUILDS + " builds; make several bundles");
        }
        builds.add(BundleManifest.BuildEntry.of(build.build()));
        put(path, build.build().toJson());
        put(BundlePath.of(build.build().id(), BundlePath.Part.TYPES), build.types());
        put(BundlePath.of(build.build().id(), BundlePath.Part.SYMBOLS), build.symbols());
        return true;
    }

    /** Adds the document of a type set. */
    public void addSet(String name, byte[] json) throws IOException, BundleException {
        BundlePath path = BundlePath.ofSet(name);
        if (BundlePath.parse(path.toString()).isEmpty()) {
            throw new BundleException("type set " + HostileText.quote(name) + ": the name cannot be that of a file");
        }
        put(path, json);
    }

    private void put(BundlePath path, byte[] content) throws IOException, BundleException {
        if (content.length > path.part().maxBytes()) {
            throw new BundleException(path + ": " + content.length + " bytes; the limit is "
                    + path.part().maxBytes());
        }
        if (!paths.add(path)) {
            throw new BundleException(path + ": duplicate file");
        }
        archive.put(path, content);
        files.add(new BundleManifest.FileEntry(path.toString(), content.length, Sha256.hex(content)));
    }

    /** Writes manifest and signature, and ends the archive. */
    public <E extends Exception> BundleManifest finish(
            String product, Instant createdAt, String server, Signer<E> signer) throws IOException, BundleException, E {
        BundleManifest manifest = new BundleManifest(product, createdAt, server, builds, files);
        byte[] json = manifest.toJson();
        byte[] signature = signer.sign(json);
        put(new BundlePath(BundlePath.Part.MANIFEST, ""), json);
        if (signature.length > 0) {
            put(new BundlePath(BundlePath.Part.SIGNATURE, ""), signature);
        }
        archive.finish();
        return manifest;
    }
}
