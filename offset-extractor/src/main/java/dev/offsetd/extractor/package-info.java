/**
 * Entry point of the library. {@link dev.offsetd.extractor.DebugInfo} reads one file:
 *
 * {@snippet :
 * try (DebugInfo info = DebugInfo.open(Path.of("libruby.debug"))) {
 *     Struct frame = info.struct("rb_control_frame_struct").orElseThrow();
 *     long pc = frame.member("pc").byteOffset();
 * }
 * }
 *
 * <p>{@link dev.offsetd.extractor.ReadOptions} say how: limits, threads, where to look for supplementary files and split
 * DWARF, and a heap budget. Readings return the records of {@link dev.offsetd.extractor.layout}: a
 * {@link dev.offsetd.extractor.layout.Definition} has a {@link dev.offsetd.extractor.layout.TypeShape}, for pattern
 * matching. A file that cannot be read ends in one of the three {@linkplain dev.offsetd.extractor.input.ExtractionException exceptions} of {@code input}.
 *
 * <p>This package opens files, passes their sections to the readers and runs these over all units. Only
 * it knows both ELF and DWARF, and only it starts threads.
 */
@NullMarked
package dev.offsetd.extractor;

import org.jspecify.annotations.NullMarked;
