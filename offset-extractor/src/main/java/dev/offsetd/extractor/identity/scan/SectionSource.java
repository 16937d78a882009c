package dev.offsetd.extractor.identity.scan;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import java.util.List;

/** The parts of a file that may name it. */
public interface SectionSource {

    /** Returns the contents of a section, or an empty section if the file has none of this name. */
    Section section(String name) throws ExtractionException;

    /** Returns whether the file has a section of this name, also without contents, as in a separate debug file. */
    boolean has(String name);

    /** Returns the contents of the first note of this owner and type, or an empty section. */
    Section note(String owner, int type) throws ExtractionException;

    /** Returns the bytes from this address to the end of what is loaded there, or an empty section. */
    Section loadedAt(long address) throws ExtractionException;

    /** Returns the writable segments without code. */
    List<Section> data() throws ExtractionException;

    /** Returns the size of an address in bytes. */
    int addressBytes();
}
