package dev.offsetd.cli.file;

import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.query.answer.CheckReport;
import dev.offsetd.query.check.Check;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.SymbolSearch;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

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
            return new CheckReport.Row(build.toString(), "", check.findings(contents(build, check, files)), null);
        } catch (CommandFailure e) {
            return new CheckReport.Row(build.toString(), "", List.of(), e.getMessage());
        }
    }

    /** Reads from a file what a check needs. */
    public BuildContents contents(Path build, Check check) throws CommandFailure {
        return contents(build, check, reader.filesWithoutMissingUnits(console));
    }

    private BuildContents contents(Path build, Check check, DebugFileFinder files) throws CommandFailure {
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
        return new BuildContents(
                files.readFile(types, info -> info.extract(wanted)).types(), symbols);
    }
}
