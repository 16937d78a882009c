package dev.offsetd.cli;

import dev.offsetd.cli.file.ExportCommand;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.query.export.NameStyle;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;

/** Options and parameters of {@code export}. */
final class ExportSyntax {

    private final FileCommands files;
    private final Console console;

    ExportSyntax(FileCommands files, Console console) {
        this.files = files;
        this.console = console;
    }

    CommandSpec export() {
        Syntax syntax = new Syntax(
                        "Write the types of a file in a format of other tools.",
                        "Only declares the types that the selected ones point to; see docs/exports.md.")
                .examples(
                        "offsetd export libruby.so --format btf -o libruby.btf",
                        "offsetd export libruby.so --format btf --types @ruby -o ruby.btf",
                        "offsetd export libruby.so --format btf --base /boot/vmlinux -o both.btf",
                        "offsetd export vmlinux --format isf -o vmlinux.json")
                .exitCodes("0:written", "2:invalid items", "3:a file is unreadable or has no debug information");
        Supplier<Path> file = syntax.parameter("FILE", Path.class, FileCommands.FILE);
        Supplier<Optional<ExportCommand.ExportFormat>> format = syntax.choice(
                "-f,--format", "FORMAT", ExportCommand.ExportFormat.class, List.of("btf", "isf"), "btf or isf");
        Supplier<List<String>> types = syntax.options(
                "-t,--types",
                "ITEMS",
                String.class,
                FileCommands.ITEMS + ", with what they hold by value (default: every type)");
        Supplier<Optional<Path>> object = syntax.option(
                "--object", "BPF", Path.class, "only the types that a compiled BPF program relocates (CO-RE)");
        Supplier<Optional<NameStyle>> names = syntax.choice(
                "--names", "STYLE", NameStyle.class, List.of("spelled", "c"), "spelled (default), or c (identifiers)");
        Supplier<Optional<Path>> base = syntax.option(
                "--base", "FILE", Path.class, "BTF: kernel whose types to add, and whose names take precedence");
        BooleanSupplier report = syntax.flag("--report", "list what is left out");
        Supplier<Optional<Path>> out =
                syntax.option("-o,--output", "OUT", Path.class, "file to write (default: standard output)");
        Supplier<List<Path>> debugDirs = ExtractorOptions.debugDirs(syntax);
        ExtractorOptions options = new ExtractorOptions(console, syntax, debugDirs);
        return syntax.does(() -> {
            OffsetExtractor extractor = options.extractor();
            if (base.get().isPresent() && format.get().equals(Optional.of(ExportCommand.ExportFormat.ISF))) {
                throw Arguments.usage("--base is given with --format isf; expected btf");
            }
            if (object.get().isPresent() && !types.get().isEmpty()) {
                throw Arguments.usage("--types and --object are both given; expected one of them");
            }
            ExportCommand.Request request = new ExportCommand.Request(
                    format.get().orElseThrow(() -> Arguments.usage("--format is missing; expected btf or isf")),
                    types.get().isEmpty()
                            ? List.of()
                            : Arguments.expand(Arguments.items(types.get())).items(),
                    object.get(),
                    names.get().orElse(NameStyle.SPELLED),
                    base.get(),
                    report.getAsBoolean());
            return new ExportCommand(
                            extractor.leavingOutMissingUnits(), files.files(extractor, debugDirs.get()), console)
                    .run(file.get(), request, out.get());
        });
    }
}
