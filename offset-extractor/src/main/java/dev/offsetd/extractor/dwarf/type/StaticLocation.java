package dev.offsetd.extractor.dwarf.type;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.input.MalformedInputException;

/**
 * Evaluator of the locations of a unit's variables that do not depend on the running program (DWARF 5 §2.5.1, §2.6.1): an
 * address, or an offset in thread-local storage. Holds the last result. Not thread-safe.
 */
public final class StaticLocation {

    private final Section addresses;
    private final long addressesBase;
    private final int addressSize;
    private final boolean hasZero;

    /** Results of the last {@link #read}. */
    public boolean isAddress;

    public boolean isThreadLocal;

    /** The offset of a thread-local variable in the block of its module is a constant. */
    public boolean isBlockOffset;

    /** The linker has discarded the variable. */
    public boolean isDiscarded;

    /** The address or the offset. */
    public long address;

    /**
     * @param addresses {@code .debug_addr}
     * @param addressesBase where the addresses of the unit start in it; negative if that is not known
     * @param hasZero whether something is loaded at address 0
     */
    public StaticLocation(Section addresses, long addressesBase, int addressSize, boolean hasZero) {
        this.addresses = addresses;
        this.addressesBase = addressesBase;
        this.addressSize = addressSize;
        this.hasZero = hasZero;
    }

    /** Forgets the last location. */
    public void clear() {
        isAddress = false;
        isThreadLocal = false;
        isBlockOffset = false;
        isDiscarded = false;
        address = 0;
    }

    /** Reads the expression of {@code length} bytes at {@code offset}. */
    public void read(Section section, long offset, long length) throws MalformedInputException {
        clear();
        if (length == 0) {
            return;
        }
        ByteCursor in = section.cursor(offset, length);
        int operation = in.u8();
        if (operation == Dwarf.DW_OP_addr && length == 1L + addressSize) {
            found(in.unsigned(addressSize));
            return;
        }
        if (operation == Dwarf.DW_OP_addrx || operation == Dwarf.DW_OP_GNU_addr_index) {
            long index = in.uleb128();
            if (!in.hasRemaining()) {
                readIndexed(index);
                return;
            }
        }
        int last = section.cursor(offset + length - 1, 1).u8();
        isThreadLocal = last == Dwarf.DW_OP_form_tls_address || last == Dwarf.DW_OP_GNU_push_tls_address;
        if (isThreadLocal && length > 1) {
            readBlockOffset(section.cursor(offset, length - 1), length - 1);
        }
    }

    /**
     * Reads what a thread-local variable pushes: compilers write an integer for which the linker has a relocation. In a split
     * unit it is an index ({@code DW_OP_constx}) of the table of addresses, where clang has the offset and GCC the address in the
     * file, so it is not read.
     */
    private void readBlockOffset(ByteCursor in, long length) throws MalformedInputException {
        int bytes = switch (in.u8()) {
            case Dwarf.DW_OP_const4u -> Integer.BYTES;
            case Dwarf.DW_OP_const8u -> Long.BYTES;
            case Dwarf.DW_OP_addr -> addressSize;
            default -> 0;
        };
        if (bytes > 0 && length == 1L + bytes) {
            isBlockOffset = true;
            address = in.unsigned(bytes);
        }
    }

    /** Resolves an index. One out of range leaves the address unknown: a split file that is read alone has no table. */
    private void readIndexed(long index) throws MalformedInputException {
        long room = addresses.size() - addressesBase - addressSize;
        if (addressesBase >= 0 && index >= 0 && room >= 0 && index <= room / addressSize) {
            found(addresses
                    .cursor(addressesBase + index * addressSize, addressSize)
                    .unsigned(addressSize));
        }
    }

    private void found(long value) {
        // Linkers write the highest address or 0 for variables that they discard.
        isDiscarded = value == -1L >>> (Long.SIZE - addressSize * Byte.SIZE) || (value == 0 && !hasZero);
        isAddress = !isDiscarded;
        address = value;
    }
}
