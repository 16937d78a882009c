package dev.offsetd.extractor.dwarf.unit;

import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Language.Family;
import java.util.Set;

/** Language codes of units, and the defaults of each language (DWARF 5 §7.12, and the codes assigned since). */
public final class Languages {

    /** The language of a unit that names none. */
    public static final Language UNKNOWN = new Language("unknown", Family.OTHER);

    /** Languages whose arrays begin at 1 where nothing else is said. */
    private static final Set<String> FROM_ONE = Set.of(
            "Ada",
            "Ada83",
            "Ada95",
            "Ada2005",
            "Ada2012",
            "Algol68",
            "Cobol",
            "Cobol74",
            "Cobol85",
            "Fortran",
            "Fortran77",
            "Fortran90",
            "Fortran95",
            "Fortran03",
            "Fortran08",
            "Fortran18",
            "Fortran23",
            "Julia",
            "Modula2",
            "Modula3",
            "PL/I",
            "Pascal",
            "Pascal83");

    private Languages() {}

    /** Returns the default lower bound of arrays. */
    public static long lowerBound(Language language) {
        return language.family() == Family.OTHER && FROM_ONE.contains(language.name()) ? 1 : 0;
    }

    /** Returns whether the language is Objective-C or Objective-C++. */
    public static boolean isObjectiveC(Language language) {
        return language.name().startsWith("Objective-C");
    }

    /** Returns whether arrays without {@code DW_AT_ordering} are column-major (DWARF 5 §5.5). */
    public static boolean isColumnMajor(Language language) {
        return language.isFortran();
    }

    /**
     * Returns whether a scope is part of the names of the types inside it. C has no nested scopes, wherever a compiler puts
     * a type: GCC 3 nests one in the struct that first mentions it. Modules of C++ and Objective-C ({@code clang
     * -gmodules}) tell where a header came from; those of Fortran and D are scopes.
     *
     * @param tag of a namespace, module or aggregate
     */
    public static boolean isPartOfNames(int tag, Language language) {
        return switch (language.family()) {
            case C -> false;
            case CPP, RUST, GO -> tag != Dwarf.DW_TAG_module;
            case OTHER -> true;
        };
    }

    /** Returns the language of a {@code DW_AT_language} code. */
    static Language of(long code) {
        return switch (Dwarf.narrowed(code)) {
            case 0x01 -> new Language("C89", Family.C);
            case 0x02 -> new Language("C", Family.C);
            case 0x0c -> new Language("C99", Family.C);
            case 0x1d -> new Language("C11", Family.C);
            case 0x2c -> new Language("C17", Family.C);
            case 0x3e -> new Language("C23", Family.C);
            case 0x04 -> new Language("C++", Family.CPP);
            case 0x19 -> new Language("C++03", Family.CPP);
            case 0x1a -> new Language("C++11", Family.CPP);
            case 0x21 -> new Language("C++14", Family.CPP);
            case 0x2a -> new Language("C++17", Family.CPP);
            case 0x2b -> new Language("C++20", Family.CPP);
            case 0x3a -> new Language("C++23", Family.CPP);
            case 0x1c -> new Language("Rust", Family.RUST);
            case 0x16 -> new Language("Go", Family.GO);
            case 0x10 -> new Language("Objective-C", Family.C);
            case 0x11 -> new Language("Objective-C++", Family.CPP);
            case 0x12 -> new Language("UPC", Family.C);
            case 0x15 -> new Language("OpenCL", Family.C);
            case 0x03 -> new Language("Ada83", Family.OTHER);
            case 0x0d -> new Language("Ada95", Family.OTHER);
            case 0x2e -> new Language("Ada2005", Family.OTHER);
            case 0x2f -> new Language("Ada2012", Family.OTHER);
            case 0x05 -> new Language("Cobol74", Family.OTHER);
            case 0x06 -> new Language("Cobol85", Family.OTHER);
            case 0x07 -> new Language("Fortran77", Family.OTHER);
            case 0x08 -> new Language("Fortran90", Family.OTHER);
            case 0x0e -> new Language("Fortran95", Family.OTHER);
            case 0x22 -> new Language("Fortran03", Family.OTHER);
            case 0x23 -> new Language("Fortran08", Family.OTHER);
            case 0x2d -> new Language("Fortran18", Family.OTHER);
            case 0x3f -> new Language("Fortran23", Family.OTHER);
            case 0x09 -> new Language("Pascal83", Family.OTHER);
            case 0x0a -> new Language("Modula2", Family.OTHER);
            case 0x17 -> new Language("Modula3", Family.OTHER);
            case 0x0f -> new Language("PL/I", Family.OTHER);
            case 0x1f -> new Language("Julia", Family.OTHER);
            case 0x44 -> new Language("Algol68", Family.OTHER);
            case 0x0b -> new Language("Java", Family.OTHER);
            case 0x13 -> new Language("D", Family.OTHER);
            case 0x14 -> new Language("Python", Family.OTHER);
            case 0x18 -> new Language("Haskell", Family.OTHER);
            case 0x1b -> new Language("OCaml", Family.OTHER);
            case 0x1e -> new Language("Swift", Family.OTHER);
            case 0x27 -> new Language("Zig", Family.OTHER);
            case 0x8001 -> new Language("Assembler", Family.OTHER);
            default -> new Language("lang-0x" + Long.toHexString(code), Family.OTHER);
        };
    }

    /** Returns the language of a {@code DW_AT_language_name} code, which replaces {@code DW_AT_language} in DWARF 6. */
    static Language named(long code) {
        return switch (Dwarf.narrowed(code)) {
            case 0x01 -> new Language("Ada", Family.OTHER);
            case 0x03 -> new Language("C", Family.C);
            case 0x04 -> new Language("C++", Family.CPP);
            case 0x05 -> new Language("Cobol", Family.OTHER);
            case 0x07 -> new Language("D", Family.OTHER);
            case 0x09 -> new Language("Fortran", Family.OTHER);
            case 0x0a -> new Language("Go", Family.GO);
            case 0x0b -> new Language("Haskell", Family.OTHER);
            case 0x0c -> new Language("Java", Family.OTHER);
            case 0x0d -> new Language("Julia", Family.OTHER);
            case 0x0f -> new Language("Modula2", Family.OTHER);
            case 0x10 -> new Language("Modula3", Family.OTHER);
            case 0x11 -> new Language("Objective-C", Family.C);
            case 0x12 -> new Language("Objective-C++", Family.CPP);
            case 0x13 -> new Language("OCaml", Family.OTHER);
            case 0x14 -> new Language("OpenCL", Family.C);
            case 0x15 -> new Language("Pascal", Family.OTHER);
            case 0x16 -> new Language("PL/I", Family.OTHER);
            case 0x17 -> new Language("Python", Family.OTHER);
            case 0x19 -> new Language("Rust", Family.RUST);
            case 0x1a -> new Language("Swift", Family.OTHER);
            case 0x1b -> new Language("UPC", Family.C);
            case 0x1c -> new Language("Zig", Family.OTHER);
            case 0x1d -> new Language("Assembler", Family.OTHER);
            default -> new Language("lang-name-0x" + Long.toHexString(code), Family.OTHER);
        };
    }
}
