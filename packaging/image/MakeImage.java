import com.google.cloud.tools.jib.api.Containerizer;
import com.google.cloud.tools.jib.api.Jib;
import com.google.cloud.tools.jib.api.JibContainerBuilder;
import com.google.cloud.tools.jib.api.TarImage;
import com.google.cloud.tools.jib.api.buildplan.AbsoluteUnixPath;
import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import com.google.cloud.tools.jib.api.buildplan.FilePermissions;
import com.google.cloud.tools.jib.api.buildplan.ImageFormat;
import com.google.cloud.tools.jib.api.buildplan.Platform;
import com.google.cloud.tools.jib.api.buildplan.Port;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Puts a release onto a base image, with Jib: no container engine, no registry. The result is a tar archive of an OCI
 * image layout. Equal inputs make equal bytes, whatever the times and owners of the files are.
 *
 * <pre>java MakeImage.java BASE.tar RELEASE OUTPUT.tar ARCHITECTURE VERSION COMMIT EPOCH LICENCE WORK</pre>
 *
 * BASE.tar is in the format of {@code docker save}; LICENCE may be empty.
 */
final class MakeImage {

    private static final String HOME = "/opt/offsetd";
    private static final String DATA = "/var/lib/offsetd";
    /** Folders of a release that are in layers of libraries. */
    private static final List<String> LAYERS = List.of("runtime/", "postgresql/", "lib/", "cli/lib/");
    /** Fixed for owners of volumes; the same as in the Dockerfile. */
    private static final String USER = "10001:10001";

    private final Instant time;

    private MakeImage(Instant time) {
        this.time = time;
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 9) {
            throw new IllegalArgumentException("expected 9 arguments: " + List.of(arguments));
        }
        Path release = Path.of(arguments[1]);
        MakeImage image = new MakeImage(Instant.ofEpochSecond(Long.parseLong(arguments[6])));
        Path work = Files.createDirectories(Path.of(arguments[8]));
        JibContainerBuilder builder = Jib.from(TarImage.at(Path.of(arguments[0])))
                .setPlatforms(Set.of(new Platform(arguments[3], "linux")))
                .setFormat(ImageFormat.OCI)
                .setCreationTime(image.time)
                // What changes least comes first, so that an upgrade transfers the last layers only.
                .addFileEntriesLayer(image.layer("runtime", release, List.of("runtime")))
                .addFileEntriesLayer(image.layer("libraries", release, List.of("postgresql", "lib", "cli/lib")))
                .addFileEntriesLayer(image.layer("offsetd", release, image.rest(release)))
                .addFileEntriesLayer(image.data(work))
                .setUser(USER)
                .setWorkingDirectory(AbsoluteUnixPath.get(DATA))
                .addVolume(AbsoluteUnixPath.get(DATA))
                .addExposedPort(Port.tcp(8080))
                .setEntrypoint(HOME + "/offsetd-server", "--listen", "0.0.0.0", "--data", DATA)
                .setLabels(labels(arguments[4], arguments[5], arguments[7]));
        builder.containerize(Containerizer.to(TarImage.at(Path.of(arguments[2])).named("offsetd:" + arguments[4]))
                .setOfflineMode(true)
                .setBaseImageLayersCache(work.resolve("base"))
                .setApplicationLayersCache(work.resolve("layers"))
                .setToolName("offsetd"));
    }

    private static TreeMap<String, String> labels(String version, String commit, String licence) {
        TreeMap<String, String> labels = new TreeMap<>();
        labels.put("org.opencontainers.image.title", "offsetd");
        labels.put("org.opencontainers.image.description", "struct offsets and symbols by ELF build-id");
        labels.put("org.opencontainers.image.version", version);
        labels.put("org.opencontainers.image.revision", commit);
        if (!licence.isEmpty()) {
            labels.put("org.opencontainers.image.licenses", licence);
        }
        return labels;
    }

    /** The files of a release that are in no other layer. */
    private List<String> rest(Path release) throws Exception {
        try (Stream<Path> files = Files.walk(release)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> release.relativize(file).toString())
                    .filter(file -> LAYERS.stream().noneMatch(file::startsWith))
                    .toList();
        }
    }

    private FileEntriesLayer layer(String name, Path release, List<String> paths) throws Exception {
        FileEntriesLayer.Builder layer = FileEntriesLayer.builder().setName(name);
        for (String path : paths) {
            layer.addEntryRecursive(
                    release.resolve(path),
                    AbsoluteUnixPath.get(HOME + "/" + path),
                    (source, target) -> FilePermissions.fromOctalString(Files.isExecutable(source) ? "755" : "644"),
                    (source, target) -> time);
        }
        return layer.build();
    }

    /** The empty data folder. The server's user owns it, as it will own a new volume. */
    private FileEntriesLayer data(Path work) throws Exception {
        return FileEntriesLayer.builder()
                .setName("data")
                .addEntry(
                        Files.createDirectories(work.resolve("data")),
                        AbsoluteUnixPath.get(DATA),
                        FilePermissions.fromOctalString("700"),
                        time,
                        USER)
                .build();
    }
}
