package dev.offsetd.extractor.corpus;

import dev.offsetd.extractor.testkit.Bpftool;
import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.ExpectedDefinition;
import dev.offsetd.extractor.testkit.LlvmDwarfdump;
import dev.offsetd.extractor.testkit.Readelf;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.util.Iterator;

/** A tool that prints what stands in a file, and so says what is true of each of its DIEs. */
enum Oracle {
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

        // Not one that is installed: elsewhere it is a script that wants the tool of the running kernel.
        private RequiredTool bpftool() throws IOException {
            return RequiredTool.at(
                    DebianPackages.unpacked("bpftool", Compiled.ARCHITECTURE).resolve("usr/sbin/bpftool"));
        }
    };

    private final String command;

    Oracle(String command) {
        this.command = command;
    }

    /** What the tool says, in the order of the DIEs. */
    abstract Iterator<ExpectedDefinition> definitions(CorpusFile file) throws IOException;

    /** Name and version as the tool says them. */
    abstract String version() throws IOException;

    @Override
    public String toString() {
        return command;
    }
}
