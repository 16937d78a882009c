package dev.offsetd.cli.file;

import dev.offsetd.cli.file.DebugFileFinder.DebugFile;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.BpfObject;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.layout.IdentityField;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.export.BtfRenderer;
import dev.offsetd.query.export.ExportLimitException;
import dev.offsetd.query.export.ExportRenderer;
import dev.offsetd.query.export.ExportedTypes;
import dev.offsetd.query.export.IsfRenderer;
import dev.offsetd.query.export.NameStyle;
import dev.offsetd.query.export.Omissions;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.store.StoredSymbols;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** {@code export FILE}: writes the types of a file in a format of other tools. */
public final class ExportCommand {

    private final OffsetExtractor extractor;
    private final DebugFileFinder files;
    private final Console console;

    public ExportCommand(OffsetExtractor extractor, DebugFileFinder files, Console console) {
        this.extractor = extractor;
        this.files = files;
        this.console = console;
    }

    /** Formats of other tools. */
    public enum ExportFormat {
        BTF,
        ISF
    }

    /**
     * Contents and format of an export.
     *
     * @param items types to export with everything that they hold by value; empty for all types
     * @param object BPF program whose CO-RE relocations name the types to export, instead of items
     * @param base kernel whose types a BTF has beside those of the file
     * @param report whether to list what is left out
     */
    public record Request(
            ExportFormat format,
            List<Item> items,
            Optional<Path> object,
            NameStyle names,
            Optional<Path> base,
            boolean report) {

        public Request {
            items = List.copyOf(items);
        }
    }

    /**
     * Exports the types of a file.
     *
     * @param out the file to write; empty for standard output
     */
    public int run(Path file, Request request, Optional<Path> out) throws CommandFailure, IOException {
        ExtractionReport read = read(file);
        ExportedTypes base = null;
        if (request.base().isPresent()) {
            base = ExportedTypes.whole(read(request.base().get()).types(), request.names());
        }
        ExportRenderer renderer = switch (request.format()) {
            case BTF -> new BtfRenderer(read.elf().architecture(), base);
            case ISF -> isf(file, read);
        };
        Omissions omissions = write(select(request, read.types(), renderer), renderer, out);
        if (request.report()) {
            omissions
                    .listed()
                    .forEach(omission -> console.say(
                            omission.name() + ": " + omission.reason().detail()));
        }
        if (omissions.count() > 0) {
            console.say(omissions.count() + " types, members and items left out"
                    + (request.report() ? "" : "; --report lists them"));
        }
        return ExitCode.OK;
    }

    private ExportRenderer isf(Path file, ExtractionReport read) throws CommandFailure {
        IsfRenderer.ExportedBuild build = new IsfRenderer.ExportedBuild(
                read.elf().buildId().orElse(null),
                read.elf().architecture(),
                OffsetExtractor.VERSION,
                read.identity().first(IdentityField.Kind.KERNEL_BANNER).orElse(null));
        return new IsfRenderer(
                build,
                StoredSymbols.of(
                        FileSymbols.read(file, extractor, files, console).table()));
    }

    private ExportedTypes select(Request request, TypeIndex types, ExportRenderer renderer) throws CommandFailure {
        if (request.object().isPresent()) {
            Path object = request.object().get();
            return ExportedTypes.named(
                    files.read(object, () -> BpfObject.relocatedTypes(beginning(object))), types, request.names());
        }
        return request.items().isEmpty()
                ? ExportedTypes.whole(types, request.names())
                : renderer.select(request.items(), types, request.names());
    }

    /** Returns the contents of a file; of one that is too large, as much as shows that. */
    private static byte[] beginning(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(BpfObject.MAX_BYTES + 1);
        }
    }

    private static Omissions write(ExportedTypes types, ExportRenderer renderer, Optional<Path> out)
            throws CommandFailure, IOException {
        try (OutputStream stream = new BufferedOutputStream(
                out.isPresent() ? Files.newOutputStream(out.get()) : new FileOutputStream(FileDescriptor.out))) {
            return renderer.render(types, stream);
        } catch (ExportLimitException e) {
            throw new CommandFailure(ExitCode.BAD_FILE, String.valueOf(e.getMessage()));
        }
    }

    private ExtractionReport read(Path file) throws CommandFailure {
        DebugFile debugFile = files.withTypes(file);
        console.progress("reading " + debugFile.path());
        ExtractionReport report = files.extract(debugFile.path(), () -> extractor.extractAll(debugFile.path()));
        console.clearProgress();
        return report;
    }
}
