package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.symbols.SymbolVersion;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The versions of the dynamic symbols (LSB, "Symbol Versioning"): {@code .gnu.version} has a number for each symbol,
 * {@code .gnu.version_d} and {@code .gnu.version_r} have the names that the numbers stand for.
 */
final class SymbolVersions {

    private static final int DEFINITION_BYTES = 20;
    private static final int DEPENDENCY_BYTES = 16;
    private static final int VER_FLG_BASE = 1;
    private static final int HIDDEN = 0x8000;
    private static final int VER_NDX_GLOBAL = 1;

    /** The string table of a section of versions. */
    @FunctionalInterface
    interface StringLookup {

        String at(long offset) throws ExtractionException;
    }

    private final Section numbers;
    private final Map<Integer, SymbolVersion> visible = new HashMap<>();
    private final Map<Integer, SymbolVersion> hidden = new HashMap<>();

    /** @param numbers contents of {@code .gnu.version}; empty if the file has none */
    SymbolVersions(Section numbers) {
        this.numbers = numbers;
    }

    /** Returns the version of the symbol with this index; null if it has none, or the list ends before it. */
    @Nullable
    SymbolVersion of(long symbol) throws ExtractionException {
        if (numbers.size() < 2 * (symbol + 1)) {
            return null;
        }
        ByteCursor in = numbers.cursor(2 * symbol, 2);
        int number = in.u16();
        int index = number & ~HIDDEN;
        if (index <= VER_NDX_GLOBAL) {
            return null;
        }
        // A number that the file gives no name leaves its symbol without a version.
        return ((number & HIDDEN) == 0 ? visible : hidden).get(index);
    }

    /**
     * Reads the versions that the file defines.
     *
     * @param count entries, {@code sh_info}
     */
    void readDefinitions(Section definitions, long count, StringLookup names) throws ExtractionException {
        long at = 0;
        for (long i = 0; i < count; i++) {
            Deadline.checkCurrent(i);
            ByteCursor in = definitions.cursor(at, DEFINITION_BYTES);
            in.skip(2);
            int flags = in.u16();
            int index = in.u16();
            in.skip(6);
            long firstName = in.u32();
            long next = in.u32();
            // The base definition is the file's own name, and no version.
            if ((flags & VER_FLG_BASE) == 0) {
                long name = definitions.cursor(at + firstName, 8).u32();
                add(index & ~HIDDEN, names.at(name), true);
            }
            if (next == 0) {
                return;
            }
            at += requireForward(definitions, at, next, DEFINITION_BYTES);
        }
    }

    /**
     * Reads the versions that the file needs of others.
     *
     * @param count files that it needs them of, {@code sh_info}
     */
    void readDependencies(Section dependencies, long count, StringLookup names) throws ExtractionException {
        long at = 0;
        long room = dependencies.size() / DEPENDENCY_BYTES;
        for (long i = 0; i < count; i++) {
            Deadline.checkCurrent(i);
            ByteCursor in = dependencies.cursor(at, DEPENDENCY_BYTES);
            in.skip(2);
            int versions = in.u16();
            in.skip(4);
            long version = at + in.u32();
            long next = in.u32();
            for (int j = 0; j < versions; j++) {
                Deadline.checkCurrent(j);
                if (room-- <= 0) {
                    throw dependencies.cursor().malformed(version, "the lists of needed versions overlap");
                }
                ByteCursor entry = dependencies.cursor(version, DEPENDENCY_BYTES);
                entry.skip(6);
                int index = entry.u16();
                add(index & ~HIDDEN, names.at(entry.u32()), false);
                long nextVersion = entry.u32();
                if (nextVersion == 0) {
                    break;
                }
                version += requireForward(dependencies, version, nextVersion, DEPENDENCY_BYTES);
            }
            if (next == 0) {
                return;
            }
            at += requireForward(dependencies, at, next, DEPENDENCY_BYTES);
        }
    }

    private void add(int index, String name, boolean defined) {
        visible.putIfAbsent(index, new SymbolVersion(name, defined));
        hidden.putIfAbsent(index, new SymbolVersion(name, false));
    }

    private static long requireForward(Section section, long at, long next, int entryBytes) throws ExtractionException {
        if (next < entryBytes) {
            throw section.cursor()
                    .malformed(at, "next entry is " + next + " bytes on; expected " + entryBytes + " or more");
        }
        return next;
    }
}
