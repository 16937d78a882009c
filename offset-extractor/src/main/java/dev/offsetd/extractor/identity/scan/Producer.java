package dev.offsetd.extractor.identity.scan;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;

/**
 * A parsed {@code DW_AT_producer}, such as {@code GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2}.
 *
 * @param compiler its usual name: {@code GCC}, {@code Clang}, {@code rustc}, {@code Go}
 * @param version as it writes it
 * @param flags those that change layouts, separated by spaces; compilers other than GCC rarely record any
 */
record Producer(String compiler, String version, String flags) {

    private static final String ASSEMBLER = "GNU AS";
    private static final String GCC = "GCC";

    /** Longest text that is looked at; GCC repeats every flag, and projects use dozens. */
    private static final int MAX_CHARS = 10_000;

    private static final Pattern RUSTC = Pattern.compile("\\brustc version (\\S+)");
    private static final Pattern CLANG = Pattern.compile("\\b(Apple )?(?:clang|LLVM) version (\\d\\S*)");
    private static final Pattern GO = Pattern.compile("Go cmd/compile (?:go)?([^;\\s]+)");
    private static final Pattern GNU = Pattern.compile("GNU (\\S+).*? (\\d+\\.\\S+)");

    /** In section {@code .comment}, GCC puts the version after its package, and its own date and package after that. */
    private static final Pattern GNU_COMMENT = Pattern.compile("GCC: \\(.*\\) (\\d+\\.\\S+)");

    private static final Pattern OTHER = Pattern.compile("([A-Za-z][^\\d]{0,60}?),?(?: [Vv]ersion)? v?(\\d\\S*)");

    private static final Pattern SPACES = Pattern.compile("\\s+");

    /**
     * Flags that change sizes or offsets (GCC manual, "Options for Code Generation Conventions", "Machine-Dependent
     * Options" and "Fortran Dialect"; Clang's command line reference). Flags that take a value end with an equals sign.
     */
    private static final Set<String> LAYOUT_FLAGS = Set.of(
            "-fpack-struct",
            "-fpack-struct=",
            "-fshort-enums",
            "-fno-short-enums",
            "-fshort-wchar",
            "-fno-short-wchar",
            "-fshort-double",
            "-fabi-version=",
            "-fclang-abi-compat=",
            "-frandomize-layout-seed=",
            "-frandomize-layout-seed-file=",
            "-fdefault-integer-8",
            "-fdefault-real-8",
            "-fdefault-real-10",
            "-fdefault-real-16",
            "-fdefault-double-8",
            "-m32",
            "-mx32",
            "-m16",
            "-mabi=",
            "-mms-bitfields",
            "-mno-ms-bitfields",
            "-malign-double",
            "-mno-align-double",
            "-malign-int",
            "-malign-natural",
            "-malign-power",
            "-mshort",
            "-mint8",
            "-m96bit-long-double",
            "-m128bit-long-double",
            "-mlong-double-64",
            "-mlong-double-80",
            "-mlong-double-128",
            "-mlong32",
            "-mlong64",
            "-mstructure-size-boundary=");

    /** Parses a producer; empty for a text without a version. */
    static Optional<Producer> parse(String producer) {
        String text = producer.substring(0, Math.min(producer.length(), MAX_CHARS));
        Matcher rustc = RUSTC.matcher(text);
        if (rustc.find()) {
            return Optional.of(new Producer("rustc", rustc.group(1), ""));
        }
        Matcher clang = CLANG.matcher(text);
        if (clang.find()) {
            String name = clang.group(1) == null ? "Clang" : "Apple Clang";
            return Optional.of(new Producer(name, clang.group(2), layoutFlags(text)));
        }
        Matcher go = GO.matcher(text);
        if (go.lookingAt()) {
            return Optional.of(new Producer("Go", go.group(1), ""));
        }
        Matcher gnu = GNU.matcher(text);
        if (gnu.lookingAt()) {
            String name = gnu.group(1).equals("AS") ? ASSEMBLER : GCC;
            return Optional.of(new Producer(name, gnu.group(2), layoutFlags(text)));
        }
        Matcher other = OTHER.matcher(text);
        return other.lookingAt()
                ? Optional.of(new Producer(other.group(1).strip(), other.group(2), ""))
                : Optional.empty();
    }

    /**
     * Parses a string of section {@code .comment}, such as {@code GCC: (Debian 12.2.0-14) 12.2.0}; empty unless GCC, Clang or
     * rustc wrote it: linkers and post-processors write such strings too.
     */
    static Optional<Producer> parseComment(String comment) {
        String text = comment.substring(0, Math.min(comment.length(), MAX_CHARS));
        Matcher gcc = GNU_COMMENT.matcher(text);
        if (gcc.lookingAt()) {
            return Optional.of(new Producer(GCC, gcc.group(1), ""));
        }
        return RUSTC.matcher(text).find() || CLANG.matcher(text).find()
                ? parse(text).map(Producer::withoutFlags)
                : Optional.empty();
    }

    boolean isGcc() {
        return compiler.equals(GCC);
    }

    boolean isAssembler() {
        return compiler.equals(ASSEMBLER);
    }

    Producer withoutFlags() {
        return new Producer(compiler, version, "");
    }

    private static String layoutFlags(String text) {
        StringJoiner flags = new StringJoiner(" ");
        for (String word : SPACES.split(text, -1)) {
            int value = word.indexOf('=');
            if (LAYOUT_FLAGS.contains(value < 0 ? word : word.substring(0, value + 1))) {
                flags.add(word);
            }
        }
        return flags.toString();
    }
}
