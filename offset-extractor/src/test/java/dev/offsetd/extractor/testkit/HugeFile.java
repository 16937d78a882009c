package dev.offsetd.extractor.testkit;

import static dev.offsetd.extractor.testkit.Dw.*;

import java.nio.ByteOrder;
import java.util.Base64;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;

/** Sound files that ask for much heap memory for each of their bytes, each with as many of one thing as is wanted. */
public enum HugeFile {
    STRUCTS {
        @Override
        void write(Unit unit, int count) {
            for (int i = 0; i < count; i++) {
                unit.struct("s" + i).member("m").end();
            }
        }
    },
    MEMBERS {
        @Override
        void write(Unit unit, int count) {
            unit.struct("s");
            for (int i = 0; i < count; i++) {
                unit.member("m" + i);
            }
            unit.end();
        }
    },
    ENUMERATORS {
        @Override
        void write(Unit unit, int count) {
            unit.die(ENUM).string("e").bytes((byte) 4);
            for (int i = 0; i < count; i++) {
                unit.die(ENUMERATOR).string("E" + i).u32(i);
            }
            unit.end();
        }
    },
    TYPEDEFS {
        @Override
        void write(Unit unit, int count) {
            for (int i = 0; i < count; i++) {
                unit.die(TYPEDEF).string("t" + i).u32(unit.integer);
            }
        }
    },
    VARIABLES {
        @Override
        void write(Unit unit, int count) {
            for (int i = 0; i < count; i++) {
                unit.die(VARIABLE)
                        .string("v" + i)
                        .u32(unit.integer)
                        .u8(9)
                        .u8(DW_OP_addr)
                        .u64(0x1000 + 4L * i);
            }
        }
    },
    NAMESPACES_OF_LONG_NAMES {
        @Override
        void write(Unit unit, int count) {
            unit.die(NAMESPACE).string("n".repeat(1000));
            for (int i = 0; i < count; i++) {
                unit.struct("s" + i).end();
            }
            unit.end();
        }
    },
    NESTED_NAMESPACES {
        @Override
        void write(Unit unit, int count) {
            for (int i = 0; i < count; i++) {
                unit.die(NAMESPACE).string("n" + i);
                unit.struct("s").end();
                unit.end();
            }
        }
    },
    /** Each name is the end of one long string. */
    ENDS_OF_A_NAME {
        @Override
        void write(Unit unit, int count) {
            for (int i = 0; i < count; i++) {
                unit.die(BASE_OF_LINE_STRING).u32(i).bytes((byte) 4, (byte) DW_ATE_signed);
            }
        }

        @Override
        byte[] lineStrings(int count) {
            return new BinaryWriter(ByteOrder.LITTLE_ENDIAN)
                    .string("\u4e00".repeat(count / 3 + 1))
                    .toBytes();
        }
    },
    /** Enumerators of one type, each with the end of one long string as its name. */
    ENUMERATORS_OF_ENDS {
        @Override
        void write(Unit unit, int count) {
            unit.abbreviation(
                    FIRST_FREE, DW_TAG_enumerator, 0, DW_AT_name, DW_FORM_line_strp, DW_AT_const_value, DW_FORM_data4);
            unit.die(ENUM).string("e").bytes((byte) 4);
            for (int i = 0; i < count; i++) {
                unit.die(FIRST_FREE).u32(i).u32(i);
            }
            unit.end();
        }

        @Override
        byte[] lineStrings(int count) {
            return new BinaryWriter(ByteOrder.LITTLE_ENDIAN)
                    .string("a".repeat(count))
                    .toBytes();
        }
    },
    /** Each name is the end of one long string; the names of two types are too long to be compressed together. */
    ENDS_OF_A_RANDOM_NAME {
        @Override
        void write(Unit unit, int count) {
            ENDS_OF_A_NAME.write(unit, count);
        }

        @Override
        byte[] lineStrings(int count) {
            byte[] name = new byte[40_000 + count];
            new Random(0).nextBytes(name);
            return new BinaryWriter(ByteOrder.LITTLE_ENDIAN)
                    .string(Base64.getEncoder().encodeToString(name))
                    .toBytes();
        }
    },
    DIMENSIONS {
        @Override
        void write(Unit unit, int count) {
            for (int i = 0; i < count; i += 50) {
                long array = unit.offset();
                unit.die(ARRAY).u32(unit.integer);
                for (int dimension = 0; dimension < 50; dimension++) {
                    unit.die(SUBRANGE).bytes((byte) 1);
                }
                unit.end();
                unit.die(TYPEDEF).string("t" + i).u32(array);
            }
        }
    },
    TEMPLATE_PARAMETERS {
        @Override
        void write(Unit unit, int count) {
            unit.struct("s<>");
            for (int i = 0; i < count; i++) {
                unit.die(TEMPLATE_PARAMETER).string("T" + i).u32(unit.integer);
            }
            unit.end();
        }
    },
    ABBREVIATIONS {
        @Override
        void write(Unit unit, int count) {
            for (int i = 0; i < count; i++) {
                unit.abbreviation(FIRST_FREE + i, DW_TAG_base_type, 0, DW_AT_name, DW_FORM_string);
                unit.die(FIRST_FREE + i).string("b");
            }
        }
    },
    SYMBOLS {
        @Override
        public ElfWriter write(int count) {
            BinaryWriter symbols =
                    new BinaryWriter(ByteOrder.LITTLE_ENDIAN).u64(0).u64(0).u64(0);
            BinaryWriter names = new BinaryWriter(ByteOrder.LITTLE_ENDIAN).u8(0);
            for (int i = 0; i < count; i++) {
                symbols.u32(names.size()).u8(0x12).u8(0).u16(1).u64(16L * i).u64(16);
                names.string("function_" + i);
            }
            return STRUCTS.write(1)
                    .section(".strtab", 3, 0, 0, 0, names.toBytes())
                    .section(".symtab", 2, STRING_TABLE, 1, 24, symbols.toBytes());
        }
    },
    SECTIONS {
        @Override
        public ElfWriter write(int count) {
            ElfWriter elf = STRUCTS.write(1);
            for (int i = 0; i < count; i++) {
                elf.section("section_" + i, new byte[0]);
            }
            return count < 0xff00 ? elf : elf.extendedNumbering();
        }
    },
    BTF_TYPES {
        @Override
        public ElfWriter write(int count) {
            BinaryWriter types = new BinaryWriter(ByteOrder.LITTLE_ENDIAN);
            BinaryWriter names = new BinaryWriter(ByteOrder.LITTLE_ENDIAN).u8(0);
            types.u32(names.size()).u32(1L << 24).u32(4).u32(32);
            names.string("int");
            for (int i = 1; i < count; i++) {
                types.u32(names.size()).u32(4L << 24 | 1).u32(4);
                names.string("s" + i);
                types.u32(names.size()).u32(1).u32(0);
                names.string("m" + i);
            }
            BinaryWriter btf = new BinaryWriter(ByteOrder.LITTLE_ENDIAN)
                    .u16(0xeb9f)
                    .u8(1)
                    .u8(0)
                    .u32(24)
                    .u32(0)
                    .u32(types.size())
                    .u32(types.size())
                    .u32(names.size());
            return elf().section(
                            ".BTF",
                            btf.bytes(types.toBytes()).bytes(names.toBytes()).toBytes());
        }
    },
    FILES_OF_LINES {
        @Override
        public ElfWriter write(int count) {
            return code(unitOfCode(), lines().nameless(0, 100 * count), 1);
        }
    },
    FOLDERS_OF_LINES {
        @Override
        public ElfWriter write(int count) {
            return code(unitOfCode(), lines().nameless(100 * count, 0), 1);
        }
    },
    /** Their files are not in the table. */
    ROWS_OF_LINES {
        @Override
        public ElfWriter write(int count) {
            LineProgramWriter lines = lines().address(CODE);
            for (int i = 0; i < 4 * count; i++) {
                lines.setFile(i).row(1, 1);
            }
            return code(unitOfCode(), lines.end(1), 1);
        }
    },
    RANGES_OF_A_UNIT {
        @Override
        public ElfWriter write(int count) {
            return code(unitOfCode(), lines(), 10 * count);
        }
    },
    RANGES_OF_A_FUNCTION {
        @Override
        public ElfWriter write(int count) {
            Unit unit = unitOfCode();
            unit.die(RANGED_FUNCTION).u32(0);
            return code(unit, lines(), 10 * count);
        }
    },
    FUNCTIONS {
        @Override
        public ElfWriter write(int count) {
            Unit unit = unitOfCode();
            for (int i = 0; i < count; i++) {
                unit.die(FUNCTION).string("f" + i).u64(CODE + 16L * i).u32(16);
            }
            return code(unit, lines(), 1);
        }
    },
    /** A function without a name that functions are inlined into, and symbols in each of its rows. */
    SYMBOLS_OF_A_FUNCTION {
        @Override
        public ElfWriter write(int count) {
            Unit unit = unitOfCode();
            unit.die(NAMELESS_FUNCTION).u64(CODE).u32(count);
            BinaryWriter symbols = new BinaryWriter(ByteOrder.LITTLE_ENDIAN).bytes(new byte[24]);
            for (int i = 0; i < count; i++) {
                unit.die(INLINED_FUNCTION).u64(CODE + i).u32(1);
                symbols.u32(1).u8(0x12).u8(0).u16(1).u64(CODE + i).u64(1);
            }
            unit.end();
            return code(unit, lines(), 1)
                    .section(".strtab", 3, 0, 0, 0, new byte[] {0, 's', 0})
                    .section(".symtab", 2, 6, 1, 24, symbols.toBytes());
        }
    };

    /** Address of the code of the files that have some. */
    public static final long CODE = 0x1000;

    /** The files whose functions and lines are many. */
    public static final Set<HugeFile> OF_CODE = EnumSet.range(FILES_OF_LINES, SYMBOLS_OF_A_FUNCTION);

    private static final int DW_AT_RANGES = 0x55;

    /** Where {@link #SYMBOLS} has its names: behind those of the unit. */
    private static final int STRING_TABLE = 4;

    private static final int STRUCT = 3;
    private static final int MEMBER = 4;
    static final int ENUM = 5;
    static final int ENUMERATOR = 6;
    static final int TYPEDEF = 7;
    static final int NAMESPACE = 8;
    static final int VARIABLE = 9;
    static final int ARRAY = 10;
    static final int SUBRANGE = 11;
    static final int TEMPLATE_PARAMETER = 12;
    static final int BASE_OF_LINE_STRING = 13;
    static final int FIRST_FREE = 14;
    private static final int FUNCTION = FIRST_FREE + 0;
    private static final int RANGED_FUNCTION = FIRST_FREE + 1;
    private static final int NAMELESS_FUNCTION = FIRST_FREE + 2;
    private static final int INLINED_FUNCTION = FIRST_FREE + 3;

    void write(Unit unit, int count) {
        throw new UnsupportedOperationException(name() + " has no unit");
    }

    byte[] lineStrings(int count) {
        return new byte[] {0};
    }

    /** The file with this many. */
    public ElfWriter write(int count) {
        Unit unit = new Unit();
        write(unit, count);
        return elf().section(".debug_info", unit.info())
                .section(".debug_abbrev", unit.abbreviations())
                .section(".debug_line_str", lineStrings(count));
    }

    /** A unit whose lines and ranges are at the start of their sections. */
    private static Unit unitOfCode() {
        Unit unit = new Unit(DW_AT_stmt_list, DW_AT_RANGES);
        unit.abbreviation(
                FUNCTION,
                DW_TAG_subprogram,
                0,
                DW_AT_name,
                DW_FORM_string,
                DW_AT_low_pc,
                DW_FORM_addr,
                DW_AT_high_pc,
                DW_FORM_data4);
        unit.abbreviation(RANGED_FUNCTION, DW_TAG_subprogram, 0, DW_AT_RANGES, DW_FORM_sec_offset);
        unit.abbreviation(
                NAMELESS_FUNCTION, DW_TAG_subprogram, 1, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4);
        unit.abbreviation(
                INLINED_FUNCTION,
                DW_TAG_inlined_subroutine,
                0,
                DW_AT_low_pc,
                DW_FORM_addr,
                DW_AT_high_pc,
                DW_FORM_data4);
        return unit;
    }

    private static LineProgramWriter lines() {
        return new LineProgramWriter(5, ByteOrder.LITTLE_ENDIAN);
    }

    /** The file of a unit with code, and that many ranges which are all the same. */
    private static ElfWriter code(Unit unit, LineProgramWriter lines, int ranges) {
        BinaryWriter list = new BinaryWriter(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < ranges; i++) {
            list.u64(CODE).u64(CODE + (1 << 24));
        }
        return elf().code(".text", CODE, 1 << 24)
                .section(".debug_info", unit.info())
                .section(".debug_abbrev", unit.abbreviations())
                .compressed(".debug_line", lines.toBytes(), ElfWriter.ELFCOMPRESS_ZLIB)
                .compressed(".debug_ranges", list.u64(0).u64(0).toBytes(), ElfWriter.ELFCOMPRESS_ZLIB);
    }

    static ElfWriter elf() {
        return new ElfWriter(64, ByteOrder.LITTLE_ENDIAN);
    }

    /** One unit of C++ in DWARF 4. */
    static final class Unit {

        private static final int HEADER_BYTES = 11;

        private final BinaryWriter dies = new BinaryWriter(ByteOrder.LITTLE_ENDIAN);
        private final BinaryWriter abbreviations = new BinaryWriter(ByteOrder.LITTLE_ENDIAN);
        final long integer;

        /** @param offsets attributes of the unit DIE that are offsets in sections, all of them 0 */
        Unit(int... offsets) {
            abbreviations.uleb(1).uleb(DW_TAG_compile_unit).u8(1);
            abbreviations
                    .uleb(DW_AT_name)
                    .uleb(DW_FORM_string)
                    .uleb(DW_AT_language)
                    .uleb(DW_FORM_data1);
            for (int attribute : offsets) {
                abbreviations.uleb(attribute).uleb(DW_FORM_sec_offset);
            }
            abbreviations.u8(0).u8(0);
            abbreviation(
                    2,
                    DW_TAG_base_type,
                    0,
                    DW_AT_name,
                    DW_FORM_string,
                    DW_AT_byte_size,
                    DW_FORM_data1,
                    DW_AT_encoding,
                    DW_FORM_data1);
            abbreviation(STRUCT, DW_TAG_structure_type, 1, DW_AT_name, DW_FORM_string, DW_AT_byte_size, DW_FORM_data1);
            abbreviation(
                    MEMBER,
                    DW_TAG_member,
                    0,
                    DW_AT_name,
                    DW_FORM_string,
                    DW_AT_type,
                    DW_FORM_ref4,
                    DW_AT_data_member_location,
                    DW_FORM_data1);
            abbreviation(ENUM, DW_TAG_enumeration_type, 1, DW_AT_name, DW_FORM_string, DW_AT_byte_size, DW_FORM_data1);
            abbreviation(
                    ENUMERATOR, DW_TAG_enumerator, 0, DW_AT_name, DW_FORM_string, DW_AT_const_value, DW_FORM_data4);
            abbreviation(TYPEDEF, DW_TAG_typedef, 0, DW_AT_name, DW_FORM_string, DW_AT_type, DW_FORM_ref4);
            abbreviation(NAMESPACE, DW_TAG_namespace, 1, DW_AT_name, DW_FORM_string);
            abbreviation(
                    VARIABLE,
                    DW_TAG_variable,
                    0,
                    DW_AT_name,
                    DW_FORM_string,
                    DW_AT_type,
                    DW_FORM_ref4,
                    DW_AT_location,
                    DW_FORM_exprloc);
            abbreviation(ARRAY, DW_TAG_array_type, 1, DW_AT_type, DW_FORM_ref4);
            abbreviation(SUBRANGE, DW_TAG_subrange_type, 0, DW_AT_count, DW_FORM_data1);
            abbreviation(TEMPLATE_PARAMETER, 0x2f, 0, DW_AT_name, DW_FORM_string, DW_AT_type, DW_FORM_ref4);
            abbreviation(
                    BASE_OF_LINE_STRING,
                    DW_TAG_base_type,
                    0,
                    DW_AT_name,
                    DW_FORM_line_strp,
                    DW_AT_byte_size,
                    DW_FORM_data1,
                    DW_AT_encoding,
                    DW_FORM_data1);
            die(1).string("huge.cc").bytes((byte) DW_LANG_C_plus_plus_14).bytes(new byte[4 * offsets.length]);
            integer = offset();
            die(2).string("int").bytes((byte) 4, (byte) DW_ATE_signed);
        }

        void abbreviation(int code, int tag, int children, int... attributesAndForms) {
            abbreviations.uleb(code).uleb(tag).u8(children);
            for (int value : attributesAndForms) {
                abbreviations.uleb(value);
            }
            abbreviations.u8(0).u8(0);
        }

        /** Where the next DIE is. */
        long offset() {
            return (long) HEADER_BYTES + dies.size();
        }

        BinaryWriter die(int code) {
            return dies.uleb(code);
        }

        Unit struct(String name) {
            die(STRUCT).string(name).bytes((byte) 4);
            return this;
        }

        Unit member(String name) {
            die(MEMBER).string(name).u32(integer).bytes((byte) 0);
            return this;
        }

        void end() {
            dies.u8(0);
        }

        byte[] info() {
            end();
            return new BinaryWriter(ByteOrder.LITTLE_ENDIAN)
                    .u32(dies.size() + HEADER_BYTES - 4L)
                    .u16(4)
                    .u32(0)
                    .u8(8)
                    .bytes(dies.toBytes())
                    .toBytes();
        }

        byte[] abbreviations() {
            return new BinaryWriter(ByteOrder.LITTLE_ENDIAN)
                    .bytes(abbreviations.toBytes())
                    .u8(0)
                    .toBytes();
        }
    }
}
