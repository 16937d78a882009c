package dev.offsetd.extractor.dwarf.name;

import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.DieScratch;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.dwarf.type.TypeSize;
import dev.offsetd.extractor.dwarf.type.VariantPart;
import dev.offsetd.extractor.dwarf.unit.DieReader;
import dev.offsetd.extractor.dwarf.unit.DieReaders;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.MemoryAccount;
import dev.offsetd.extractor.dwarf.unit.Unit;
import dev.offsetd.extractor.dwarf.unit.UnitMemo;
import dev.offsetd.extractor.input.ExtractionException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Template arguments from the children of a type, spelled as in names by clang: {@code <int, Box<int> >},
 * {@code <3U, n::RED, (Scoped)9>}. Not thread-safe.
 */
final class TemplateArguments {

    private final DwarfUnits dwarf;
    private final TypeSpeller speller;
    private final DieReaders readers;

    /** Names of enumerators by their values, by the DIE of their enumeration: many arguments may be of one. */
    private final UnitMemo<Map<Long, Long>> enumerators;

    TemplateArguments(DwarfUnits dwarf, TypeSpeller speller) {
        this.dwarf = dwarf;
        this.speller = speller;
        this.readers = new DieReaders(dwarf);
        this.enumerators = new UnitMemo<>(dwarf);
    }

    /** Forgets the enumerations of the previous unit. */
    void beginUnit() {
        enumerators.clear();
    }

    /** Returns whether the tag is of an argument, or of a list of them. */
    static boolean isArgument(int tag) {
        return switch (tag) {
            case Dwarf.DW_TAG_template_type_parameter,
                    Dwarf.DW_TAG_template_value_parameter,
                    Dwarf.DW_TAG_GNU_template_template_param,
                    Dwarf.DW_TAG_GNU_template_parameter_pack -> true;
            default -> false;
        };
    }

    /**
     * Returns the arguments of the template whose DIE is at the reader, in their brackets; empty for a function that
     * is made from none.
     *
     * @param reader may stand anywhere afterwards
     */
    String of(DieReader reader) throws ExtractionException {
        long typeDie = reader.address();
        Unit unit = dwarf.unit(typeDie);
        boolean function = reader.require().tag() == Dwarf.DW_TAG_subprogram;
        boolean template = !function;
        // Spelling an argument may move the same reader, so all are collected first.
        List<Argument> arguments = new ArrayList<>();
        int packs = 0;
        while (reader.hasRemaining()) {
            Abbreviation next = reader.read();
            if (next == null) {
                if (packs-- == 0) {
                    break;
                }
                continue;
            }
            template |= isArgument(next.tag());
            if (!isArgument(next.tag())) {
                if (!function) {
                    break;
                }
                // They follow the parameters and variables.
                reader.skipChildren(next);
                continue;
            }
            if (next.tag() != Dwarf.DW_TAG_GNU_template_parameter_pack) {
                arguments.add(Argument.of(next.tag(), reader.die));
            } else if (next.hasChildren()) {
                packs++;
                continue;
            }
            reader.skipChildren(next);
            if (arguments.size() > dwarf.limits().maxMembersPerType()) {
                throw dwarf.tooManyMembers(typeDie);
            }
        }
        if (!template) {
            return "";
        }
        StringBuilder out = new StringBuilder("<");
        for (Argument argument : arguments) {
            out.append(out.length() == 1 ? "" : ", ").append(text(argument, unit));
            if (out.length() > dwarf.limits().maxNameBytes()) {
                break;
            }
        }
        return out.append(out.charAt(out.length() - 1) == '>' ? " >" : ">").toString();
    }

    /**
     * An argument.
     *
     * @param typeDie its type, or the one that it is
     * @param name that of a template, or {@link NameRef#NONE}
     * @param value if it is a constant, else null
     */
    private record Argument(
            int tag, long typeDie, long name, @Nullable Long value) {

        static Argument of(int tag, DieScratch die) {
            boolean constant = die.has(Slot.CONST_VALUE) && !die.isExpression(Slot.CONST_VALUE);
            return new Argument(
                    tag,
                    die.get(Slot.TYPE, 0),
                    die.get(Slot.NAME, NameRef.NONE),
                    constant ? die.getSigned(Slot.CONST_VALUE) : null);
        }
    }

    private String text(Argument argument, Unit unit) throws ExtractionException {
        return switch (argument.tag) {
            case Dwarf.DW_TAG_template_type_parameter -> type(argument.typeDie);
            case Dwarf.DW_TAG_GNU_template_template_param ->
                argument.name == NameRef.NONE ? "?" : speller.text(argument.name, unit);
            default -> argument.value == null ? "?" : value(argument.typeDie, argument.value);
        };
    }

    private String type(long typeDie) throws ExtractionException {
        String spelled = speller.spell(typeDie).text();
        return spelled.equals("decltype(nullptr)")
                ? "std::nullptr_t"
                : spelled.replace(" [", "[").replace("* const", "*const").replace("* volatile", "*volatile");
    }

    private String value(long declaredDie, long value) throws ExtractionException {
        long typeDie = declaredDie;
        for (int hops = 0; typeDie > 0 && hops <= dwarf.limits().maxTypeDepth(); hops++) {
            DieReader reader = readers.at(typeDie);
            Abbreviation abbreviation = reader.require();
            DieScratch die = reader.die;
            if (die.has(Slot.SIGNATURE)) {
                typeDie = die.get(Slot.SIGNATURE);
            } else if (Dwarf.isAlias(abbreviation.tag())) {
                typeDie = die.get(Slot.TYPE, 0);
            } else if (abbreviation.tag() == Dwarf.DW_TAG_enumeration_type) {
                return enumerator(typeDie, abbreviation, reader, value);
            } else {
                long bytes = TypeSize.ofDie(die);
                return abbreviation.tag() == Dwarf.DW_TAG_base_type && die.has(Slot.NAME)
                        ? number(speller.text(die.get(Slot.NAME), dwarf.unit(typeDie)), value, bytes)
                        : Long.toString(value);
            }
        }
        return Long.toString(value);
    }

    private String enumerator(long typeDie, Abbreviation abbreviation, DieReader reader, long value)
            throws ExtractionException {
        boolean scoped = reader.die.isSet(Slot.ENUM_CLASS);
        long bytes = TypeSize.ofDie(reader.die);
        Map<Long, Long> names = enumerators.get(typeDie);
        if (names == null) {
            names = readEnumerators(abbreviation, reader, bytes, typeDie);
            enumerators.put(typeDie, names, 0, typeDie);
        }
        Long name = names.get(VariantPart.extend(value, bytes, true));
        if (name == null) {
            return "(" + speller.spell(typeDie).text() + ")" + value;
        }
        String text = speller.text(name, dwarf.unit(typeDie));
        return (scoped ? speller.spell(typeDie).text() + "::" : speller.scopes().qualifier(typeDie)) + text;
    }

    /** Returns the names of enumerators by their values; the first of a value counts. */
    private Map<Long, Long> readEnumerators(Abbreviation abbreviation, DieReader reader, long bytes, long typeDie)
            throws ExtractionException {
        Map<Long, Long> names = new HashMap<>();
        DieScratch die = reader.die;
        while (abbreviation.hasChildren()) {
            Abbreviation next = reader.read();
            if (next == null) {
                break;
            }
            if (next.tag() == Dwarf.DW_TAG_enumerator
                    && die.has(Slot.NAME)
                    && die.has(Slot.CONST_VALUE)
                    && !die.isExpression(Slot.CONST_VALUE)) {
                enumerators.account().addBytes(MemoryAccount.NOTE_BYTES, typeDie);
                names.putIfAbsent(VariantPart.extend(die.get(Slot.CONST_VALUE), bytes, true), die.get(Slot.NAME));
            }
            reader.skipChildren(next);
        }
        return names;
    }

    /**
     * Returns a constant of a base type as a literal: with the suffix or the cast that says its type, if that is not
     * {@code int}.
     */
    private static String number(String type, long value, long bytes) {
        String unsigned = Long.toUnsignedString(VariantPart.extend(value, bytes, false));
        return switch (type) {
            case "bool" -> value == 0 ? "false" : "true";
            case "int" -> Long.toString(value);
            case "long", "long int" -> value + "L";
            case "long long", "long long int" -> value + "LL";
            case "unsigned int" -> unsigned + "U";
            case "unsigned long", "long unsigned int" -> unsigned + "UL";
            case "unsigned long long", "long long unsigned int" -> unsigned + "ULL";
            case "unsigned short", "short unsigned int" -> "(unsigned short)" + unsigned;
            case "char" -> character(VariantPart.extend(value, bytes, false));
            case "signed char", "unsigned char" ->
                "(" + type + ")" + character(VariantPart.extend(value, bytes, false));
            case "wchar_t" -> "L" + character(VariantPart.extend(value, bytes, false));
            case "char8_t" -> "u8" + character(VariantPart.extend(value, bytes, false));
            case "char16_t" -> "u" + character(VariantPart.extend(value, bytes, false));
            case "char32_t" -> "U" + character(VariantPart.extend(value, bytes, false));
            default -> "(" + type + ")" + value;
        };
    }

    private static String character(long value) {
        return switch (Dwarf.narrowed(value)) {
            case '\\' -> "'\\\\'";
            case '\'' -> "'\\''";
            case 7 -> "'\\a'";
            case '\b' -> "'\\b'";
            case '\f' -> "'\\f'";
            case '\n' -> "'\\n'";
            case '\r' -> "'\\r'";
            case '\t' -> "'\\t'";
            case 11 -> "'\\v'";
            default ->
                value >= ' ' && value < 127
                        ? "'" + (char) value + "'"
                        : String.format(
                                Locale.ROOT,
                                value < 0x100 ? "'\\x%02x'" : value < 0x10000 ? "'\\u%04x'" : "'\\U%08x'",
                                value);
        };
    }
}
