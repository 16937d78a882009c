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

/** Offsets of symbols in the files of programs, with the section headers of {@code readelf} as the judge. */
public final class SymbolPlaces {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 1);

    private SymbolPlaces() {}

    /** Section header: {@code sh_addr}, {@code sh_offset}, {@code sh_size}; no offset if the file has no bytes of it. */
    private record Header(long address, OptionalLong offset, long size) {}

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

    private static List<Header> headers(Path file) throws IOException {
        return RequiredTool.require("readelf")
                .output("--sections", "--wide", file)
                .lines()
                .filter(line -> line.matches("\\s*\\[ *[1-9][0-9]*] .*"))
                .map(line -> line.substring(line.indexOf(']') + 1).strip().split(" +", -1))
                .filter(words -> words[6].contains("A"))
                // The addresses of .tbss are those of the sections behind it, which are in memory.
                .filter(words -> !words[1].equals("NOBITS") || !words[6].contains("T"))
                .map(words -> new Header(
                        Long.parseUnsignedLong(words[2], 16),
                        words[1].equals("NOBITS")
                                ? OptionalLong.empty()
                                : OptionalLong.of(Long.parseUnsignedLong(words[3], 16)),
                        Long.parseUnsignedLong(words[4], 16)))
                .toList();
    }

    private static OptionalLong expected(long address, List<Header> headers) {
        for (Header header : headers) {
            if (Long.compareUnsigned(address - header.address, header.size) < 0) {
                return header.offset.isEmpty()
                        ? OptionalLong.empty()
                        : OptionalLong.of(header.offset.getAsLong() + (address - header.address));
            }
        }
        return OptionalLong.empty();
    }
}
