package dev.offsetd.cli;

import dev.offsetd.cli.file.DebugFileFinder;
import dev.offsetd.cli.terminal.ByteProgress;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.input.Limits;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Options of the commands that read the types of one file, and the extractor that they ask for. */
final class ExtractorOptions {

    private final Console console;
    private final Supplier<List<Path>> debugDirs;
    private final Supplier<Optional<Path>> supplementary;
    private final Supplier<Optional<Path>> btfBase;
    private final Supplier<Optional<Integer>> threads;

    ExtractorOptions(Console console, Syntax syntax, Supplier<List<Path>> debugDirs) {
        this.console = console;
        this.debugDirs = debugDirs;
        supplementary = syntax.option(
                "--supplementary",
                "FILE",
                Path.class,
                "supplementary file of FILE, made by dwz (default: searched beside FILE, in .dwz/ there and"
                        + " above, and in --debug-dir)");
        btfBase = syntax.option(
                "--btf-base",
                "FILE",
                Path.class,
                "vmlinux that a kernel module was built for, because the module's BTF extends the kernel's");
        threads = threads(syntax);
    }

    OffsetExtractor extractor() throws CommandFailure {
        OffsetExtractor extractor =
                reading(console, Arguments.threads(threads.get())).withDebugFolders(folders(debugDirs.get()));
        if (supplementary.get().isPresent()) {
            extractor = extractor.withSupplementaryFile(supplementary.get().get());
        }
        return btfBase.get().isPresent() ? extractor.withBaseBtf(btfBase.get().get()) : extractor;
    }

    static Supplier<List<Path>> debugDirs(Syntax syntax) {
        return syntax.options(
                "-d,--debug-dir",
                "DIR",
                Path.class,
                "folder with installed debug files, by build-id, .gnu_debuglink or in .dwz/; repeatable"
                        + " (default: /usr/lib/debug)");
    }

    static Supplier<Optional<Integer>> threads(Syntax syntax) {
        return syntax.option(
                "--threads", "N", Integer.class, "threads that read the file (default: one per processor)");
    }

    static List<Path> folders(List<Path> debugDirs) {
        return debugDirs.isEmpty() ? List.of(DebugFileFinder.SYSTEM_FOLDER) : debugDirs;
    }

    static OffsetExtractor extractor(int threads) {
        return new OffsetExtractor(Limits.DEFAULT, threads).followingAnyPath();
    }

    /** Returns an extractor that shows its progress. */
    static OffsetExtractor reading(Console console, int threads) {
        return extractor(threads).withProgress(new ByteProgress(console, "reading")::update);
    }
}
