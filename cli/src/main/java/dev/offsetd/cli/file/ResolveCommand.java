package dev.offsetd.cli.file;

import dev.offsetd.cli.file.DebugFileFinder.DebugFile;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.query.answer.ResolutionText;
import dev.offsetd.query.answer.ResolutionWriter;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.SymbolSearch;
import dev.offsetd.query.resolve.OffsetAnswer;
import dev.offsetd.query.resolve.OffsetExpression;
import dev.offsetd.query.resolve.Resolution;
import dev.offsetd.query.store.StoredSymbols;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.SymbolTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code resolve FILE EXPR}: prints the members that contain a byte of a variable or type. */
public final class ResolveCommand {

    private final OffsetExtractor extractor;
    private final DebugFileFinder files;
    private final Console console;

    public ResolveCommand(OffsetExtractor extractor, DebugFileFinder files, Console console) {
        this.extractor = extractor;
        this.files = files;
        this.console = console;
    }

    /** Prints the chain of members from the variable or type to the byte. */
    public int run(Path file, OffsetExpression expression, Optional<Language.Family> language, boolean asJson)
            throws CommandFailure, IOException {
        DebugFile debugFile = files.withTypes(file);
        console.progress("reading " + debugFile.path());
        Set<String> names = expression.names();
        ExtractionReport report = extract(debugFile.path(), names, expression.kind() == null ? names : Set.of());
        Resolution resolution = Resolution.of(expression, report.types(), language.orElse(null));
        StoredSymbols symbols = null;
        if (resolution.mayHaveAlias()) {
            symbols = StoredSymbols.of(
                    SymbolTable.of(files.read(debugFile.path(), () -> extractor.symbols(debugFile.path()))));
            resolution = resolveByAlias(debugFile.path(), resolution, symbols, language)
                    .orElse(resolution);
        }
        if (resolution.answer().status() == OffsetAnswer.Status.NOT_FOUND) {
            resolution = suggesting(debugFile.path(), resolution, symbols);
        }
        console.clearProgress();
        print(report, resolution, asJson);
        return resolution.answer().status() == OffsetAnswer.Status.FOUND ? ExitCode.OK : ExitCode.INCOMPLETE;
    }

    private Resolution suggesting(Path path, Resolution unknown, @Nullable StoredSymbols symbols)
            throws CommandFailure {
        try (DebugInfo info = files.read(path, () -> extractor.open(path))) {
            return unknown.suggesting(new BuildContents(
                    ExtractCommand.allTypes(info, console).orElse(null),
                    symbols == null ? null : new SymbolSearch(symbols, null, SearchBudget.unlimited())));
        }
    }

    private Optional<Resolution> resolveByAlias(
            Path path, Resolution unknown, StoredSymbols symbols, Optional<Language.Family> language)
            throws CommandFailure {
        List<OffsetExpression> aliases = unknown.aliases(symbols, SearchBudget.unlimited());
        if (aliases.isEmpty()) {
            return Optional.empty();
        }
        Set<String> names =
                aliases.stream().flatMap(alias -> alias.names().stream()).collect(Collectors.toUnmodifiableSet());
        return Resolution.ofFirst(aliases, extract(path, names, names).types(), language.orElse(null));
    }

    private ExtractionReport extract(Path path, Set<String> types, Set<String> variables) throws CommandFailure {
        return files.extract(path, () -> extractor.extract(path, new RequestedNames(types, Set.of(), variables)));
    }

    private void print(ExtractionReport report, Resolution resolution, boolean asJson) throws IOException {
        if (asJson) {
            JsonOutput.print(console, json -> {
                json.writeStartObject();
                ElfFactsJson.writeTo(json, report);
                ResolutionWriter.writeProperties(json, resolution.expression(), resolution.answer());
                json.writeEndObject();
            });
        } else {
            for (String line : ResolutionText.lines(resolution.expression(), resolution.answer())) {
                console.println(Printable.of(line));
            }
        }
    }
}
