package dev.offsetd.extractor.testkit;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The {@code expected.json} of a fixture: a JSON array with one definition on each line. */
public final class ExpectedDefinitions {

    /** A flag that is false is left out. */
    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    private ExpectedDefinitions() {}

    public static List<ExpectedDefinition> read(Path file) {
        return JSON.readValue(file.toFile(), new TypeReference<List<ExpectedDefinition>>() {});
    }

    static void write(Path file, List<ExpectedDefinition> definitions) throws IOException {
        Files.writeString(
                file,
                definitions.stream().map(JSON::writeValueAsString).collect(Collectors.joining(",\n", "[\n", "\n]\n")));
    }

    /**
     * Writes the expectations of every fixture in a folder, as {@code llvm-dwarfdump} sees them; where sections are
     * compressed with zstd, which not every build of it reads, as {@code readelf} does.
     *
     * @param arguments the folder {@code src/test/resources/fixtures}
     */
    public static void main(String... arguments) throws IOException {
        List<Path> fixtures = new ArrayList<>();
        try (Stream<Path> folders = Files.list(Path.of(arguments[0]))) {
            folders.filter(folder -> Files.exists(folder.resolve("layout.debug")))
                    .sorted()
                    .forEach(fixtures::add);
        }
        for (Path fixture : fixtures) {
            String name = fixture.getFileName().toString();
            ByteOrder order = name.endsWith("-eb") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
            Path debug = fixture.resolve("layout.debug");
            List<ExpectedDefinition> definitions = name.contains("-zstd-")
                    ? Readelf.definitions(debug, order)
                    : LlvmDwarfdump.definitions(debug, order);
            write(fixture.resolve("expected.json"), definitions);
        }
    }
}
