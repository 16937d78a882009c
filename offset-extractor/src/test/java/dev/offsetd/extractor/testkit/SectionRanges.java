package dev.offsetd.extractor.testkit;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Where the parts of a sound ELF file are, to break them on purpose; each as start and end in bytes. */
public final class SectionRanges {

    private final int[] headers;
    private final Map<String, int[]> sections = new LinkedHashMap<>();

    private SectionRanges(int[] headers) {
        this.headers = headers;
    }

    public static SectionRanges of(byte[] file) {
        ByteBuffer in = ByteBuffer.wrap(file).order(file[5] == 1 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        boolean wide = file[4] == 2;
        int start = wide ? (int) in.getLong(40) : in.getInt(32);
        int entry = wide ? 64 : 40;
        int count = in.getShort(wide ? 60 : 48);
        int names = start + in.getShort(wide ? 62 : 50) * entry;
        SectionRanges ranges = new SectionRanges(new int[] {start, start + count * entry});
        for (int at = start; at < start + count * entry; at += entry) {
            int name = offset(in, names, wide) + in.getInt(at);
            int end = name;
            while (file[end] != 0) {
                end++;
            }
            int from = offset(in, at, wide);
            boolean isInFile = in.getInt(at + 4) != 8;
            int size = wide ? (int) in.getLong(at + 32) : in.getInt(at + 20);
            ranges.sections.put(
                    new String(file, name, end - name, StandardCharsets.UTF_8),
                    new int[] {from, isInFile ? from + size : from});
        }
        return ranges;
    }

    private static int offset(ByteBuffer in, int header, boolean wide) {
        return wide ? (int) in.getLong(header + 24) : in.getInt(header + 16);
    }

    /** The section header table. */
    public int[] sectionHeaders() {
        return headers.clone();
    }

    /** The first of these sections that the file has; the section header table if it has none. */
    public int[] section(String... names) {
        for (String name : names) {
            int[] range = sections.get(name);
            int[] older = sections.get(".z" + name.substring(1));
            if (range != null && range[1] > range[0]) {
                return range.clone();
            }
            if (older != null) {
                return older.clone();
            }
        }
        return sectionHeaders();
    }

    /** The first bytes of that section. */
    public int[] start(String name, int bytes, String other) {
        int[] range = section(name, other);
        return new int[] {range[0], Math.min(range[1], range[0] + bytes)};
    }
}
