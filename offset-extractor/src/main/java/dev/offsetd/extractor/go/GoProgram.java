package dev.offsetd.extractor.go;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import java.util.List;

/** The parts of a Go program that its type descriptors are read from. */
public interface GoProgram {

    /** Returns the Go version, such as {@code 1.24.4}; empty if the program does not state it. */
    String version();

    int addressBytes();

    /** Returns the address of the header of {@code .gopclntab}, or 0 if it is not found. */
    long lineTable() throws ExtractionException;

    /**
     * A section of data.
     *
     * @param address of its first byte
     */
    record Data(long address, Section section) {}

    /** Returns the sections that may contain {@code moduledata}, the most likely one first. */
    List<Data> data() throws ExtractionException;

    /** Returns the bytes from this address to the end of what is loaded there, or an empty section. */
    Section loadedAt(long address) throws ExtractionException;

    /** Returns the table of dynamic relocations with addends, as the linker wrote it, packed or not; or an empty section. */
    Section relocations() throws ExtractionException;

    /** Returns the type of relocations that add the load address, such as {@code R_X86_64_RELATIVE}; -1 if unknown. */
    int relativeRelocation();
}
