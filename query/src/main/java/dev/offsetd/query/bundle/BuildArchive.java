package dev.offsetd.query.bundle;

import dev.offsetd.extractor.builds.BuildId;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * One build as servers send and receive it: an archive of its three files, which have the same paths as in a bundle.
 *
 * @param types blob of a stored catalogue; empty if the build has no types
 * @param symbols blob of stored symbols; empty if the build has none
 */
// Never compared, and copying blobs of many megabytes to protect them is too expensive.
@SuppressWarnings("ArrayRecordComponent")
public record BuildArchive(BundledBuild build, byte[] types, byte[] symbols) {

    /** Largest archive. */
    public static final long MAX_BYTES = (long) BundlePath.Part.BUILD.maxBytes()
            + BundlePath.Part.TYPES.maxBytes()
            + BundlePath.Part.SYMBOLS.maxBytes()
            + (1 << 16);

    private static final int FILES = 3;

    /** Returns the archive of these files. */
    static BuildArchive of(BundledBuild build, byte[] types, byte[] symbols) throws BundleException {
        requireSource(build, types.length, symbols.length);
        return new BuildArchive(build, types, symbols);
    }

    /**
     * Requires a source of types and symbols.
     *
     * @param types bytes of the types
     * @param symbols bytes of the symbols
     */
    static void requireSource(BundledBuild build, long types, long symbols) throws BundleException {
        if (build.source() == null && (types > 0 || symbols > 0)) {
            throw new BundleException(
                    BundlePath.of(build.id(), BundlePath.Part.BUILD) + ": source is missing; expected one for " + types
                            + " bytes of types and " + symbols + " of symbols");
        }
    }

    /** Writes the archive. */
    public void writeTo(OutputStream out) throws IOException {
        TarWriter archive = new TarWriter(out);
        archive.put(BundlePath.of(build.id(), BundlePath.Part.BUILD), build.toJson());
        archive.put(BundlePath.of(build.id(), BundlePath.Part.TYPES), types);
        archive.put(BundlePath.of(build.id(), BundlePath.Part.SYMBOLS), symbols);
        archive.finish();
    }

    /** Returns the archive. */
    public byte[] toBytes() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(types.length + symbols.length + (1 << 16));
        writeTo(bytes);
        return bytes.toByteArray();
    }

    /**
     * Reads the archive of a build.
     *
     * @throws BundleException if the file is not an archive of this build
     */
    public static BuildArchive read(Path file, BuildId id) throws IOException, BundleException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            TarIndex index = TarIndex.read(channel, FILES);
            BundlePath build = BundlePath.of(id, BundlePath.Part.BUILD);
            for (BundlePath path : index.places().keySet()) {
                if (!path.name().equals(id.toString())) {
                    throw new BundleException(path + ": expected files of build " + id);
                }
            }
            return of(
                    BundledBuild.read(build, index.read(build)),
                    index.read(BundlePath.of(id, BundlePath.Part.TYPES)),
                    index.read(BundlePath.of(id, BundlePath.Part.SYMBOLS)));
        }
    }
}
