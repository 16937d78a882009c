package dev.offsetd.extractor.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One symbol table of a file as other people's tools print it, without the reserved first entry: value, size, type,
 * binding, visibility, section index, and name with version, in the words of {@code readelf}.
 */
public final class SymbolListing {

    private static final Pattern TABLE = Pattern.compile("Symbol table (?:\\[ *[0-9]+\\] )?'([^']*)'.*");

    /** Other bits of {@code st_other} are in square brackets, the number of an import's version in round ones. */
    private static final Pattern ENTRY =
            Pattern.compile(" *([0-9]+): ([0-9a-f]+) +([0-9a-fx]+) (\\w+) +(\\w+) +(\\w+) +"
                    + "(?:\\[[^]]*\\] +)?(\\w+) ?(.*?)(?: \\([0-9]+\\))?");

    /** A value that imports do not have, a letter, a name. */
    private static final Pattern NM_ENTRY = Pattern.compile("([0-9a-f]+) [A-Za-z] (.*)");

    /** The symbol of a version, which has its name; only some tools give it the version too. */
    private static final Pattern VERSION_OF_ITSELF = Pattern.compile(" ABS (.+)@@\\1$");

    private SymbolListing() {}

    /** The table of this name as {@code readelf} of binutils prints it. */
    public static List<String> ofReadelf(Path file, String table) throws IOException {
        return read(RequiredTool.require("readelf").output("-W", "-s", file), table);
    }

    /** The table of this name as {@code eu-readelf} prints it. */
    public static List<String> ofEuReadelf(Path file, String table) throws IOException {
        return read(RequiredTool.require("eu-readelf").output("-s", file), table);
    }

    /** Value and name with version of every symbol that is defined, but for section and file symbols, in any order. */
    public static List<String> ofNm(Path file, boolean dynamic) throws IOException {
        String out = dynamic
                ? RequiredTool.require("nm").output("--with-symbol-versions", "-D", file)
                : RequiredTool.require("nm").output("--with-symbol-versions", file);
        return out.lines()
                .map(NM_ENTRY::matcher)
                .filter(Matcher::matches)
                .map(entry -> entry.group(1) + " " + entry.group(2))
                .toList();
    }

    private static List<String> read(String out, String table) {
        List<String> entries = new ArrayList<>();
        boolean wanted = false;
        for (String line : out.lines().toList()) {
            Matcher header = TABLE.matcher(line);
            if (header.matches()) {
                wanted = header.group(1).equals(table);
            }
            Matcher entry = ENTRY.matcher(line);
            if (wanted && entry.matches() && !entry.group(1).equals("0")) {
                entries.add(entry(entry));
            }
        }
        return entries;
    }

    private static String entry(Matcher entry) {
        String section = entry.group(7).equals("UNDEF") ? "UND" : entry.group(7);
        String line = String.join(
                " ",
                entry.group(2),
                Long.decode(entry.group(3)).toString(),
                entry.group(4).replace("GNU_IFUNC", "IFUNC"),
                entry.group(5).replace("GNU_UNIQUE", "UNIQUE"),
                entry.group(6),
                section,
                entry.group(8));
        return VERSION_OF_ITSELF.matcher(line).replaceFirst(" ABS $1");
    }
}
