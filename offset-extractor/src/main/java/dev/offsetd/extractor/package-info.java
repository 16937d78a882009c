/**
 * Entry point of the library. {@link dev.offsetd.extractor.DebugInfo} answers questions about one file:
 *
 * {@snippet :
 * try (DebugInfo info = DebugInfo.open(Path.of("libruby.debug"))) {
 *     Struct frame = info.struct("rb_control_frame_struct").orElseThrow();
 *     long pc = frame.member("pc").byteOffset();
 * }
 * }
 *
 * <p>{@link dev.offsetd.extractor.OffsetExtractor} is for callers that read many files: it keeps limits, threads, where to
 * look for supplementary files and split DWARF, and one heap budget for several readings. Both return the records of
 * {@link dev.offsetd.extractor.layout}: a {@link dev.offsetd.extractor.layout.Definition} has a
 * {@link dev.offsetd.extractor.layout.TypeShape}, which callers match by pattern. A file that cannot be read ends in one of the
 * three {@linkplain dev.offsetd.extractor.input.ExtractionException exceptions} of {@code input}.
 *
 * <p>This package opens a file, hands its sections to the readers, runs them over all units and merges what they find. Only
 * it knows both ELF and DWARF, and only it starts threads.
 */
@NullMarked
package dev.offsetd.extractor;

import org.jspecify.annotations.NullMarked;
