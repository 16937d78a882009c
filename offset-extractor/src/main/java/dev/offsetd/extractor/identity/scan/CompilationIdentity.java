package dev.offsetd.extractor.identity.scan;

import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.identity.IdentityField.Kind;
import dev.offsetd.extractor.input.Deadline;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Identity that the compilation units of a file state together. A file has units of several compilers and folders, start-up code
 * for one, so the most frequent answer counts, and the first of those that are equally frequent.
 */
public final class CompilationIdentity {

    private static final String PRODUCER = "DW_AT_producer";
    private static final String FOLDER = "DW_AT_comp_dir";

    /** In the order of the units. */
    private final List<Statement> statements = new ArrayList<>();

    /** By their texts: units in many folders share one. */
    private final Map<String, @Nullable Producer> producers = new HashMap<>();

    /**
     * The statement that some units share.
     *
     * @param producer null where it has no version
     * @param folder empty where they have none
     */
    private record Statement(@Nullable Producer producer, String folder, String language, int units) {}

    /** Adds the attributes of some units; texts are empty where they have none. */
    public void add(String producer, String folder, String language, int units) {
        Producer parsed =
                producers.computeIfAbsent(producer, text -> Producer.parse(text).orElse(null));
        statements.add(new Statement(parsed, folder, language, units));
    }

    /** Returns what most units state. */
    public Identity identity() {
        if (statements.stream().anyMatch(each -> !SourceFolder.isDependency(each.folder))) {
            statements.removeIf(each -> SourceFolder.isDependency(each.folder));
        }
        List<IdentityField> fields = new ArrayList<>();
        compiler(fields);
        most(each -> Optional.of(each.language).filter(name -> !name.equals("unknown") && !name.equals("Assembler")))
                .ifPresent(name -> fields.add(new IdentityField(Kind.LANGUAGE, name, "DW_AT_language", false)));
        most(each -> Optional.of(each.folder).filter(path -> path.length() > 1))
                .ifPresent(path -> fields.add(new IdentityField(Kind.COMPILATION_DIRECTORY, path, FOLDER, false)));
        most(each -> SourceFolder.parse(each.folder)).ifPresent(source -> {
            fields.add(new IdentityField(Kind.PROJECT, source.project(), FOLDER, true));
            fields.add(new IdentityField(Kind.VERSION, source.version(), FOLDER, true));
            if (source.distribution() != null) {
                fields.add(new IdentityField(Kind.DISTRIBUTION, source.distribution(), FOLDER, true));
            }
        });
        return new Identity(fields);
    }

    private void compiler(List<IdentityField> fields) {
        most(each -> withoutFlags(each).filter(compiler -> !compiler.isAssembler()))
                .or(() -> most(CompilationIdentity::withoutFlags))
                .ifPresent(compiler -> {
                    fields.add(new IdentityField(Kind.COMPILER, compiler.compiler(), PRODUCER, false));
                    fields.add(new IdentityField(Kind.COMPILER_VERSION, compiler.version(), PRODUCER, false));
                    most(each -> Optional.ofNullable(each.producer)
                                    .filter(producer -> producer.withoutFlags().equals(compiler)))
                            .ifPresent(producer -> fields.add(
                                    new IdentityField(Kind.COMPILER_FLAGS, producer.flags(), PRODUCER, false)));
                });
    }

    private static Optional<Producer> withoutFlags(Statement statement) {
        return Optional.ofNullable(statement.producer).map(Producer::withoutFlags);
    }

    /** Returns what most units mean; empty if none means anything. */
    private <T> Optional<T> most(Function<Statement, Optional<T>> meaning) {
        Map<T, Integer> counts = new LinkedHashMap<>();
        for (Statement statement : statements) {
            Deadline.checkCurrent();
            meaning.apply(statement).ifPresent(meant -> counts.merge(meant, statement.units, Integer::sum));
        }
        T best = null;
        int most = 0;
        for (Map.Entry<T, Integer> count : counts.entrySet()) {
            if (count.getValue() > most) {
                best = count.getKey();
                most = count.getValue();
            }
        }
        return Optional.ofNullable(best);
    }
}
