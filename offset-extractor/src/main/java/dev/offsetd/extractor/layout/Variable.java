package dev.offsetd.extractor.layout;

import org.jspecify.annotations.Nullable;

/**
 * A variable with a place in memory that lasts (DWARF 5 §4.1): at file, namespace or class scope, or static in a function.
 *
 * @param name the name without its scopes
 * @param qualifiedName the name with its namespaces and classes
 * @param linkageName the name that the linker sees, where it is another one ({@code DW_AT_linkage_name}), or null
 * @param function the function that the variable is local to, or null if it is visible at file, namespace or class scope
 * @param unit name of the unit that has it ({@code DW_AT_name})
 * @param language of that unit
 * @param declaration whether it is only declared here: it is defined in another file, or nowhere
 * @param address its ELF virtual address if that is one constant; null for a thread-local variable, a mere declaration, and
 *     in a relocatable file
 * @param blockOffset bytes from the start of the block of thread-local variables of its module, as debug information states
 *     them; null for any other variable, in a relocatable file, and where they are not stated
 * @param type its type; for a declaration maybe an {@link IncompleteShape}, or an array without a count
 */
public record Variable(
        String name,
        String qualifiedName,
        @Nullable String linkageName,
        @Nullable String function,
        String unit,
        Language language,
        boolean declaration,
        @Nullable Long address,
        @Nullable Long blockOffset,
        TypeShape type) {

    /** Returns the same variable of another type. */
    public Variable withType(TypeShape other) {
        return new Variable(
                name, qualifiedName, linkageName, function, unit, language, declaration, address, blockOffset, other);
    }

    /** Returns the name that the linker sees. */
    public String symbolName() {
        return linkageName == null ? name : linkageName;
    }
}
