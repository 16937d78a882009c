/**
 * Functions, inlined functions and lines of code, by address (DWARF 5 §2.17, §3.3 and §6.2).
 *
 * <p>DWARF states them in two forms that know nothing of each other. The DIEs of a unit form a tree of functions and of
 * functions inlined into them, each with ranges of addresses. The line program of the unit, when it is run, writes a matrix
 * whose rows map addresses to lines. The frames at an address are the innermost function there and those that it is
 * inlined into; the line of the first is that of the row, and the line of each other one is that of the call, which the DIE of
 * the inlined function states.
 *
 * <p>A unit is read in four steps. {@code LineProgram} runs the line program. {@code ScopeReader} walks the DIEs and notes each
 * function with its ranges. An overlay decides which function an address belongs to where ranges overlap: the DIE that
 * comes last, which for nested functions is the inner one. {@code UnitFrameBuilder} goes along functions and rows at once and
 * writes a {@link dev.offsetd.extractor.frames.FrameRange} for each function without a gap. {@code FrameTableBuilder} then
 * joins the units, in which names and paths get their numbers. Where units overlap, the first one counts.
 *
 * <p>Linkers leave the DIEs and rows of discarded functions in the file and set their addresses to 0 or to the highest one. They
 * are recognized by the sections of the program: a range that does not start in code is not one. A sequence of rows whose
 * addresses go backwards is left out, because it is unknown which of its rows are wrong.
 *
 * <p>Nothing here grows faster than the file. Rows take a byte of the program at least. Programs and lists of ranges that many
 * units or functions share are read again for each, so the bytes that were read are bounded by a multiple of the section. A
 * byte of the file may still take a hundred of the heap, and a small compressed section has any number of them: files,
 * folders, rows and ranges are charged to the heap budget when their arrays grow, and their numbers are limited.
 */
@NullMarked
package dev.offsetd.extractor.dwarf.frame;

import org.jspecify.annotations.NullMarked;
