/**
 * The first pass over the units: finds the named types and variables, gives each a 128-bit key of its layout, and keeps one of
 * those with equal keys. {@link dev.offsetd.extractor.dwarf.build} is the second pass.
 *
 * <h2>Why two passes</h2>
 *
 * <p>A compiler describes a header anew in every unit that includes it. libruby has 28,000 definitions of types, of which 5,000
 * differ; a kernel has 2,000 units that repeat 11,000 types. A reader that made records of all of them would spend its time and
 * memory on copies, and would then compare trees of objects. The first pass compares without objects: a definition is a row of
 * numbers in a {@link dev.offsetd.extractor.dwarf.scan.DefinitionTable}, with the address of its DIE and its key. The second
 * pass makes records of the rows that are left. Units are independent in the first pass, so several threads scan them; the
 * second pass has one thread, whose shapes may be shared without locks.
 *
 * <h2>Why plans</h2>
 *
 * <p>The first pass meets every DIE and wants almost none of them. How to get past a DIE depends on its abbreviation alone, so
 * {@link dev.offsetd.extractor.dwarf.abbreviation.PlanCompiler} works it out once for all DIEs of an abbreviation: mostly one
 * number of bytes. Three rules keep the walk of {@link dev.offsetd.extractor.dwarf.scan.DefinitionScanner} short:
 *
 * <ul>
 *   <li>{@code DW_AT_sibling} leads past the children of what is not entered: structs of C, and functions unless their types
 *       are selected.
 *   <li>A search looks at the name of a DIE first, by its offset in the string section, and captures other attributes only of
 *       DIEs whose name may be wanted ({@link dev.offsetd.extractor.dwarf.scan.NameMatcher}).
 *   <li>Hashes of types are kept while a unit is scanned ({@link dev.offsetd.extractor.dwarf.scan.DieMemo}): each DIE of a type
 *       is hashed once, however many structs hold it.
 * </ul>
 *
 * <h2>What merges</h2>
 *
 * <p>The key of a definition covers
 *
 * <ul>
 *   <li>its tag, its name, and the scopes around it ({@link dev.offsetd.extractor.dwarf.scan.ScopeHasher}): namespaces and
 *       classes, and for a local type its function;
 *   <li>its layout ({@link dev.offsetd.extractor.dwarf.scan.LayoutHasher}): sizes, and names and places of members, with the
 *       layouts of all types held by value;
 *   <li>how its scalars are read: {@code int a} and {@code float a} have one layout, and answers state both types;
 *   <li>what its pointers point to, up to the next name: paths lead through them. Units that define a struct by a macro, once
 *       with {@code char *} and once with {@code wchar_t *}, have two definitions. A struct without a name counts with its
 *       layout, an enumeration with its enumerators, and a function with its parameters and result.
 * </ul>
 *
 * <p>The family of the language is compared beside the
 * key: C and C++ may share a name and a layout and yet spell types differently. A declaration has a key without a layout.
 *
 * <p>The first of equal definitions in the file stays. {@link dev.offsetd.extractor.dwarf.scan.DefinitionMerge} takes units in
 * their order, whichever thread was faster, so rows and answers do not depend on the number of threads. A unit that names no
 * language, such as a partial unit of dwz, has that of the units that import it, which is known after the last unit:
 * {@link dev.offsetd.extractor.dwarf.scan.DefinitionMerge#finish} then merges again.
 *
 * <p>The key is finer than {@link dev.offsetd.extractor.layout.LayoutEquality}, the rule by which queries compare shapes. Two
 * definitions that it keeps apart cost a record and do no harm. Two different ones that it merged would give a wrong offset;
 * with 128 bits that takes a file made for it, which then deceives about itself alone.
 */
@NullMarked
package dev.offsetd.extractor.dwarf.scan;

import org.jspecify.annotations.NullMarked;
