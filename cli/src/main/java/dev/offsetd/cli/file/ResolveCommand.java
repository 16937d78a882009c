package dev.offsetd.cli.file;

import dev.offsetd.cli.file.DebugFiles.DebugFile;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.extractor.extract.ElfFacts;
import dev.offsetd.extractor.extract.ExtractionReport;
import dev.offsetd.extractor.extract.OffsetExtractor;
import dev.offsetd.extractor.extract.Wanted;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.resolve.OffsetAnswer;
import dev.offsetd.extractor.resolve.OffsetExpression;
import dev.offsetd.extractor.resolve.OffsetResolver;
import dev.offsetd.extractor.resolve.ResolutionText;
import dev.offsetd.extractor.resolve.ResolutionWriter;
import dev.offsetd.extractor.symbol.SymbolTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** {@code resolve FILE EXPR}: what lies at a byte of a variable or type. */
public final class ResolveCommand {

    /** Names of one variable that are tried; glibc has up to three. */
    private static final int MAX_ALIASES = 16;

    private final OffsetExtractor extractor;
    private final DebugFiles files;
    private final Console console;

    public ResolveCommand(OffsetExtractor extractor, DebugFiles files, Console console) {
        this.extractor = extractor;
        this.files = files;
        this.console = console;
    }

    /** Prints the way from the variable or type to the byte. */
    public int run(Path file, OffsetExpression expression, Optional<Language.Family> language, boolean asJson)
            throws CommandFailure, IOException {
        DebugFile debugFile = files.withTypes(file);
        console.progress("reading " + debugFile.path());
        Resolved resolved = resolve(debugFile.path(), expression, language);
        if (resolved.answer.status() == OffsetAnswer.Status.NOT_FOUND && expression.kind() == null) {
            resolved = resolveByAlias(debugFile.path(), resolved, language);
        }
        console.clearProgress();
        print(resolved, asJson);
        return resolved.answer.status() == OffsetAnswer.Status.FOUND ? ExitCode.OK : ExitCode.INCOMPLETE;
    }

    /** @param expression what was answered: it may be about another name of the variable that was asked for */
    private record Resolved(OffsetExpression expression, ElfFacts elf, OffsetAnswer answer) {}

    private Resolved resolve(Path path, OffsetExpression expression, Optional<Language.Family> language)
            throws CommandFailure, IOException {
        Set<String> names = expression.names();
        Wanted wanted = new Wanted(names, Set.of(), expression.kind() == null ? names : Set.of());
        ExtractionReport report = files.read(path, () -> extractor.extract(path, wanted));
        return new Resolved(expression, report.elf(), OffsetResolver.resolve(expression, report.types(), language));
    }

    /** The debug information has one name of a variable; the symbol table can have others for the same address. */
    private Resolved resolveByAlias(Path path, Resolved unknown, Optional<Language.Family> language)
            throws CommandFailure, IOException {
        SymbolTable symbols = files.read(path, () -> extractor.symbols(path)).symbols();
        for (String alias : symbols.aliasesOf(unknown.expression.name()).stream()
                .limit(MAX_ALIASES)
                .toList()) {
            Resolved other = resolve(path, unknown.expression.withName(alias), language);
            if (other.answer.status() != OffsetAnswer.Status.NOT_FOUND) {
                return other;
            }
        }
        return unknown;
    }

    private void print(Resolved resolved, boolean asJson) throws IOException {
        if (asJson) {
            JsonOutput.print(console, json -> {
                json.writeStartObject();
                ElfFactsJson.writeTo(json, resolved.elf);
                ResolutionWriter.writeProperties(json, resolved.expression, resolved.answer);
                json.writeEndObject();
            });
        } else {
            for (String line : ResolutionText.lines(resolved.expression, resolved.answer)) {
                console.println(Printable.of(line));
            }
        }
    }
}
