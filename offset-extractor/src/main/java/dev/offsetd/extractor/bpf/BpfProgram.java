package dev.offsetd.extractor.bpf;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A compiled BPF program.
 *
 * @param relocations numbers that it requests of another file, each once
 * @param functions those whose instructions the file has
 */
public record BpfProgram(List<CoreRelocation> relocations, List<Function> functions) {

    public BpfProgram {
        relocations = List.copyOf(relocations);
        functions = List.copyOf(functions);
    }

    /**
     * A function.
     *
     * @param code its instructions; one with a constant of 64 bits takes two places
     * @param sites by the index of an instruction, the index of its relocation
     */
    public record Function(List<Instruction> code, SortedMap<Integer, Integer> sites) {

        public Function {
            code = List.copyOf(code);
            sites = new TreeMap<>(sites);
        }
    }

    /**
     * An instruction (RFC 9669, "Instruction encoding").
     *
     * @param opcode unsigned
     * @param target number of the destination register
     * @param source number of the source register
     * @param offset signed, of a jump in instructions from the next one
     * @param immediate signed
     */
    public record Instruction(int opcode, int target, int source, int offset, int immediate) {}
}
