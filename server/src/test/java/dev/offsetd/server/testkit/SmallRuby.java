package dev.offsetd.server.testkit;

import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.apache.commons.compress.archivers.ar.ArArchiveEntry;
import org.apache.commons.compress.archivers.ar.ArArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/**
 * A libruby of a page: it has all that the type set {@code @ruby} requires, and nothing else.
 *
 * @param library with its debug information
 * @param stripped the same as packages have it
 * @param debugFile what was taken out
 */
public record SmallRuby(String buildId, Path library, Path stripped, Path debugFile) {

    private static final String SOURCE = """
            typedef unsigned long VALUE;
            struct RBasic { VALUE flags, klass; };
            struct RString { struct RBasic basic; long len; union { struct { char *ptr; } heap;
              struct { char ary[1]; } embed; } as; } string;
            struct RArray { struct RBasic basic; union { struct { long len; const VALUE *ptr; } heap; VALUE ary[1]; } as; } array;
            struct rb_iseq_location_struct { VALUE pathobj, base_label, label; };
            struct iseq_insn_info_entry { int line_no; };
            struct succ_dict_block { unsigned rank; unsigned long small_block_ranks, bits[8]; };
            struct succ_index_table { int imm_part[3]; struct succ_dict_block succ_part[1]; };
            struct rb_iseq_constant_body { int type; unsigned iseq_size; VALUE *iseq_encoded;
              struct rb_iseq_location_struct location;
              struct { const struct iseq_insn_info_entry *body; unsigned size; struct succ_index_table *succ_index_table; } insns_info;
              struct rb_iseq_struct *local_iseq; };
            struct rb_iseq_struct { VALUE flags; struct rb_iseq_constant_body *body; };
            struct rb_control_frame_struct { const VALUE *pc; const struct rb_iseq_struct *iseq; const VALUE *ep; };
            struct rb_execution_context_struct { VALUE *vm_stack; unsigned long vm_stack_size;
              struct rb_control_frame_struct *cfp; void *thread_ptr; };
            __thread struct rb_execution_context_struct *ruby_current_ec;
            const char ruby_description[] = "ruby 3.4.1 (2024-12-25 revision 48d4efcb85) +PRISM [x86_64-linux]";
            VALUE rb_vm_exec(struct rb_execution_context_struct *ec) { ruby_current_ec = ec; return ec->cfp->pc[0]; }
            """;

    /**
     * Compiles it.
     *
     * @param buildId in hex; the same source is another build with another of these
     */
    public static SmallRuby compile(Path folder, String buildId) throws IOException {
        return compile(folder, buildId, UnaryOperator.identity());
    }

    /** {@link #compile(Path, String)} for a changed source: it states the version {@code ruby 3.4.1}. */
    public static SmallRuby compile(Path folder, String buildId, UnaryOperator<String> change) throws IOException {
        Files.createDirectories(folder);
        Path source = Files.writeString(folder.resolve("ruby.c"), change.apply(SOURCE));
        Path library = folder.resolve("libruby.so.3.4.1");
        RequiredTool.require("gcc")
                .output(
                        "-g",
                        "-O1",
                        "-shared",
                        "-fPIC",
                        "-Wl,-soname,libruby.so.3.4",
                        "-Wl,--build-id=0x" + buildId,
                        "-o",
                        library,
                        source);
        Path debugFile = folder.resolve("libruby.so.3.4.1.debug");
        Path stripped = folder.resolve("stripped.so");
        RequiredTool objcopy = RequiredTool.require("objcopy");
        objcopy.output("--only-keep-debug", library, debugFile);
        objcopy.output("--strip-unneeded", library, stripped);
        return new SmallRuby(buildId, library, stripped, debugFile);
    }

    /** Puts the debug file where a server looks for it. */
    public void putInto(Path localFolder) throws IOException {
        Path folder = Files.createDirectories(localFolder.resolve(".build-id").resolve(buildId.substring(0, 2)));
        Files.copy(debugFile, folder.resolve(buildId.substring(2) + ".debug"));
    }

    /** A package of Debian with the stripped library. */
    public Path debianPackage(Path file) throws IOException {
        return debianPackage(file, "./usr/lib/libruby.so.3.4.1", stripped);
    }

    /** A package of Debian with the debug file, whose name ends in {@code -dbgsym}. */
    public Path debugPackage(Path file) throws IOException {
        return debianPackage(
                file,
                "./usr/lib/debug/.build-id/" + buildId.substring(0, 2) + "/" + buildId.substring(2) + ".debug",
                debugFile);
    }

    private static Path debianPackage(Path file, String name, Path content) throws IOException {
        try (ArArchiveOutputStream ar = new ArArchiveOutputStream(Files.newOutputStream(file))) {
            add(ar, "debian-binary", new byte[] {'2', '.', '0', '\n'});
            add(ar, "control.tar", tar("./control", new byte[0]));
            add(ar, "data.tar", tar(name, Files.readAllBytes(content)));
        }
        return file;
    }

    private static void add(ArArchiveOutputStream ar, String name, byte[] content) throws IOException {
        ar.putArchiveEntry(new ArArchiveEntry(name, content.length));
        ar.write(content);
        ar.closeArchiveEntry();
    }

    /** An image with the library, as {@code docker save} writes it. */
    public Path image(Path file) throws IOException {
        byte[] layer = tar("usr/local/lib/libruby.so.3.4.1", Files.readAllBytes(library));
        return Files.write(file, tar("blobs/sha256/" + "0".repeat(64), layer));
    }

    private static byte[] tar(String name, byte[] content) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes)) {
            TarArchiveEntry entry = new TarArchiveEntry(name);
            entry.setSize(content.length);
            tar.putArchiveEntry(entry);
            tar.write(content);
            tar.closeArchiveEntry();
        }
        return bytes.toByteArray();
    }
}
