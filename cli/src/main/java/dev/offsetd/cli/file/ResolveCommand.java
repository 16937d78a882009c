package dev.offsetd.cli.file;

import dev.offsetd.cli.file.DebugFiles.DebugFile;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.extractor.extract.ExtractionReport;
import dev.offsetd.extractor.extract.OffsetExtractor;
import dev.offsetd.extractor.extract.Wanted;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.resolve.OffsetAnswer;
import dev.offsetd.extractor.resolve.OffsetExpression;
import dev.offsetd.extractor.resolve.OffsetResolver;
import dev.offsetd.extractor.resolve.ResolutionText;
import dev.offsetd.extractor.resolve.ResolutionWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** {@code resolve FILE EXPR}: what lies at a byte of a variable or type. */
public final class ResolveCommand {

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
        Set<String> names = expression.names();
        Wanted wanted = new Wanted(names, Set.of(), expression.kind() == null ? names : Set.of());
        ExtractionReport report = files.read(debugFile.path(), () -> extractor.extract(debugFile.path(), wanted));
        OffsetAnswer answer = OffsetResolver.resolve(expression, report.types(), language);
        console.clearProgress();
        if (asJson) {
            JsonOutput.print(console, json -> {
                json.writeStartObject();
                ElfFactsJson.writeTo(json, report.elf());
                ResolutionWriter.writeProperties(json, expression, answer);
                json.writeEndObject();
            });
        } else {
            for (String line : ResolutionText.lines(expression, answer)) {
                console.println(Printable.of(line));
            }
        }
        return answer.status() == OffsetAnswer.Status.FOUND ? ExitCode.OK : ExitCode.INCOMPLETE;
    }
}
