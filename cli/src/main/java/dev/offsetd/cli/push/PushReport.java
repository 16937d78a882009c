package dev.offsetd.cli.push;

import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.TextTable;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.query.answer.ByteCount;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Report of a run.
 *
 * @param results of the first candidates; fewer than candidates if the server failed
 */
record PushReport(List<PushResult> results, PushInputs inputs, ReadOptions reading) {

    /** Returns whether every named file was sent, or need not be. */
    boolean isComplete() {
        return inputs.leftOut().isEmpty()
                && results.size() == inputs.candidates().size()
                && results.stream().noneMatch(PushResult::isRefused);
    }

    void print(Console console, boolean asJson) throws IOException {
        console.clearProgress();
        if (asJson) {
            console.println(json().toString());
            return;
        }
        if (results.isEmpty()) {
            return;
        }
        TextTable table = new TextTable("NAME", "BUILD", "RESULT", "SENT", "SIZE", "FILE", "ANSWERED FROM", "REASON");
        for (PushResult result : results) {
            table.add(
                    name(result.candidate()),
                    result.key() == null ? "" : result.key().toString(),
                    result.status().word(),
                    result.sentBytes() == 0 ? "" : ByteCount.text(result.sentBytes()),
                    ByteCount.text(result.elf().fileBytes()),
                    result.candidate().namedPath(),
                    result.source(),
                    result.end().reason().equals(UploadClient.SAME_FILE)
                            ? ""
                            : result.end().detail());
        }
        table.print(console);
    }

    /** Returns what the build is called, or else the name of its file. */
    private String name(Candidate candidate) {
        try {
            String title = DebugInfo.read(candidate.file(), reading, DebugInfo::identity)
                    .title();
            return title.isEmpty() ? candidate.fileName() : title;
        } catch (IOException | ExtractionException e) {
            return candidate.fileName();
        }
    }

    private ObjectNode json() {
        ObjectNode document = JsonMapper.shared().createObjectNode();
        document.put("complete", isComplete());
        ArrayNode leftOut = document.putArray("leftOut");
        inputs.leftOut().forEach(path -> leftOut.add(path.toString()));
        ArrayNode list = document.putArray("files");
        for (PushResult result : results) {
            ObjectNode file = list.addObject();
            file.put("file", result.candidate().place());
            file.put("name", name(result.candidate()));
            if (result.key() != null) {
                file.put("buildId", result.key().toString());
            }
            file.put("arch", result.elf().architecture().machine());
            file.put("result", result.status().name().toLowerCase(Locale.ROOT));
            putUnlessEmpty(file, "reason", result.end().reason());
            putUnlessEmpty(file, "detail", result.end().detail());
            putUnlessEmpty(file, "source", result.source());
            file.put("fileBytes", result.elf().fileBytes());
            file.put("sentBytes", result.sentBytes());
        }
        return document;
    }

    private static void putUnlessEmpty(ObjectNode file, String name, String value) {
        if (!value.isEmpty()) {
            file.put(name, value);
        }
    }
}
