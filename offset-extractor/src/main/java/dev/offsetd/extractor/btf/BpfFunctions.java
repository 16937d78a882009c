package dev.offsetd.extractor.btf;

import dev.offsetd.extractor.bpf.BpfProgram;
import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Functions of a BPF program, whose starts {@code .BTF.ext} tells. */
final class BpfFunctions {

    private static final int INSTRUCTION_BYTES = 8;

    /** Heap of an instruction. */
    private static final int INSTRUCTION_HEAP_BYTES = 40;

    private final BtfExt ext;
    private final HeapBudget heap;

    BpfFunctions(BtfExt ext, HeapBudget heap) {
        this.ext = ext;
        this.heap = heap;
    }

    /**
     * Returns the functions of the sections that have relocations.
     *
     * @param code sections with instructions, by name
     * @param sites by the section and place of an instruction, the index of its relocation
     */
    List<BpfProgram.Function> read(Map<String, Section> code, Map<String, SortedMap<Long, Integer>> sites)
            throws ExtractionException {
        Map<String, SortedSet<Long>> starts = new TreeMap<>();
        for (BtfExt.Row row : ext.functions()) {
            starts.computeIfAbsent(row.section(), name -> new TreeSet<>())
                    .add(ext.record(row, BtfExt.FUNCTION_BYTES).u32());
        }
        List<BpfProgram.Function> functions = new ArrayList<>();
        for (Map.Entry<String, SortedMap<Long, Integer>> relocated : sites.entrySet()) {
            Section section = code.get(relocated.getKey());
            if (section != null) {
                SortedSet<Long> ends = starts.getOrDefault(relocated.getKey(), new TreeSet<>());
                ends.add(section.size() / INSTRUCTION_BYTES * INSTRUCTION_BYTES);
                long start = 0;
                for (long end : ends) {
                    if (end > start && end <= section.size()) {
                        functions.add(function(section.cursor(start, end - start), relocated.getValue()));
                        start = end;
                    }
                }
            }
        }
        return functions;
    }

    private BpfProgram.Function function(ByteCursor in, SortedMap<Long, Integer> sites) throws ExtractionException {
        long start = in.offset();
        long count = (in.end() - start) / INSTRUCTION_BYTES;
        heap.keep(count * INSTRUCTION_HEAP_BYTES, ext.name(), 0);
        boolean isLittle = ext.section().byteOrder() == ByteOrder.LITTLE_ENDIAN;
        List<BpfProgram.Instruction> code = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            int opcode = in.u8();
            int registers = in.u8();
            int low = registers & 0xf;
            int high = registers >> 4;
            code.add(new BpfProgram.Instruction(
                    opcode, isLittle ? low : high, isLittle ? high : low, (short) in.u16(), (int) in.u32()));
        }
        SortedMap<Integer, Integer> own = new TreeMap<>();
        sites.subMap(start, start + count * INSTRUCTION_BYTES)
                .forEach((place, number) -> own.put((int) ((place - start) / INSTRUCTION_BYTES), number));
        return new BpfProgram.Function(code, own);
    }
}
