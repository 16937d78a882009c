package dev.offsetd.query.check;

import dev.offsetd.extractor.bpf.BpfProgram.Function;
import dev.offsetd.extractor.bpf.BpfProgram.Instruction;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which relocations of a function are reached in a build. An instruction that libbpf has made invalid does no harm where it cannot
 * run: the kernel's verifier knows the numbers that libbpf has written, and does not follow a branch that they exclude. Numbers
 * are propagated through registers, along the branches that they permit (Wegman and Zadeck, "Constant Propagation with Conditional
 * Branches", 1991). Where ways meet, a number is kept if it is the same on each; memory is unknown. So everything that the verifier
 * reaches is found, and rarely something more.
 */
final class ProgramFlow {

    /** Longer functions count as reached in whole: they would take much heap. */
    private static final int MAX_INSTRUCTIONS = 1 << 16;

    private static final int REGISTERS = 11;
    private static final int ARGUMENTS = 5;

    private static final int LD_IMM64 = 0x18;
    private static final int JA = 0x05;
    private static final int JA32 = 0x06;
    private static final int CALL = 0x85;
    private static final int EXIT = 0x95;

    /** The classes of instructions: bits 0 to 2 of the opcode. */
    private static final int LD = 0;

    private static final int LDX = 1;
    private static final int ST = 2;
    private static final int STX = 3;
    private static final int ALU = 4;
    private static final int JMP = 5;
    private static final int JMP32 = 6;

    /** Bit of the opcode: the second operand is a register. */
    private static final int X = 0x08;

    private static final int ATOMIC = 0xc0;

    /** The operations of jumps: bits 4 to 7 of the opcode. */
    private static final int JEQ = 0x10;

    private static final int JGT = 0x20;
    private static final int JGE = 0x30;
    private static final int JSET = 0x40;
    private static final int JNE = 0x50;
    private static final int JSGT = 0x60;
    private static final int JSGE = 0x70;
    private static final int JLT = 0xa0;
    private static final int JLE = 0xb0;
    private static final int JSLT = 0xc0;
    private static final int JSLE = 0xd0;

    /** The operations of arithmetic, in the same bits. */
    private static final int ADD = 0x00;

    private static final int SUB = 0x10;
    private static final int MUL = 0x20;
    private static final int OR = 0x40;
    private static final int AND = 0x50;
    private static final int LSH = 0x60;
    private static final int RSH = 0x70;
    private static final int NEG = 0x80;
    private static final int XOR = 0xa0;
    private static final int MOV = 0xb0;
    private static final int ARSH = 0xc0;

    private final Function function;
    private final List<@Nullable Long> answers;
    private final @Nullable Long[] @Nullable [] before;
    private final Deque<Integer> due = new ArrayDeque<>();

    private ProgramFlow(Function function, List<@Nullable Long> answers) {
        this.function = function;
        this.answers = answers;
        this.before = new Long[function.code().size()][];
    }

    /**
     * Returns the indexes of the relocations that are reached.
     *
     * @param answers the numbers that libbpf writes, by relocation; null if it is not known here
     */
    static Set<Integer> reached(Function function, List<@Nullable Long> answers) {
        Set<Integer> reached = new TreeSet<>(function.sites().values());
        if (function.code().size() <= MAX_INSTRUCTIONS) {
            ProgramFlow flow = new ProgramFlow(function, answers);
            flow.run();
            reached.clear();
            function.sites().forEach((place, relocation) -> {
                if (flow.before[place] != null) {
                    reached.add(relocation);
                }
            });
        }
        return reached;
    }

    private void run() {
        enter(0, new Long[REGISTERS]);
        while (!due.isEmpty()) {
            step(due.pop());
        }
    }

    /** Adds a way to an instruction. */
    private void enter(int place, @Nullable Long[] registers) {
        if (place < 0 || place >= before.length) {
            return;
        }
        @Nullable Long[] known = before[place];
        if (known == null) {
            before[place] = registers.clone();
            due.push(place);
            return;
        }
        boolean changed = false;
        for (int i = 0; i < REGISTERS; i++) {
            if (known[i] != null && !known[i].equals(registers[i])) {
                known[i] = null;
                changed = true;
            }
        }
        if (changed) {
            due.push(place);
        }
    }

    private void step(int place) {
        Instruction instruction = function.code().get(place);
        @Nullable Long[] registers = Objects.requireNonNull(before[place]).clone();
        if (instruction.target() >= REGISTERS || instruction.source() >= REGISTERS) {
            return;
        }
        switch (instruction.opcode() & 7) {
            case LD -> load(place, instruction, registers);
            case LDX -> {
                registers[instruction.target()] = null;
                enter(place + 1, registers);
            }
            case ST, STX -> {
                if ((instruction.opcode() & 0xe0) == ATOMIC) {
                    registers[instruction.source()] = null;
                    registers[0] = null;
                }
                enter(place + 1, registers);
            }
            case JMP, JMP32 -> jump(place, instruction, registers);
            default -> {
                registers[instruction.target()] = isRelocated(place) ? written(place) : result(instruction, registers);
                enter(place + 1, registers);
            }
        }
    }

    private boolean isRelocated(int place) {
        return function.sites().containsKey(place);
    }

    private @Nullable Long written(int place) {
        Instruction instruction = function.code().get(place);
        boolean isConstant = instruction.opcode() == LD_IMM64 || (instruction.opcode() & 0xf8) == MOV;
        return isConstant ? answers.get(Objects.requireNonNull(function.sites().get(place))) : null;
    }

    private void load(int place, Instruction instruction, @Nullable Long[] registers) {
        if (instruction.opcode() != LD_IMM64) {
            // From a packet; it is a call.
            clobber(registers);
            enter(place + 1, registers);
            return;
        }
        // Mostly the address of a variable or map, which the loader writes.
        registers[instruction.target()] = isRelocated(place) ? written(place) : null;
        enter(place + 2, registers);
    }

    private static void clobber(@Nullable Long[] registers) {
        for (int i = 0; i <= ARGUMENTS; i++) {
            registers[i] = null;
        }
    }

    private void jump(int place, Instruction instruction, @Nullable Long[] registers) {
        switch (instruction.opcode()) {
            case EXIT -> {}
            case JA -> enter(place + 1 + instruction.offset(), registers);
            case JA32 -> enter(place + 1 + instruction.immediate(), registers);
            case CALL, CALL | X -> {
                clobber(registers);
                enter(place + 1, registers);
            }
            default -> branch(place, instruction, registers);
        }
    }

    private void branch(int place, Instruction instruction, @Nullable Long[] registers) {
        int kind = instruction.opcode() & 0xf0;
        Long left = registers[instruction.target()];
        Long right = operand(instruction, registers);
        boolean isWide = (instruction.opcode() & 7) == JMP;
        Boolean taken = null;
        if (left != null && right != null) {
            taken = isTaken(kind, isWide ? left : (long) left.intValue(), isWide ? right : (long) right.intValue());
        }
        int target = place + 1 + instruction.offset();
        if (!Boolean.FALSE.equals(taken)) {
            enter(target, isWide && kind == JEQ ? with(registers, instruction.target(), right) : registers);
        }
        if (!Boolean.TRUE.equals(taken)) {
            enter(place + 1, isWide && kind == JNE ? with(registers, instruction.target(), right) : registers);
        }
    }

    /** Returns the registers where one of them equals a number. */
    private static @Nullable Long[] with(@Nullable Long[] registers, int register, @Nullable Long number) {
        @Nullable Long[] refined = registers.clone();
        if (number != null) {
            refined[register] = number;
        }
        return refined;
    }

    private static @Nullable Long operand(Instruction instruction, @Nullable Long[] registers) {
        return (instruction.opcode() & X) == 0
                ? Long.valueOf(instruction.immediate())
                : registers[instruction.source()];
    }

    /** Returns whether a branch is taken; null for an operation that is not known. */
    private static @Nullable Boolean isTaken(int kind, long left, long right) {
        return switch (kind) {
            case JEQ -> left == right;
            case JGT -> Long.compareUnsigned(left, right) > 0;
            case JGE -> Long.compareUnsigned(left, right) >= 0;
            case JSET -> (left & right) != 0;
            case JNE -> left != right;
            case JSGT -> left > right;
            case JSGE -> left >= right;
            case JLT -> Long.compareUnsigned(left, right) < 0;
            case JLE -> Long.compareUnsigned(left, right) <= 0;
            case JSLT -> left < right;
            case JSLE -> left <= right;
            default -> null;
        };
    }

    /** Returns the result of an arithmetic instruction; null if it is not known. */
    private static @Nullable Long result(Instruction instruction, @Nullable Long[] registers) {
        int kind = instruction.opcode() & 0xf0;
        Long right = operand(instruction, registers);
        // Sign extensions and signed divisions have an offset.
        if (right == null || instruction.offset() != 0) {
            return null;
        }
        boolean isWide = (instruction.opcode() & 7) != ALU;
        if (kind == MOV) {
            return isWide ? right : Long.valueOf(right & 0xffff_ffffL);
        }
        Long known = registers[instruction.target()];
        if (known == null) {
            return null;
        }
        long left = isWide ? known : known & 0xffff_ffffL;
        int shift = (int) (right & (isWide ? 63 : 31));
        Long result = switch (kind) {
            case ADD -> left + right;
            case SUB -> left - right;
            case MUL -> left * right;
            case OR -> left | right;
            case AND -> left & right;
            case LSH -> left << shift;
            case RSH -> left >>> shift;
            case NEG -> -left;
            case XOR -> left ^ right;
            case ARSH -> (isWide ? left : (long) known.intValue()) >> shift;
            default -> null;
        };
        return result == null || isWide ? result : Long.valueOf(result & 0xffff_ffffL);
    }
}
