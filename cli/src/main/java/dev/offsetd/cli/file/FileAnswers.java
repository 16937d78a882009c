package dev.offsetd.cli.file;

import dev.offsetd.cli.answer.AnswerTable;
import dev.offsetd.cli.command.OutputFormat;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.MissingUnit;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.query.answer.AnswerWriter;
import dev.offsetd.query.answer.ConstantsHeader;
import dev.offsetd.query.answer.LayoutText;
import dev.offsetd.query.answer.NameMapWriter;
import dev.offsetd.query.answer.TracerText;
import dev.offsetd.query.item.View;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.typeset.Expansion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.TreeBuildingGenerator;

/**
 * Answers from a local file, in every format that the user can choose.
 *
 * @param file the debug file
 * @param missing units whose types the file lacks
 */
public record FileAnswers(Path file, ElfFacts elf, List<MissingUnit> missing, Expansion.Answers answers) {

    /** Key of the only provenance entry; servers use the same name. */
    private static final String SOURCE = "p1";

    /**
     * Format of the answer.
     *
     * @param view of the JSON; the other formats show all members
     * @param language only definitions in this language; null for any, C and C++ first
     * @param expandedLevels levels of nested structs to show with their members
     * @param base see {@link TracerText#lines}
     */
    public record OutputOptions(
            OutputFormat output,
            View view,
            Language.@Nullable Family language,
            int expandedLevels,
            @Nullable String base) {}

    /** Prints the answers. */
    void print(Console console, OutputOptions options) throws IOException {
        console.clearProgress();
        int levels = options.expandedLevels();
        switch (options.output()) {
            case JSON -> JsonOutput.print(console, json -> writeTo(json, options.view(), levels));
            case TABLE -> {
                // A mapper would initialize calendars and locales before its first tree.
                try (TreeBuildingGenerator tree =
                        TreeBuildingGenerator.forSerialization(null, JsonNodeFactory.instance)) {
                    writeTo(tree, View.MEMBERS, levels);
                    AnswerTable.print(console, tree.treeBuilt());
                }
            }
            case TEXT -> printLines(console, LayoutText.lines(answers.items(), levels));
            case C -> printLines(console, header());
            case TRACEFS -> printLines(console, tracer(TracerText.Dialect.TRACEFS, options.base()));
            case BPFTRACE -> printLines(console, tracer(TracerText.Dialect.BPFTRACE, options.base()));
            case YAML -> printLines(console, NameMapWriter.yaml(answers.map().orElseThrow()));
        }
    }

    private List<String> tracer(TracerText.Dialect dialect, @Nullable String base) {
        return TracerText.lines(answers.items(), dialect, base, elf.architecture());
    }

    private List<String> header() {
        return answers.map()
                .map(values -> NameMapWriter.header(values, elf.buildId(), elf.architecture()))
                .orElseGet(() ->
                        ConstantsHeader.lines(answers.items(), PinnedTypes.NONE, elf.buildId(), elf.architecture()));
    }

    private static void printLines(Console console, List<String> lines) throws IOException {
        for (String line : lines) {
            console.println(Printable.of(line));
        }
    }

    private void writeTo(JsonGenerator json, View view, int levels) {
        json.writeStartObject();
        ElfFactsJson.writeTo(json, elf);
        ElfFactsJson.writeMissing(json, missing);
        json.writeBooleanProperty("complete", answers.complete());
        answers.map().ifPresent(values -> NameMapWriter.writeMap(json, values));
        json.writeName("offsets");
        answers.map()
                .ifPresentOrElse(
                        values -> NameMapWriter.writeValues(json, values),
                        () -> new AnswerWriter(view).expanding(levels).writeAnswers(json, answers.items(), SOURCE));
        AnswerWriter.writeIncompleteItems(json, view, answers.items());
        json.writeObjectPropertyStart("provenance");
        json.writeObjectPropertyStart(SOURCE);
        json.writeStringProperty("origin", "file");
        json.writeStringProperty("path", file.toString());
        json.writeStringProperty("extractor", Integer.toString(PartVersions.TYPES));
        json.writeEndObject();
        json.writeEndObject();
        json.writeEndObject();
    }
}
