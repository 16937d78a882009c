package dev.offsetd.query.typeset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField.Kind;
import dev.offsetd.extractor.identity.Probes;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The probes of the built-in sets, all together, in programs of Debian and in the system's own. */
class ProbesIntegrationTests {

    private static final Probes PROBES = TypeSet.probes(new BuiltInTypeSets().all());

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 1).withProbes(PROBES);

    @ParameterizedTest
    @CsvSource({
        "libruby3.1, libruby-3.1.so.3.1, ruby, 3.1.",
        "php8.2-cli, php8.2, php, 8.2.",
        "python3.11-minimal, python3.11, python, 3.11.",
        "libpython3.11, libpython3.11.so.1.0, python, 3.11.",
        "libperl5.36, libperl.so.5.36, perl, 5.36.",
        "libluajit-5.1-2, libluajit-5.1.so.2.1.0, luajit, 2.1.0-beta3",
        "libc6, libc.so.6, glibc, 2.36",
        "libc6, ld-linux-x86-64.so.2, glibc, 2.36",
        "libgnutls30, libgnutls.so.30.34.3, gnutls, 3.7."
    })
    void eachSetFindsTheVersionOfItsRuntime(String packageName, String file, String set, String version)
            throws IOException, ExtractionException {
        Identity identity = DebugInfo.read(program(packageName, file), OPTIONS, DebugInfo::identity);

        assertThat(identity.first(Kind.PROJECT)).contains(set);
        assertThat(identity.first(Kind.VERSION)).get().asString().startsWith(version);
        assertThat(identity.all(Kind.VERSION)).hasSize(1);
        assertThat(identity.fields())
                .filteredOn(field -> field.kind() == Kind.VERSION)
                .allMatch(field -> field.source().equals(".rodata (@" + set + " probe)") && !field.derived());
    }

    private static Path program(String packageName, String name) throws IOException {
        try (Stream<Path> files = Files.walk(DebianPackages.unpacked(packageName, "amd64"))) {
            return files.filter(path -> path.endsWith("bin/" + name)
                            || path.getFileName().toString().contains(".so."))
                    .filter(path -> path.getFileName().toString().equals(name))
                    .findFirst()
                    .orElseThrow(() -> RequiredTool.unavailable(packageName + " has no " + name));
        }
    }

    @ParameterizedTest
    @CsvSource({"bash", "readelf", "gdb"})
    void otherProgramsAreNotTakenForARuntime(String tool) throws IOException, ExtractionException {
        Path program = RequiredTool.require(tool).path().toRealPath();

        assertThat(DebugInfo.read(program, OPTIONS, DebugInfo::identity).first(Kind.PROJECT))
                .isEmpty();
    }
}
