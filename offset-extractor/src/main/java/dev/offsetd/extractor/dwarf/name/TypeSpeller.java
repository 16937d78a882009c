package dev.offsetd.extractor.dwarf.name;

import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.DieScratch;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.dwarf.type.ArrayBounds;
import dev.offsetd.extractor.dwarf.type.TypeChain;
import dev.offsetd.extractor.dwarf.type.TypeSize;
import dev.offsetd.extractor.dwarf.unit.DieReader;
import dev.offsetd.extractor.dwarf.unit.DieReaders;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.MemoryAccount;
import dev.offsetd.extractor.dwarf.unit.Unit;
import dev.offsetd.extractor.dwarf.unit.UnitMemo;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Language.Family;
import dev.offsetd.extractor.layout.Spelling;
import java.util.HashMap;
import java.util.Map;

/**
 * Names of types, and C and C++ spellings of types without a name. Names that clang has shortened ({@code
 * -gsimple-template-names} writes {@code Box} for {@code Box<int>}) get their template arguments back, so names do not
 * depend on that flag wherever they are compared, hashed or shown. Not thread-safe.
 */
public final class TypeSpeller {

    private final DwarfUnits dwarf;
    private final DieReaders readers;
    private final UnitMemo<Spelling> spellings;
    private final Map<Long, String> texts = new HashMap<>();
    private final MemoryAccount account;
    private final TemplateArguments arguments;
    private final Scopes scopes;

    /** Number of nested calls of {@link #spell}. */
    private int depth;

    /** @param account is charged for cached texts */
    public TypeSpeller(DwarfUnits dwarf, MemoryAccount account) {
        this.dwarf = dwarf;
        this.readers = new DieReaders(dwarf);
        this.spellings = new UnitMemo<>(dwarf);
        this.account = account;
        this.arguments = new TemplateArguments(dwarf, this);
        this.scopes = new Scopes(dwarf, this);
    }

    public Scopes scopes() {
        return scopes;
    }

    /** Forgets the spellings of the previous unit. */
    public void beginUnit() {
        spellings.clear();
        arguments.beginUnit();
    }

    /** Forgets the texts that {@link #text} returned; the caller releases their memory from the account. */
    public void forgetTexts() {
        texts.clear();
    }

    public String text(long nameRef, Unit unit) throws ExtractionException {
        long ref = dwarf.names().resolve(nameRef, unit);
        String known = texts.get(ref);
        if (known == null) {
            known = dwarf.names().text(ref, unit);
            account.addText(known.length(), unit.header().startAddress());
            texts.put(ref, known);
        }
        return known;
    }

    /**
     * Returns the resolved name of a type, variable or scope with its template arguments, or {@link NameRef#NONE}.
     *
     * @param reader has just read the DIE, and stays where it is
     */
    public long nameRef(long dieAddress, Abbreviation abbreviation, DieReader reader, Unit unit)
            throws ExtractionException {
        long name = reader.die.get(Slot.NAME, NameRef.NONE);
        if (name == NameRef.NONE) {
            return name;
        }
        long resolved = dwarf.names().resolve(name, unit);
        return isShortened(abbreviation, reader, unit, resolved) ? withArguments(dieAddress, resolved, unit) : resolved;
    }

    /**
     * Returns the resolved name of a type as {@link #nameRef} does, or else that of the declaration that it completes: GCC 4.3
     * to 4.6 write types of namespaces so, later versions enumerations.
     */
    public long nameOrDeclared(long dieAddress, Abbreviation abbreviation, DieReader reader, Unit unit)
            throws ExtractionException {
        return reader.die.has(Slot.NAME) || reader.die.get(Slot.ORIGIN, 0) <= 0
                ? nameRef(dieAddress, abbreviation, reader, unit)
                : scopes.nameRef(dieAddress);
    }

    /**
     * Returns whether template arguments stand in children only, if anywhere. clang puts those of types in front of
     * the members, other compilers behind; Rust has them in variants, too, which have no arguments in their names.
     */
    private boolean isShortened(Abbreviation abbreviation, DieReader reader, Unit unit, long name)
            throws ExtractionException {
        return abbreviation.hasChildren()
                && (unit.language().family() == Family.CPP || !unit.namesLanguage())
                && mayHaveArguments(abbreviation, reader)
                && dwarf.language(unit).family() != Family.RUST
                && !dwarf.names().hasAngle(name);
    }

    private static boolean mayHaveArguments(Abbreviation abbreviation, DieReader reader) throws ExtractionException {
        if (abbreviation.tag() == Dwarf.DW_TAG_subprogram) {
            return true;
        }
        boolean templated = Dwarf.isAggregate(abbreviation.tag())
                || abbreviation.tag() == Dwarf.DW_TAG_template_alias
                || abbreviation.isVariable();
        return templated && TemplateArguments.isArgument(reader.nextTag());
    }

    private long withArguments(long dieAddress, long name, Unit unit) throws ExtractionException {
        // A few bytes can request a long name many times.
        dwarf.deadline().check(dwarf.section(dieAddress).name());
        String full = text(name, unit) + arguments.of(readers.at(dieAddress));
        requireLength(full.length(), dieAddress);
        return dwarf.name(full, dieAddress);
    }

    private void requireLength(int length, long dieAddress) throws ExtractionException {
        if (length > dwarf.limits().maxNameBytes()) {
            throw dwarf.exceeded(
                    dieAddress,
                    "maxNameBytes",
                    dwarf.limits().maxNameBytes(),
                    "the spelling of a type comes to " + length + " characters");
        }
    }

    /** Returns the type at this address as it is written in C or C++. */
    public Spelling spell(long dieAddress) throws ExtractionException {
        if (dieAddress == 0) {
            return Spelling.of("void");
        }
        if (dieAddress < 0) {
            return Spelling.of("?");
        }
        Spelling known = spellings.get(dieAddress);
        if (known != null) {
            return known;
        }
        if (depth > dwarf.limits().maxTypeDepth()) {
            throw TypeChain.endless(dieAddress, readers, dwarf);
        }
        depth++;
        try {
            Spelling spelling = readSpelling(dieAddress);
            requireLength(spelling.length(), dieAddress);
            spellings.put(dieAddress, spelling, spelling.length(), dieAddress);
            return spelling;
        } finally {
            depth--;
        }
    }

    private Spelling readSpelling(long dieAddress) throws ExtractionException {
        DieReader reader = readers.at(dieAddress);
        Abbreviation abbreviation = reader.require();
        DieScratch die = reader.die;
        int tag = abbreviation.tag();
        long targetDie = die.get(Slot.TYPE, 0);
        if (die.get(Slot.SIGNATURE, 0) > 0 || (die.has(Slot.SIGNATURE) && !die.has(Slot.NAME))) {
            return spell(die.get(Slot.SIGNATURE));
        }
        Unit unit = dwarf.unit(dieAddress);
        long nameRef = nameOrDeclared(dieAddress, abbreviation, reader, unit);
        if (nameRef != NameRef.NONE) {
            String name = text(nameRef, unit);
            if (Dwarf.isTagged(tag) && dwarf.language(unit).family() == Family.C) {
                return Spelling.of(Dwarf.kind(tag).word() + " " + name);
            }
            // Producers spell base types in full; everything else belongs to its namespace.
            return Spelling.of(tag == Dwarf.DW_TAG_base_type ? name : scopes.qualifier(dieAddress) + name);
        }
        return switch (tag) {
            case Dwarf.DW_TAG_structure_type,
                    Dwarf.DW_TAG_union_type,
                    Dwarf.DW_TAG_class_type,
                    Dwarf.DW_TAG_interface_type,
                    Dwarf.DW_TAG_enumeration_type -> Spelling.of(Dwarf.kind(tag).word() + " {...}");
            case Dwarf.DW_TAG_const_type -> spell(targetDie).qualified("const");
            case Dwarf.DW_TAG_volatile_type -> spell(targetDie).qualified("volatile");
            case Dwarf.DW_TAG_restrict_type -> spell(targetDie).qualified("restrict");
            case Dwarf.DW_TAG_atomic_type -> spell(targetDie).qualified("_Atomic");
            case Dwarf.DW_TAG_pointer_type -> spell(targetDie).pointer("*");
            case Dwarf.DW_TAG_reference_type -> spell(targetDie).pointer("&");
            case Dwarf.DW_TAG_rvalue_reference_type -> spell(targetDie).pointer("&&");
            case Dwarf.DW_TAG_ptr_to_member_type -> {
                long ownerDie = die.get(Slot.CONTAINING_TYPE, 0);
                String qualified = ownerDie > 0 ? spell(ownerDie).text() : "";
                yield spell(targetDie).pointer(qualified + "::*");
            }
            case Dwarf.DW_TAG_array_type -> {
                Language language = dwarf.language(dwarf.unit(dieAddress));
                String dimensions = ArrayBounds.read(reader, abbreviation, dieAddress, readers, language)
                        .spelling();
                yield spell(targetDie).array(dimensions);
            }
            case Dwarf.DW_TAG_subroutine_type -> {
                String parameters = parameters(abbreviation, reader, unit);
                yield spell(targetDie).function(parameters);
            }
            case Dwarf.DW_TAG_subrange_type -> targetDie == 0 ? Spelling.of("?") : spell(targetDie);
            case Dwarf.DW_TAG_set_type ->
                Spelling.of("set of " + spell(targetDie).text());
            case Dwarf.DW_TAG_file_type ->
                Spelling.of("file of " + spell(targetDie).text());
            case Dwarf.DW_TAG_string_type -> {
                long bytes = TypeSize.ofDie(die);
                yield Spelling.of("character(len=" + (bytes < 0 ? "*" : Long.toString(bytes)) + ")");
            }
            default ->
                Dwarf.isAlias(tag)
                        ? spell(targetDie)
                        : Spelling.of(Dwarf.isType(tag) ? "?" : Dwarf.nameOfUnsupported(tag));
        };
    }

    private String parameters(Abbreviation abbreviation, DieReader reader, Unit unit) throws ExtractionException {
        boolean prototyped = reader.die.isSet(Slot.PROTOTYPED);
        StringBuilder out = new StringBuilder("(");
        String object = "";
        while (abbreviation.hasChildren()) {
            Abbreviation next = reader.read();
            if (next == null) {
                break;
            }
            String parameter = "";
            if (next.tag() == Dwarf.DW_TAG_formal_parameter) {
                long typeDie = reader.die.get(Slot.TYPE, 0);
                boolean isObject = reader.die.isSet(Slot.ARTIFICIAL);
                reader.skipChildren(next);
                long behind = reader.address();
                if (isObject) {
                    object = objectQualifiers(typeDie);
                } else {
                    parameter = spell(typeDie).text();
                }
                reader.seek(behind);
            } else {
                parameter = next.tag() == Dwarf.DW_TAG_unspecified_parameters ? "..." : "";
                reader.skipChildren(next);
            }
            if (!parameter.isEmpty()) {
                out.append(out.length() == 1 ? "" : ", ").append(parameter);
            }
            if (out.length() > dwarf.limits().maxNameBytes()) {
                break;
            }
        }
        boolean c = dwarf.language(unit).family() == Family.C;
        if (c && !prototyped && out.toString().equals("(...")) {
            return "()";
        }
        return out.length() == 1 && c && prototyped
                ? "(void)"
                : out.append(')').append(object).toString();
    }

    /**
     * Returns what stands behind the parameters of a member function: the qualifiers of what {@code this} points to.
     */
    private String objectQualifiers(long thisTypeDie) throws ExtractionException {
        StringBuilder out = new StringBuilder();
        boolean pointed = false;
        long followedDie = thisTypeDie;
        for (int hops = 0; followedDie > 0 && hops <= dwarf.limits().maxTypeDepth(); hops++) {
            DieReader reader = readers.at(followedDie);
            int tag = reader.require().tag();
            if (tag == Dwarf.DW_TAG_pointer_type && !pointed) {
                pointed = true;
            } else if (tag == Dwarf.DW_TAG_const_type || tag == Dwarf.DW_TAG_volatile_type) {
                out.append(pointed ? (tag == Dwarf.DW_TAG_const_type ? " const" : " volatile") : "");
            } else {
                break;
            }
            followedDie = reader.die.get(Slot.TYPE, 0);
        }
        return out.toString();
    }
}
