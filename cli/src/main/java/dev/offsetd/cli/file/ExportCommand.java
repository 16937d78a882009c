package dev.offsetd.cli.file;

import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.command.Items;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.BpfObject;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.export.BtfRenderer;
import dev.offsetd.query.export.ExportLimitException;
import dev.offsetd.query.export.ExportRenderer;
import dev.offsetd.query.export.ExportedTypes;
import dev.offsetd.query.export.IsfRenderer;
import dev.offsetd.query.export.NameStyle;
import dev.offsetd.query.export.OmissionReason;
import dev.offsetd.query.export.Omissions;
import dev.offsetd.query.export.Omissions.Omission;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.Suggestions;
import dev.offsetd.query.symbol.StoredSymbols;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code export FILE}: writes the types of a file in a format of other tools. */
public final class ExportCommand extends Command {

    private static final Path STANDARD_OUTPUT = Path.of("-");

    private final Supplier<Path> file = parameter("FILE", Path.class, DebugFileFinder.FILE);
    private final Supplier<@Nullable ExportFormat> format =
            choice("-f,--format", "FORMAT", words(ExportFormat.values()), "btf or isf");
    private final Supplier<List<String>> types = options(
            "-t,--types",
            "ITEMS",
            String.class,
            Items.DESCRIPTION + ", with what they hold by value (default: every type)");
    private final Supplier<@Nullable Path> object =
            option("--object", "BPF", Path.class, "only the types that a compiled BPF program relocates (CO-RE)");
    private final Supplier<@Nullable NameStyle> names =
            choice("--names", "STYLE", words(NameStyle.values()), "spelled (default), or c (identifiers)");
    private final Supplier<@Nullable Path> base =
            option("--base", "FILE", Path.class, "BTF: kernel whose types to add, and whose names take precedence");
    private final BooleanSupplier report = flag("--report", "list what is left out");
    private final Supplier<@Nullable Path> out =
            option("-o,--output", "OUT", Path.class, "file to write (default: -, standard output)");
    private final TypeReaderOptions reader = new TypeReaderOptions(this);

    /** Formats of other tools. */
    private enum ExportFormat {
        BTF,
        ISF
    }

    public ExportCommand(Console console) {
        super(
                console,
                "Write the types of a file in a format of other tools.",
                "Only declares the types that the selected ones point to; see docs/exports.md.");
        examples(
                "offsetd export libruby.so --format btf -o libruby.btf",
                "offsetd export libruby.so --format btf --types @ruby -o ruby.btf",
                "offsetd export libruby.so --format btf --base /boot/vmlinux -o both.btf",
                "offsetd export vmlinux --format isf -o vmlinux.json");
        exitCodes(
                "0:written, with every item",
                "1:written without an item that was not found; standard error names it",
                "2:invalid items",
                "3:a file is unreadable or has no debug information");
    }

    @Override
    public Integer call() throws CommandFailure, IOException {
        ExportFormat wanted = format.get();
        if (wanted == null) {
            throw CommandFailure.usage("--format is missing; expected btf or isf");
        }
        if (base.get() != null && wanted == ExportFormat.ISF) {
            throw CommandFailure.usage("--base is given with --format isf; expected btf");
        }
        if (object.get() != null && !types.get().isEmpty()) {
            throw CommandFailure.usage("--types and --object are both given; expected one of them");
        }
        if (wanted == ExportFormat.BTF && isTerminal(target())) {
            throw CommandFailure.usage("BTF is binary, and the output is a terminal; expected a file or a pipe");
        }
        List<String> words = types.get();
        List<Item> sent = words.isEmpty() ? List.of() : Items.parse(words);
        List<Item> items = words.isEmpty() ? List.of() : Items.expand(words).items();
        DebugFileFinder files = reader.filesWithoutMissingUnits(console);
        ExtractionReport read = files.extractAll(file.get());
        ExportRenderer renderer = switch (wanted) {
            case BTF -> new BtfRenderer(read.elf().architecture(), base(files));
            case ISF -> isf(read, files);
        };
        Omissions omissions = write(select(items, read.types(), renderer, files), renderer);
        Map<String, List<String>> missing = missing(omissions, sent, read.types());
        for (Omission omission : omissions.listed()) {
            List<String> similar = missing.get(omission.name());
            if (report.getAsBoolean() || similar != null) {
                console.say(omission.name() + ": " + omission.reason().detail()
                        + (similar == null || similar.isEmpty() ? "" : "; " + Suggestions.sentence(similar)));
            }
        }
        if (omissions.count() > missing.size()) {
            console.say("types, members and items left out: " + omissions.count()
                    + (report.getAsBoolean() ? "" : "; --report lists them"));
        }
        return missing.isEmpty() ? ExitCode.OK : ExitCode.INCOMPLETE;
    }

    /** Returns the names that the user asks for and the file lacks, with similar ones. */
    private Map<String, List<String>> missing(Omissions omissions, List<Item> sent, TypeIndex index) {
        BuildContents build = BuildContents.ofTypes(index);
        Suggestions suggestions = new Suggestions(build);
        Map<String, List<String>> missing = new LinkedHashMap<>();
        for (Omission omission : omissions.listed()) {
            if (omission.reason() != OmissionReason.NOT_FOUND) {
                continue;
            }
            // The kernel may have what a program relocates and the file lacks.
            if (object.get() != null && base.get() == null) {
                missing.put(omission.name(), List.of());
            }
            for (Item item : sent) {
                if (item.text().equals(omission.name())) {
                    ItemAnswer answer = ItemResolver.resolve(item, build, null);
                    missing.put(item.text(), suggestions.addTo(answer).suggestions());
                }
            }
        }
        return missing;
    }

    private boolean isTerminal(@Nullable Path target) {
        return target == null ? console.isOutputTerminal() : Console.isTerminal(target);
    }

    /** The file to write; null for standard output. */
    private @Nullable Path target() {
        Path target = out.get();
        return target == null || target.equals(STANDARD_OUTPUT) ? null : target;
    }

    private NameStyle style() {
        NameStyle style = names.get();
        return style == null ? NameStyle.SPELLED : style;
    }

    private @Nullable ExportedTypes base(DebugFileFinder files) throws CommandFailure {
        Path kernel = base.get();
        return kernel == null
                ? null
                : ExportedTypes.whole(files.extractAll(kernel).types(), style());
    }

    private ExportRenderer isf(ExtractionReport read, DebugFileFinder files) throws CommandFailure {
        IsfRenderer.ExportedBuild build = new IsfRenderer.ExportedBuild(
                read.elf().buildId(),
                read.elf().architecture(),
                PartVersions.TYPES,
                read.identity().first(IdentityField.Kind.KERNEL_BANNER).orElse(null));
        return new IsfRenderer(
                build,
                StoredSymbols.of(FileSymbols.read(file.get(), files, console).table()));
    }

    private ExportedTypes select(List<Item> items, TypeIndex index, ExportRenderer renderer, DebugFileFinder files)
            throws CommandFailure {
        Path program = object.get();
        if (program != null) {
            return ExportedTypes.named(
                    files.read(program, () -> BpfObject.relocatedTypes(beginning(program))), index, style());
        }
        return items.isEmpty() ? ExportedTypes.whole(index, style()) : renderer.select(items, index, style());
    }

    /** Returns the contents of a file; of one that is too large, as much as shows that. */
    private static byte[] beginning(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(BpfObject.MAX_BYTES + 1);
        }
    }

    private Omissions write(ExportedTypes exported, ExportRenderer renderer) throws CommandFailure, IOException {
        Path target = target();
        try (OutputStream stream = new BufferedOutputStream(
                target == null ? new FileOutputStream(FileDescriptor.out) : Files.newOutputStream(target))) {
            return renderer.render(exported, stream);
        } catch (ExportLimitException e) {
            throw new CommandFailure(ExitCode.BAD_FILE, String.valueOf(e.getMessage()));
        }
    }
}
