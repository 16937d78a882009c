package dev.offsetd.extractor.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** DWARF sections as {@link DwarfWriter} wrote them, open to be broken by hand. Immutable. */
public final class DwarfSections {

    private final DwarfStyle style;
    private final Map<String, byte[]> sections;
    private final Map<String, Long> labels;

    DwarfSections(DwarfStyle style, Map<String, byte[]> sections, Map<String, Long> labels) {
        this.style = style;
        this.sections = new LinkedHashMap<>(sections);
        this.labels = Map.copyOf(labels);
    }

    public DwarfStyle style() {
        return style;
    }

    /** The bytes of a section; none if it was not written. */
    public byte[] section(String name) {
        byte[] bytes = sections.get(name);
        return bytes == null ? new byte[0] : bytes.clone();
    }

    /** Offset in its section of the DIE with this label. */
    public long offsetOf(String label) {
        Long offset = labels.get(label);
        if (offset == null) {
            throw new IllegalArgumentException("no DIE is labelled " + label + "; there are " + labels.keySet());
        }
        return offset;
    }

    /** The same sections, but this one with these bytes. */
    public DwarfSections with(String name, byte[] bytes) {
        Map<String, byte[]> changed = new LinkedHashMap<>(sections);
        changed.put(name, bytes.clone());
        return new DwarfSections(style, changed, labels);
    }

    /** The same sections, but without this one. */
    public DwarfSections without(String name) {
        Map<String, byte[]> changed = new LinkedHashMap<>(sections);
        changed.remove(name);
        return new DwarfSections(style, changed, labels);
    }

    /** The same sections, but {@code size} bytes at {@code offset} of this one hold {@code value}. */
    public DwarfSections patched(String name, long offset, long value, int size) {
        byte[] bytes = section(name);
        byte[] patch = new BinaryWriter(style.order()).integer(value, size).toBytes();
        System.arraycopy(patch, 0, bytes, Math.toIntExact(offset), size);
        return with(name, bytes);
    }

    /** An ELF file of these sections, not yet written; its class is that of the address size. */
    public ElfWriter toElf() {
        ElfWriter elf = new ElfWriter(8 * style.addressSize(), style.order());
        sections.forEach(elf::section);
        return elf;
    }

    /** Writes {@link #toElf()} to the file. */
    public Path writeTo(Path file) throws IOException {
        return toElf().writeTo(file);
    }
}
