package dev.offsetd.extractor.dwarf.build;

import dev.offsetd.extractor.input.ExtractionException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** State of a {@link TypeGraph}: how it takes types that others hold by value and that are only declared. */
sealed interface Declarations permits Declarations.Unresolved, Declarations.Awaited, DeclaredTypes {

    /** Returns the addresses of the definitions that a declaration may stand for. */
    List<Long> definitionsOf(long dieAddress) throws ExtractionException;

    /** Returns the names of the declarations that no definition was found for. */
    Set<String> missing();

    /** Units are built one by one, and declared types stay incomplete. */
    record Unresolved() implements Declarations {

        @Override
        public List<Long> definitionsOf(long dieAddress) {
            return List.of();
        }

        @Override
        public Set<String> missing() {
            return Set.of();
        }
    }

    /**
     * Later units may define what the units so far declare: a shape that depends on a declaration waits.
     *
     * @param waiting the DIEs of the current unit whose shapes wait: each is read once until then
     */
    record Awaited(Set<Long> waiting) implements Declarations {

        Awaited() {
            this(new HashSet<>());
        }

        @Override
        public List<Long> definitionsOf(long dieAddress) {
            throw new AwaitedDeclaration();
        }

        @Override
        public Set<String> missing() {
            return Set.of();
        }
    }
}
