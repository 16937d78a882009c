package dev.offsetd.extractor;

import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.TypeCatalogue;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/** One reading of the types of a file, from DWARF or another source. It charges a budget and has a deadline. */
sealed interface TypeReader permits DwarfTypeReader, WholeTypeReader {

    /** Reads the selected types and variables, with everything that they hold by value. */
    TypeCatalogue selected(RequestedNames wanted) throws IOException, ExtractionException;

    TypeCatalogue all() throws IOException, ExtractionException;

    /** Passes on every complete named struct, union, class and enum definition, unmerged, and returns what was left out. */
    List<Omission> forEachDefinition(Consumer<Definition> sink) throws ExtractionException;

    /** Returns the size of the sections that hold the units. */
    long bytes();

    /** Returns what the units state of their compilation. Units that cannot be read are left out. */
    Identity identity();

    /** Returns the split units that were left out. */
    List<MissingUnit> missing();
}
