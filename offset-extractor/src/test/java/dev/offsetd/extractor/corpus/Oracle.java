package dev.offsetd.extractor.corpus;

import dev.offsetd.extractor.testkit.Bpftool;
import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.ExpectedDefinition;
import dev.offsetd.extractor.testkit.LlvmDwarfdump;
import dev.offsetd.extractor.testkit.Readelf;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.util.Iterator;

/** A tool that prints every DIE of a file, as the reference for the definitions that the reader finds. */
public enum Oracle {
    READELF("readelf") {
        @Override
        Iterator<ExpectedDefinition> definitions(CorpusFile file) throws IOException {
            return Readelf.read(file.dumped(), file.supplementary(), Readelf.byteOrder(file.dumped()))
                    .iterator();
        }

        @Override
        String version() throws IOException {
            return RequiredTool.require("readelf")
                    .output("--version")
                    .lines()
                    .findFirst()
                    .orElse("");
        }
    },
    LLVM_DWARFDUMP("llvm-dwarfdump") {
        @Override
        Iterator<ExpectedDefinition> definitions(CorpusFile file) throws IOException {
            return LlvmDwarfdump.read(file.dumped(), Readelf.byteOrder(file.dumped()))
                    .iterator();
        }

        @Override
        String version() throws IOException {
            return "llvm-dwarfdump "
                    + RequiredTool.require("llvm-dwarfdump")
                            .output("--version")
                            .lines()
                            .filter(line -> line.contains("version"))
                            .findFirst()
                            .orElse("")
                            .strip();
        }
    },
    BPFTOOL("bpftool") {
        @Override
        Iterator<ExpectedDefinition> definitions(CorpusFile file) throws IOException {
            return Bpftool.definitions(bpftool(), file.dumped(), Readelf.pointerBytes(file.dumped()))
                    .iterator();
        }

        @Override
        String version() throws IOException {
            return bpftool().output("version").lines().findFirst().orElse("");
        }
    };

    private final String command;

    /**
     * Returns Debian's bpftool. An installed one may be a wrapper script that needs the running kernel's tools, so this is the
     * package's binary.
     */
    public static RequiredTool bpftool() throws IOException {
        return RequiredTool.at(
                DebianPackages.unpacked("bpftool", Compiled.ARCHITECTURE).resolve("usr/sbin/bpftool"));
    }

    Oracle(String command) {
        this.command = command;
    }

    /** Returns the definitions that the tool prints, in DIE order. */
    abstract Iterator<ExpectedDefinition> definitions(CorpusFile file) throws IOException;

    /** Returns the tool's name and version as the tool prints them. */
    abstract String version() throws IOException;

    @Override
    public String toString() {
        return command;
    }
}
