package dev.offsetd.extractor;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Symbol;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.layout.Variable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The debug information of one ELF file.
 *
 * <p>Opening reads the headers only. {@link #struct} then scans for one name; the first call of {@link #types} or
 * {@link #variables} reads everything and keeps it until {@link #close}. The file must not change in between. Safe for use by several
 * threads.
 */
public final class DebugInfo implements AutoCloseable {

    private final Path file;
    private final OffsetExtractor extractor;
    private final ElfFacts elf;

    /** Everything in the file, once it was asked for. */
    private @Nullable TypeCatalogue catalogue;

    private boolean closed;

    private DebugInfo(Path file, OffsetExtractor extractor) throws IOException, ExtractionException {
        this.file = file;
        this.extractor = extractor;
        this.elf = extractor.inspect(file);
    }

    /**
     * Opens a file with {@link Limits#DEFAULT} and a thread for each processor.
     *
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is not ELF, malformed or unsupported
     */
    public static DebugInfo open(Path file) throws IOException, ExtractionException {
        return open(file, Limits.DEFAULT);
    }

    /**
     * Opens a file of unknown origin with limits on time and memory.
     *
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is not ELF, malformed, unsupported or exceeds a limit
     */
    public static DebugInfo open(Path file, Limits limits) throws IOException, ExtractionException {
        return new DebugInfo(
                file, new OffsetExtractor(limits, Runtime.getRuntime().availableProcessors()));
    }

    /** Returns the GNU build-id, or empty if the file has none. */
    public Optional<BuildId> buildId() {
        return elf.buildId();
    }

    public Architecture architecture() {
        return elf.architecture();
    }

    /**
     * Returns the struct, union or class of this name. A name without its scopes matches in every scope; types that are local to a
     * function match only if nothing else does.
     *
     * @param name such as {@code point} or {@code v8::internal::Isolate}
     * @return empty if no complete definition has the name
     * @throws AmbiguousNameException if definitions with different layouts have the name
     * @throws ExtractionException if the file has no debug information, is malformed, unsupported or exceeds a limit
     */
    public Optional<Struct> struct(String name) throws IOException, ExtractionException {
        List<Struct> named = find(name).stream()
                .filter(definition -> isNamed(definition, name))
                .flatMap(definition -> Struct.of(definition).stream())
                .toList();
        List<Struct> visible = named.stream()
                .filter(struct -> struct.definition().function() == null)
                .toList();
        List<Struct> found = visible.isEmpty() ? named : visible;
        if (found.stream().map(Struct::shape).distinct().count() > 1) {
            throw new AmbiguousNameException(
                    name, found.stream().map(Struct::definition).toList());
        }
        return found.stream().findFirst();
    }

    private static boolean isNamed(Definition definition, String name) {
        String asked = TypeNames.normalize(name);
        return asked.equals(TypeNames.normalize(definition.qualifiedName()))
                || asked.equals(TypeNames.normalize(definition.name()));
    }

    private List<Definition> find(String name) throws IOException, ExtractionException {
        TypeCatalogue read = opened();
        String unqualified = TypeNames.unqualified(name);
        TypeCatalogue types = read != null
                ? read
                : extractor
                        .extract(file, new Wanted(Set.of(unqualified), Set.of()))
                        .types();
        return types.definitionsNamed(unqualified);
    }

    /** Returns every named type and every unnamed enumeration, in the order of the debug information. */
    public Stream<Definition> types() throws IOException, ExtractionException {
        return everything().definitions().stream();
    }

    /** Returns the variables with static storage duration, in the order of the debug information. */
    public Stream<Variable> variables() throws IOException, ExtractionException {
        return everything().variables().stream();
    }

    /**
     * Returns the symbols, table by table. A symbol that both {@code .symtab} and {@code .dynsym} have comes twice;
     * {@link Symbol#sources} tells them apart.
     */
    public Stream<Symbol> symbols() throws IOException, ExtractionException {
        opened();
        return extractor.symbols(file).tables().stream().flatMap(List::stream);
    }

    private TypeCatalogue everything() throws IOException, ExtractionException {
        TypeCatalogue read = opened();
        if (read == null) {
            read = extractor.extractAll(file).types();
            keep(read);
        }
        return read;
    }

    private synchronized @Nullable TypeCatalogue opened() {
        if (closed) {
            throw new IllegalStateException(file + " is closed");
        }
        return catalogue;
    }

    private synchronized void keep(TypeCatalogue read) {
        if (!closed) {
            catalogue = read;
        }
    }

    /** Releases what was read. Streams and structs that were returned stay valid. */
    @Override
    public synchronized void close() {
        closed = true;
        catalogue = null;
    }
}
