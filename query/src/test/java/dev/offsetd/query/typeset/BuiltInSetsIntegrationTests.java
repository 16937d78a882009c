package dev.offsetd.query.typeset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.testkit.Gdb;
import dev.offsetd.extractor.testkit.Pahole;
import dev.offsetd.query.item.Coverage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The built-in sets in real builds; more of them with {@code ./offsetd sets}. */
class BuiltInSetsIntegrationTests {

    private static final List<SetBuild> BUILDS =
            new Runtimes(Path.of(System.getProperty("offsetd.compiled", "target/compiled"))).quick();

    private static SetCheck covered(String name) throws IOException, ExtractionException {
        SetBuild build = BUILDS.stream()
                .filter(candidate -> candidate.name().equals(name))
                .findAny()
                .orElseThrow();
        SetCheck check = SetCheck.of(build);
        assertThat(check.missingRequired()).isEmpty();
        assertThat(check.coverage().isComplete()).isTrue();
        assertThat(check.differences(build)).isEmpty();
        return check;
    }

    private static Coverage.Share optional(SetCheck check) {
        return check.coverage().optional();
    }

    @Test
    void rubyOfDebian12() throws IOException, ExtractionException {
        SetCheck check = covered("ruby-3.1");
        assertThat(check.missingOptional())
                .containsExactly(
                        "symbol rb_vm_exec.cold",
                        "symbol ruby_exec_node",
                        "symbol rb_current_ec_noinline|symbol rb_current_ec");
        Gdb gdb = new Gdb(check.files().types());
        assertThat(gdb.offsets("struct rb_execution_context_struct", List.of("vm_stack", "vm_stack_size", "cfp")))
                .containsExactly(
                        check.offset("rb_execution_context_struct.vm_stack"),
                        check.offset("rb_execution_context_struct.vm_stack_size"),
                        check.offset("rb_execution_context_struct.cfp"));
        assertThat(gdb.offsets("struct RString", List.of("as.heap.ptr", "as.embed.ary")))
                .containsExactly(
                        check.offset("RString.as.heap.ptr"), check.offset("RString.as.embed.ary|RString.as.ary"));
        assertThat(gdb.sizes(List.of("struct iseq_insn_info_entry", "struct succ_dict_block", "VALUE")))
                .containsExactly(
                        check.size("iseq_insn_info_entry"), check.size("succ_dict_block"), check.size("VALUE"));
    }

    @Test
    void phpOfDebian12() throws IOException, ExtractionException {
        SetCheck check = covered("php-8.2");
        assertThat(check.missingOptional())
                .containsExactly("compiled code", "symbol zend_extension_entry", "symbol zend_jit_unprotect");
        Gdb gdb = new Gdb(check.files().types());
        assertThat(gdb.offsets("struct _zend_execute_data", List.of("opline", "func", "This.u1.type_info")))
                .containsExactly(
                        check.offset("_zend_execute_data.opline"),
                        check.offset("_zend_execute_data.func"),
                        check.offset("_zend_execute_data.This.u1.type_info"));
        assertThat(gdb.offsets("union _zend_function", List.of("common.function_name", "op_array.filename")))
                .containsExactly(
                        check.offset("_zend_function.common.function_name"),
                        check.offset("_zend_function.op_array.filename"));
    }

    @Test
    void pythonOfDebian12() throws IOException, ExtractionException {
        SetCheck check = covered("python-3.11");
        assertThat(check.missingOptional())
                .containsExactly(
                        "symbol _PyEval_EvalFrameDefault.cold",
                        "symbol _PyThreadState_GetCurrent",
                        "_is.ceval.gil",
                        "_frame.f_localsplus",
                        "pyruntimestate.debug_offsets",
                        "_Py_DebugOffsets",
                        "enumerator FRAME_OWNED_BY_CSTACK",
                        "enumerator FRAME_OWNED_BY_INTERPRETER");
        Gdb gdb = new Gdb(check.files().types());
        assertThat(gdb.sizes(List.of("PyASCIIObject", "struct PyCodeObject")))
                .containsExactly(check.size("PyASCIIObject"), check.size("PyCodeObject"));
        assertThat(gdb.offsets("_PyRuntimeState", List.of("interpreters.head", "gilstate.autoTSSkey")))
                .containsExactly(
                        check.offset("pyruntimestate.interpreters.head|_PyRuntimeState.interpreters.head"),
                        check.offset("pyruntimestate.autoTSSkey|pyruntimestate.gilstate.autoTSSkey"));
    }

    /** Its debug files share types in a supplementary file, which pahole does not follow; GDB does where it is installed. */
    @Test
    void perlOfDebian12() throws IOException, ExtractionException {
        SetCheck check = covered("perl-5.36");
        assertThat(check.missingOptional()).isEmpty();
    }

    @Test
    void luajitOfDebian12() throws IOException, ExtractionException {
        SetCheck check = covered("luajit-2022");
        assertThat(check.missingOptional())
                .containsExactly(
                        "symbol lj_vm_asm_begin",
                        "symbol lj_vm_ffi_callback",
                        "symbol lj_dispatch_update",
                        "symbol jit_checktrace",
                        "symbol lj_cf_jit_util_traceinfo",
                        "symbol luaopen_jit_util");
        Pahole.Layout state = Pahole.layout(check.files().types(), "GG_State");
        assertThat(state.members())
                .filteredOn(member -> "dispatch".equals(member.name()) || "g".equals(member.name()))
                .extracting(member -> member.bitOffset() / Byte.SIZE)
                .containsExactly(check.offset("GG_State.g"), check.offset("GG_State.dispatch"));
    }

    @Test
    void cLibraryOfDebian12() throws IOException, ExtractionException {
        SetCheck check = covered("glibc-2.36-libc-amd64");
        assertThat(check.missingOptional()).isEmpty();
        Gdb gdb = new Gdb(check.files().types());
        assertThat(gdb.offsets("struct malloc_state", List.of("top", "bins", "system_mem")))
                .containsExactly(
                        check.offset("malloc_state.top"),
                        check.offset("malloc_state.bins"),
                        check.offset("malloc_state.system_mem"));
        assertThat(gdb.sizes(List.of("struct link_map", "struct malloc_par", "struct pthread_key_data")))
                .containsExactly(check.size("link_map"), check.size("malloc_par"), check.size("pthread_key_data"));
    }

    @Test
    void loaderOfDebian12HasNoHeap() throws IOException, ExtractionException {
        SetCheck check = covered("glibc-2.36-ld-amd64");
        assertThat(optional(check)).isEqualTo(new Coverage.Share(27, 42));
        assertThat(check.missingOptional()).contains("malloc_par", "heap of this thread");
        assertThat(new Gdb(check.files().types()).offsets("struct rtld_global", List.of("_dl_ns", "_dl_nns")))
                .containsExactly(check.offset("rtld_global._dl_ns"), check.offset("rtld_global._dl_nns"));
    }

    @Test
    void cLibraryOfAnotherMachine() throws IOException, ExtractionException {
        SetCheck check = covered("glibc-2.36-libc-arm64");
        assertThat(check.missingOptional()).containsExactly("tcbhead_t.tcb", "tcbhead_t.self");
    }
}
