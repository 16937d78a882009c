package dev.offsetd.cli.file;

import dev.offsetd.cli.command.AnswerOptions;
import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.query.answer.ResolutionText;
import dev.offsetd.query.answer.ResolutionWriter;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.SymbolSearch;
import dev.offsetd.query.resolve.ExpressionSyntaxException;
import dev.offsetd.query.resolve.OffsetAnswer;
import dev.offsetd.query.resolve.OffsetExpression;
import dev.offsetd.query.resolve.Resolution;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code resolve FILE EXPR}: prints the members that contain a byte of a variable or type. */
public final class ResolveCommand extends Command {

    private final Supplier<Path> file = parameter("FILE", Path.class, DebugFileFinder.FILE);
    private final Supplier<String> expression = parameter(
            "EXPR",
            String.class,
            "NAME or NAME+N, with N in decimal or 0x hexadecimal; or the [file:]0xADDRESS of a variable");
    private final BooleanSupplier json = flag("-j,--json", "print JSON");
    private final Supplier<Language.@Nullable Family> language = AnswerOptions.language(this, "variables and types");
    private final TypeReaderOptions reader = new TypeReaderOptions(this);

    public ResolveCommand(Console console) {
        super(
                console,
                "Show what is at a byte of a variable or type.",
                "Prints the chain of members that contain the byte; it branches at unions.");
        examples(
                "offsetd resolve ld-linux-x86-64.so.2 _rtld_global+2352",
                "offsetd resolve ld-linux-x86-64.so.2 'struct link_map+0x28'",
                "offsetd resolve ld-linux-x86-64.so.2 file:0x3a9c8");
        exitCodes(
                "0:the byte is in a member, or in padding",
                "1:no such variable or type, byte beyond its end, or differing definitions",
                "2:invalid expression",
                "3:the file is unreadable or has no debug information");
    }

    @Override
    public Integer call() throws CommandFailure, IOException {
        OffsetExpression parsed = parsed();
        DebugFileFinder files = reader.filesWithoutMissingUnits(console);
        return run(parsed, files.withTypes(file.get()).path(), files);
    }

    private OffsetExpression parsed() throws CommandFailure {
        try {
            return OffsetExpression.parse(expression.get());
        } catch (ExpressionSyntaxException e) {
            throw CommandFailure.usage(Objects.toString(e.getMessage()));
        }
    }

    private int run(OffsetExpression expression, Path path, DebugFileFinder files) throws CommandFailure, IOException {
        console.progress("reading " + path);
        Language.Family family = language.get();
        Set<String> names = expression.names();
        ExtractionReport report = extract(path, files, names, expression.kind() == null ? names : Set.of());
        Resolution resolution = Resolution.of(expression, report.types(), family);
        StoredSymbols symbols = null;
        if (resolution.mayHaveAlias()) {
            symbols = StoredSymbols.of(SymbolTable.of(files.symbols(path)));
            FileOffsets offsets = files.readFile(file.get(), DebugInfo::fileOffsets);
            resolution = resolution.withoutVariable(offsets);
            List<OffsetExpression> aliases = resolution.aliases(symbols, offsets, SearchBudget.unlimited());
            if (!aliases.isEmpty()) {
                Set<String> linked = aliases.stream()
                        .flatMap(alias -> alias.names().stream())
                        .collect(Collectors.toUnmodifiableSet());
                resolution = Resolution.ofFirst(
                                aliases, extract(path, files, linked, linked).types(), family)
                        .orElse(resolution);
            }
        }
        if (resolution.answer().status() == OffsetAnswer.Status.NOT_FOUND) {
            resolution = suggesting(path, files, resolution, symbols);
        }
        console.clearProgress();
        print(report, resolution);
        return resolution.answer().status() == OffsetAnswer.Status.FOUND ? ExitCode.OK : ExitCode.INCOMPLETE;
    }

    private Resolution suggesting(Path path, DebugFileFinder files, Resolution unknown, @Nullable StoredSymbols symbols)
            throws CommandFailure {
        try (DebugInfo info = files.open(path)) {
            return unknown.suggesting(new BuildContents(
                    ExtractCommand.allTypes(info, console).orElse(null),
                    symbols == null ? null : new SymbolSearch(symbols, null, SearchBudget.unlimited())));
        }
    }

    private static ExtractionReport extract(Path path, DebugFileFinder files, Set<String> types, Set<String> variables)
            throws CommandFailure {
        RequestedNames names = new RequestedNames(types, Set.of(), variables);
        return files.noting(path, files.readFile(path, info -> info.extract(names)));
    }

    private void print(ExtractionReport report, Resolution resolution) throws IOException {
        if (json.getAsBoolean()) {
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
