package dev.offsetd.extractor.corpus;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Offsets of symbols in the files of programs, with the section and program headers of {@code readelf} as the judge. */
public final class SymbolPlaces {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 1);

    private SymbolPlaces() {}

    /** Bytes of the file with their address. */
    private record Header(long address, long offset, long size) {}

    /** Compares all symbols within their sections, both ways; none if the file does not have the bytes of its segments. */
    public static SecondOpinion.Result compared(Path file) throws IOException, ExtractionException {
        FileOffsets offsets = DebugInfo.read(file, OPTIONS, DebugInfo::fileOffsets);
        List<String> differences = new ArrayList<>();
        int compared = 0;
        if (offsets.missing() == null) {
            List<Header> headers = headers(file);
            for (Symbol symbol :
                    DebugInfo.read(file, OPTIONS, DebugInfo::symbols).toList()) {
                if (!symbol.isPlace()
                        || Long.compareUnsigned(symbol.value(), symbol.section().endAddress()) >= 0) {
                    continue;
                }
                compared++;
                OptionalLong found = offsets.of(symbol);
                OptionalLong expected = expected(symbol.value(), headers);
                boolean returns =
                        found.isEmpty() || offsets.addressOf(found.getAsLong()).equals(OptionalLong.of(symbol.value()));
                if (!found.equals(expected) || !returns) {
                    differences.add("  " + symbol.name() + " is at " + found + ", readelf says " + expected);
                }
            }
        }
        return new SecondOpinion.Result("file offsets, readelf", compared, differences);
    }

    /**
     * Returns the sections that have bytes in the file, then the segments: kernels have a section with bytes behind {@code .bss} in one
     * segment, so that the file has bytes of {@code .bss} too.
     */
    private static List<Header> headers(Path file) throws IOException {
        return Stream.concat(
                        rows("--sections", file, "\\s*\\[ *[1-9][0-9]*] ")
                                .filter(words -> words[6].contains("A") && !words[1].equals("NOBITS"))
                                .map(words -> header(words[2], words[3], words[4])),
                        rows("--segments", file, "\\s*LOAD ").map(words -> header(words[1], words[0], words[3])))
                .toList();
    }

    /** Returns the words behind the beginnings of rows that {@code readelf} prints. */
    private static Stream<String[]> rows(String what, Path file, String beginning) throws IOException {
        return RequiredTool.require("readelf")
                .output(what, "--wide", file)
                .lines()
                .filter(line -> line.matches(beginning + ".*"))
                .map(line -> line.replaceFirst(beginning, "").strip().split(" +", -1));
    }

    private static Header header(String address, String offset, String size) {
        return new Header(number(address), number(offset), number(size));
    }

    private static long number(String hex) {
        return Long.parseUnsignedLong(hex.startsWith("0x") ? hex.substring(2) : hex, 16);
    }

    private static OptionalLong expected(long address, List<Header> headers) {
        return headers.stream()
                .filter(header -> Long.compareUnsigned(address - header.address, header.size) < 0)
                .mapToLong(header -> header.offset + (address - header.address))
                .findFirst();
    }
}
