package dev.offsetd.server.testkit;

import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.commons.codec.digest.DigestUtils;

/** Suites of Debian packages on this machine, and a configuration by which apt knows nothing else. */
public final class AptRepository {

    private final Path folder;

    private AptRepository(Path folder) {
        this.folder = folder;
    }

    /** Creates a repository for these architectures, the first of which is that of the machine. */
    public static AptRepository create(Path folder, String... architectures) throws IOException {
        for (String needed : new String[] {
            "state/lists/partial", "cache/archives/partial", "etc/apt.conf.d", "etc/preferences.d", "etc/sources.list.d"
        }) {
            Files.createDirectories(folder.resolve(needed));
        }
        Files.writeString(folder.resolve("status"), "");
        Files.writeString(folder.resolve("etc/sources.list"), "");
        AptRepository repository = new AptRepository(folder);
        Files.writeString(repository.configuration(), """
                Dir::State "%1$s/state";
                Dir::State::status "%1$s/status";
                Dir::Cache "%1$s/cache";
                Dir::Etc "%1$s/etc";
                Acquire::Languages "none";
                APT::Sandbox::User "root";
                APT::Architecture "%2$s";
                APT::Architectures { "%3$s"; };
                """.formatted(
                        folder, architectures[0], String.join("\"; \"", architectures)));
        return repository;
    }

    /** Returns the value of {@code APT_CONFIG}. */
    public Path configuration() {
        return folder.resolve("apt.conf");
    }

    /** Adds a package with one file to a suite; {@link #update()} makes it known. */
    public void add(String suite, String name, String version, String architecture, Path file) throws IOException {
        Path tree = folder.resolve("trees").resolve(suite + name + version + architecture);
        Files.createDirectories(tree.resolve("usr/lib"));
        Files.copy(file, tree.resolve("usr/lib").resolve(file.getFileName()));
        Files.writeString(Files.createDirectories(tree.resolve("DEBIAN")).resolve("control"), """
                Package: %s
                Version: %s
                Architecture: %s
                Maintainer: offsetd <offsetd@example.org>
                Description: small
                """.formatted(
                        name, version, architecture));
        Path archive = folder.resolve(suite);
        if (!Files.exists(archive)) {
            Files.createDirectories(archive);
            Files.writeString(
                    folder.resolve("etc/sources.list"),
                    "deb [trusted=yes] file:" + archive + " ./\n",
                    StandardOpenOption.APPEND);
        }
        Path deb = archive.resolve(name + "_" + version + "_" + architecture + ".deb");
        RequiredTool dpkg = RequiredTool.require("dpkg-deb");
        dpkg.output("--build", "--root-owner-group", tree, deb);
        Files.writeString(
                archive.resolve("Packages"),
                dpkg.output("--field", deb)
                        + "Filename: ./%s%nSize: %d%nSHA256: %s%n%n"
                                .formatted(
                                        deb.getFileName(),
                                        Files.size(deb),
                                        DigestUtils.sha256Hex(Files.readAllBytes(deb))),
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    /** Makes apt read what was added. */
    public void update() throws IOException {
        RequiredTool.require("apt-get").with("APT_CONFIG", configuration()).output("update", "-q");
    }
}
