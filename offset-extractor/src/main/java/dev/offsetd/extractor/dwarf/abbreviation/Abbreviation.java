package dev.offsetd.extractor.dwarf.abbreviation;

/** One abbreviation declaration, compiled (DWARF 5 §7.5.3). Immutable. */
public final class Abbreviation {

    /** A number of bytes that differs between the DIEs of an abbreviation. */
    static final int VARIABLE = -1;

    private final int tag;
    private final boolean hasChildren;
    private final int size;
    private final int siblingAt;
    private final int nameAt;
    private final int typeAt;
    private final int locationAt;
    private final int locationBytes;
    private final boolean plainMember;
    private final boolean namedType;
    private final boolean variable;
    private final boolean function;
    private final boolean scope;
    private final boolean locatedByExpression;
    private final boolean externDeclaration;
    private final boolean inlineNamespace;
    private final int[] plan;
    private final int[] passing;
    private final long[] constants;

    /**
     * @param tag the DIE's tag
     * @param hasChildren whether child DIEs follow
     * @param size bytes to pass over the attributes, or {@link #VARIABLE} if {@code passing} has to be run for that
     * @param siblingAt where {@code DW_AT_sibling} stands, a {@code DW_FORM_ref4}: bytes from the first attribute; or
     *     {@link #VARIABLE} if it is not there, or the size is variable
     * @param nameAt where the name stands, an offset of 4 bytes into {@code .debug_str}, if nothing else can name the DIE:
     *     bytes from the first attribute; else {@link #VARIABLE}
     * @param typeAt where the type stands, a {@code DW_FORM_ref4}: bytes from the first attribute; or {@link #VARIABLE}
     * @param locationAt where the location stands: bytes from the first attribute; or {@link #VARIABLE}
     * @param locationBytes size of the location
     * @param plainMember whether it is a member with a name, a type and a location at these places, and nothing else that is
     *     captured; a name or a location that it lacks is {@link #VARIABLE}
     * @param plan the steps that read the attributes, see {@link PlanCompiler}
     * @param passing the shorter plan that captures {@code DW_AT_sibling} only
     * @param constants values of {@code DW_FORM_implicit_const} that the plan captures
     */
    Abbreviation(
            int tag,
            boolean hasChildren,
            int size,
            int siblingAt,
            int nameAt,
            int typeAt,
            int locationAt,
            int locationBytes,
            boolean plainMember,
            int[] plan,
            int[] passing,
            long[] constants) {
        this.tag = tag;
        this.hasChildren = hasChildren;
        this.size = size;
        this.siblingAt = siblingAt;
        this.nameAt = nameAt;
        this.typeAt = typeAt;
        this.locationAt = locationAt;
        this.locationBytes = locationBytes;
        this.plainMember = plainMember;
        this.namedType = Dwarf.isNamedType(tag);
        this.variable = tag == Dwarf.DW_TAG_variable || tag == Dwarf.DW_TAG_member;
        this.function = !Dwarf.isType(tag) && !Dwarf.isScope(tag);
        this.scope = Dwarf.isScope(tag);
        this.locatedByExpression = PlanCompiler.mayLocateByExpression(plan);
        this.externDeclaration =
                PlanCompiler.captures(plan, Slot.DECLARATION) && PlanCompiler.captures(plan, Slot.EXTERNAL);
        this.inlineNamespace = tag == Dwarf.DW_TAG_namespace && PlanCompiler.captures(plan, Slot.EXPORT_SYMBOLS);
        this.plan = plan;
        this.passing = passing;
        this.constants = constants;
    }

    public int tag() {
        return tag;
    }

    public boolean hasChildren() {
        return hasChildren;
    }

    public int size() {
        return size;
    }

    public int siblingAt() {
        return siblingAt;
    }

    public int nameAt() {
        return nameAt;
    }

    public int typeAt() {
        return typeAt;
    }

    public int locationAt() {
        return locationAt;
    }

    public int locationBytes() {
        return locationBytes;
    }

    /** Returns whether it is a member that has no more than a name, a type and a location, each at its place. */
    public boolean isPlainMember() {
        return plainMember;
    }

    /** Returns whether queries can name the type. */
    public boolean isNamedType() {
        return namedType;
    }

    /** Returns whether the DIE is a variable, or a member, which a static one was before DWARF 5. */
    public boolean isVariable() {
        return variable;
    }

    /** Returns whether the DIE is neither a type nor a scope: types in it are those of a function. */
    public boolean isFunction() {
        return function;
    }

    /** Returns whether the DIE is a namespace or an aggregate. */
    public boolean isScope() {
        return scope;
    }

    /**
     * Returns whether the location of the DIE can be an expression. All other forms are location lists, for parts of the
     * code.
     */
    public boolean isLocatedByExpression() {
        return locatedByExpression;
    }

    /** Returns whether the DIE can be a declaration of something that other units see. */
    public boolean isExternDeclaration() {
        return externDeclaration;
    }

    /** Returns whether the DIE is of an inline namespace of C++. */
    public boolean isInlineNamespace() {
        return inlineNamespace;
    }

    public int[] plan() {
        return plan;
    }

    public int[] passing() {
        return passing;
    }

    public long[] constants() {
        return constants;
    }
}
