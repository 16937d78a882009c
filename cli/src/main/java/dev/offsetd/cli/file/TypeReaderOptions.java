package dev.offsetd.cli.file;

import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.extractor.ReadOptions;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Options of the commands that read the types of one file, which may need another file. */
final class TypeReaderOptions extends ReaderOptions {

    private final Supplier<@Nullable Path> supplementary;
    private final Supplier<@Nullable Path> btfBase;

    TypeReaderOptions(Command command) {
        super(command);
        supplementary = command.option(
                "--supplementary",
                "FILE",
                Path.class,
                "supplementary file of FILE, made by dwz (default: searched beside FILE, in .dwz/ there and"
                        + " above, and in --debug-dir)");
        btfBase = command.option(
                "--btf-base",
                "FILE",
                Path.class,
                "vmlinux that a kernel module was built for, because the module's BTF extends the kernel's");
    }

    @Override
    public ReadOptions readOptions() throws CommandFailure {
        ReadOptions options = super.readOptions();
        Path other = supplementary.get();
        if (other != null) {
            options = options.withSupplementaryFile(other);
        }
        Path base = btfBase.get();
        return base == null ? options : options.withBaseBtf(base);
    }
}
