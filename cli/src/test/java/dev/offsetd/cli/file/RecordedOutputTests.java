package dev.offsetd.cli.file;

import dev.offsetd.cli.CommandLineRun;
import dev.offsetd.extractor.testkit.Transcript;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The commands that read files print what they printed when {@code src/test/resources/recorded} was recorded. */
@Tag("long")
class RecordedOutputTests {

    /** The fixtures that the recorded commands name, and the files that these need beside them. */
    private static final String[] FILES = {
        "clang14-dwarf5-s390x-eb/layout.debug",
        "clang14-dwarf5-split-typeunits-dwp/layout.debug",
        "clang14-dwarf5-split-typeunits-dwp/layout.debug.dwp",
        "clang14-dwarf5-x86_64-el/layout.debug",
        "gcc12-dwarf2-x86_64-el/layout.debug",
        "gcc12-dwarf4-typeunits-el/layout.debug",
        "gcc12-dwarf5-cxx-x86_64-el/cxx.debug",
        "gcc12-dwarf5-dwz-el/layout.debug",
        "gcc12-dwarf5-i386-el/layout.debug",
        "gcc12-dwarf5-relocatable/s390x.o",
        "gcc12-dwarf5-s390x-eb/layout.debug",
        "gcc12-dwarf5-scalars-el/scalars.debug",
        "gcc12-dwarf5-split-dwo/layout.debug",
        "gcc12-dwarf5-split-dwo/layout.dwo",
        "gcc12-dwarf5-supplementary-el/common.dwz",
        "gcc12-dwarf5-supplementary-el/layout.debug",
        "gcc12-dwarf5-x86_64-el/layout.debug",
        "go119-dwarf4-x86_64-el/types.debug",
        "pahole-btf-split-x86_64-el/kernel.debug",
        "pahole-btf-split-x86_64-el/module.debug",
        "pahole-btf-x86_64-el/layout.debug",
        "relocatable-machines/mips64el.o",
        "rustc-dwarf4-x86_64-el/enums.o",
    };

    @TempDir
    private Path scratch;

    @TestFactory
    Stream<DynamicContainer> recordedOutput() throws IOException {
        for (String file : FILES) {
            Path target = scratch.resolve(file);
            Files.createDirectories(target.getParent());
            try (InputStream in =
                    Objects.requireNonNull(Transcript.class.getResourceAsStream("/fixtures/" + file), file)) {
                Files.copy(in, target);
            }
        }
        return Transcript.tests("recorded", this::run);
    }

    /** Returns standard output and the exit code. Messages on standard error are not recorded: they may be reworded. */
    private String run(String command) {
        String[] arguments = Transcript.words(command).stream()
                .map(word -> word.endsWith(".debug") || word.endsWith(".o") || word.endsWith(".dwz")
                        ? scratch.resolve(word).toString()
                        : word)
                .toArray(String[]::new);
        CommandLineRun run = CommandLineRun.of(arguments);
        return run.out().replace(scratch + "/", "")
                + (run.exitCode() == 0 ? "" : "[exit code " + run.exitCode() + "]\n");
    }
}
