/**
 * The second pass: makes records of the definitions and variables that {@link dev.offsetd.extractor.dwarf.scan} kept, and of
 * everything that they hold by value.
 *
 * <h2>What is built</h2>
 *
 * <p>{@link dev.offsetd.extractor.dwarf.build.TypeBuilder} and {@link dev.offsetd.extractor.dwarf.build.VariableBuilder} take
 * rows of numbers and return definitions and variables. {@link dev.offsetd.extractor.dwarf.build.TypeGraph} makes their shapes:
 * it follows references by value to the end, across units and files, and stops at pointers, behind which
 * {@link dev.offsetd.extractor.dwarf.build.PointerTargets} keeps names. So a shape is a finite tree although types are a graph.
 * A type that contains itself by value is a fault of the file; only the inner one is left out.
 *
 * <h2>What shapes share</h2>
 *
 * <p>Units repeat structs inside structs too. Named structs with the same key and spelling share one object across units, so
 * the records of a kernel fit in memory. Shapes of other types are kept for the current unit only, by the address of their
 * DIE. Structs without a name, and those in functions, share nothing: their members may be spelled differently, which {@linkplain
 * dev.offsetd.extractor.dwarf.scan the key} does not cover.
 *
 * <h2>Why building starts before the scan ends</h2>
 *
 * <p>One of the scanning threads builds rows as soon as they are merged, and scans a unit whenever there are none. Otherwise
 * all threads but one would be idle for half of the time. Two facts are known after the last unit only:
 *
 * <ul>
 *   <li>The definition that a declaration stands for. Compilers describe some classes only in the unit of their vtable or constructor, and
 *       other units hold one by value and declare it. {@link dev.offsetd.extractor.dwarf.build.Declarations} is the state of
 *       the graph: while declarations are {@linkplain dev.offsetd.extractor.dwarf.build.Declarations.Awaited awaited}, a
 *       definition that needs one is put off; at the end {@link dev.offsetd.extractor.dwarf.build.DeclaredTypes} finds what they
 *       stand for. The class is taken only if all its definitions have one layout, else it stays incomplete.
 *   <li>The language of a partial unit. After the first of them nothing is built ahead, and all is built at the end.
 * </ul>
 *
 * <p>A search by name has scanned for the wanted names only, so the definition of a declared type may be missing. It is
 * searched for in another scan, and all is built again, until no new name turns up.
 *
 * <h2>Faults</h2>
 *
 * <p>A fault leaves out the member, type or variable that it is in, and is counted as an omission. Its type is an
 * {@link dev.offsetd.extractor.layout.IncompleteShape} with the size that its DIE states, so that places behind it stay
 * right. An error of the scan is reported before one of the building, as if the building came later.
 */
@NullMarked
package dev.offsetd.extractor.dwarf.build;

import org.jspecify.annotations.NullMarked;
