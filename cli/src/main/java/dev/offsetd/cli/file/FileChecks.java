package dev.offsetd.cli.file;

import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.answer.CheckReport;
import dev.offsetd.query.check.Check;
import dev.offsetd.query.check.ExpansionCheck;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.SymbolSearch;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks whether a consumer of layouts works with local files. */
public final class FileChecks {

    private final Console console;
    private final TypeReaderOptions reader;

    /** Declares the options of this command for reading files. */
    public FileChecks(Command command, Console console) {
        this.console = console;
        this.reader = new TypeReaderOptions(command);
    }

    /**
     * Checks a file; one that cannot be read has a problem.
     *
     * @throws CommandFailure if an option is invalid
     */
    public CheckReport.Row row(Path build, Check check) throws CommandFailure {
        DebugFileFinder files = reader.filesWithoutMissingUnits(console);
        try {
            Contents contents = contents(build, check, files);
            return new CheckReport.Row(build.toString(), "", check.findings(contents.types(), contents::symbols), null);
        } catch (CommandFailure e) {
            return new CheckReport.Row(build.toString(), "", List.of(), e.getMessage());
        }
    }

    /** Returns a check that also compares with a file. */
    public Check against(Path reference, ExpansionCheck check) throws CommandFailure {
        Contents contents = contents(reference, check, reader.filesWithoutMissingUnits(console));
        return check.against(contents.types(), contents::symbols);
    }

    /** @param symbols null if the check needs none */
    private record Contents(TypeIndex types, @Nullable SymbolSearch symbols) {}

    /** Reads from a file what a check needs. */
    private Contents contents(Path build, Check check, DebugFileFinder files) throws CommandFailure {
        SymbolSearch symbols = null;
        if (check.items().stream().anyMatch(Item::needsSymbols)) {
            symbols = FileSymbols.read(build, files, console).search();
        }
        RequestedNames wanted = new RequestedNames(
                Item.names(check.items(), Item::simpleTypeNames),
                Item.names(check.items(), Item::typeNames),
                Item.names(check.items(), Item::enumeratorNames),
                Set.of());
        Path types = files.withTypes(build).path();
        ExtractionReport report = files.noting(types, files.readFile(types, info -> info.extract(wanted)));
        return new Contents(report.types(), symbols);
    }
}
