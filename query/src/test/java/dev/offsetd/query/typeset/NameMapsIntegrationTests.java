package dev.offsetd.query.typeset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.query.item.ItemParser;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The built-in name maps against the tables that their consumers publish. */
class NameMapsIntegrationTests {

    private static final List<SetBuild> BUILDS =
            new Runtimes(Path.of(System.getProperty("offsetd.compiled", "target/compiled"))).quick();

    /** Returns the values of a map in a build, and the names that have none with a null. */
    private static Map<String, Long> values(String build, String map) throws IOException, ExtractionException {
        SetBuild of = BUILDS.stream()
                .filter(candidate -> candidate.name().equals(build))
                .findAny()
                .orElseThrow();
        Expansion expansion = Expansion.ofMap(List.of(ItemParser.parse("@" + of.set())), map, new BuiltInTypeSets());
        Map<String, Long> values = new TreeMap<>();
        for (NameMap.NamedValue named : SetCheck.answers(expansion, of.source().files())
                .map()
                .orElseThrow()
                .values()) {
            values.put(
                    named.name(),
                    named.value() instanceof MapValue.Known known
                            ? known.number().longValueExact()
                            : null);
        }
        return values;
    }

    private static Map<String, Long> table(String yaml) {
        Map<String, Long> values = new TreeMap<>();
        String parent = "";
        for (String line : yaml.lines().toList()) {
            String[] parts = line.strip().split(": *", 2);
            if (parts[1].isEmpty()) {
                parent = parts[0] + ".";
            } else {
                values.put((line.startsWith(" ") ? parent : "") + parts[0], Long.valueOf(parts[1]));
            }
        }
        return values;
    }

    @Test
    void rubyIsTheTableOfRuntimeData() throws IOException, ExtractionException {
        // pkg/ruby/layout/amd64/3.1.0 - 3.1.4.yaml
        assertThat(values("ruby-3.1", "runtime-data")).isEqualTo(table("""
                cfp_offset: 16
                control_frame_t_sizeof: 64
                ec_offset: 520
                label_offset: 16
                line_info_size_offset: 136
                line_info_table_offset: 120
                lineno_offset: 0
                main_thread_offset: 32
                path_flavour: 1
                vm_offset: 0
                vm_size_offset: 8
                """));
    }

    @Test
    void pythonIsTheTableOfRuntimeData() throws IOException, ExtractionException {
        // pkg/python/layout/amd64/3.11.0 - 3.11.9.yaml
        assertThat(values("python-3.11", "runtime-data")).isEqualTo(table("""
                py_cframe:
                    current_frame: 8
                py_code_object:
                    co_filename: 112
                    co_firstlineno: 72
                    co_name: 120
                    co_varnames: 96
                py_frame_object:
                    f_back: 48
                    f_code: 32
                    f_lineno: -1
                    f_localsplus: 72
                py_interpreter_frame:
                    owner: 69
                py_interpreter_state:
                    tstate_head: 16
                py_object:
                    ob_type: 8
                py_runtime_state:
                    interp_main: 48
                py_string:
                    data: 48
                    size: -1
                py_thread_state:
                    cframe: 56
                    frame: -1
                    interp: 16
                    native_thread_id: 160
                    next: 8
                    thread_id: 152
                py_tuple_object:
                    ob_item: 24
                py_type_object:
                    tp_name: 24
                """));
    }

    @Test
    void pythonsInitialStateIsTheTableOfRuntimeData() throws IOException, ExtractionException {
        // pkg/python/initialstate/amd64/3.11.0 - 3.11.9.yaml
        assertThat(values("python-3.11", "runtime-data-initial-state")).isEqualTo(table("""
                auto_tss_key: 592
                interpreter_head: 40
                tss:
                    key: 4
                    size: 8
                tstate_current: 576
                """));
    }

    /** PHP's headers do not define the allocator's state. */
    @Test
    void phpIsTheStructsOfPhpspy() throws IOException, ExtractionException {
        Map<String, Long> values = new LinkedHashMap<>(values("php-8.2", "phpspy"));
        for (String allocator : List.of("zend_alloc_globals.mm_heap", "zend_mm_heap.size", "zend_mm_heap.peak")) {
            assertThat(values).containsEntry(allocator, null);
            values.remove(allocator);
        }
        // structs/x86_64/php_structs_82.h
        assertThat(values).isEqualTo(table("""
                zend_array.nTableMask: 12
                zend_array.arData: 16
                zend_array.nNumUsed: 24
                zend_array.nNumOfElements: 28
                zend_array.nTableSize: 32
                zend_executor_globals.symbol_table: 304
                zend_executor_globals.current_execute_data: 488
                zend_execute_data.opline: 0
                zend_execute_data.func: 24
                zend_execute_data.prev_execute_data: 48
                zend_execute_data.symbol_table: 56
                zend_op_array.last_var: 76
                zend_op_array.vars: 112
                zend_op_array.filename: 152
                zend_op_array.line_start: 160
                zend_function.type: 0
                zend_function.common.function_name: 8
                zend_function.common.scope: 16
                zend_function.op_array: 0
                zend_class_entry.name: 8
                zend_string.len: 16
                zend_string.val: 24
                zend_op.lineno: 24
                sapi_request_info.query_string: 8
                sapi_request_info.cookie_data: 16
                sapi_request_info.path_translated: 32
                sapi_request_info.request_uri: 40
                sapi_globals_struct.request_info: 8
                sapi_globals_struct.global_request_time: 440
                zend_value.lval: 0
                zend_value.dval: 0
                zend_value.str: 0
                zend_value.arr: 0
                zval.value: 0
                zval.u1.v.type: 8
                zval.u2.next: 12
                Bucket.val: 0
                Bucket.h: 16
                Bucket.key: 24
                """));
    }

    @Test
    void rubyIsTheTableOfTheOpenTelemetryProfiler() throws IOException, ExtractionException {
        // interpreter/ruby, version 3.1.2, at b442421a
        assertThat(values("ruby-3.1", ProfilerTables.MAP)).containsAllEntriesOf(table("""
                control_frame_struct.ep: 32
                control_frame_struct.iseq: 16
                control_frame_struct.pc: 0
                control_frame_struct.size_of_control_frame_struct: 64
                execution_context_struct.cfp: 16
                execution_context_struct.thread_ptr: 48
                execution_context_struct.vm_stack: 0
                execution_context_struct.vm_stack_size: 8
                iseq_constant_body.encoded: 8
                iseq_constant_body.insn_info_body: 120
                iseq_constant_body.insn_info_size: 136
                iseq_constant_body.iseq_type: 0
                iseq_constant_body.local_iseq: 176
                iseq_constant_body.location: 64
                iseq_constant_body.size: 4
                iseq_constant_body.size_of_iseq_constant_body: 312
                iseq_constant_body.succ_index_table: 144
                iseq_insn_info_entry.line_no: 0
                iseq_insn_info_entry.position: 0
                iseq_insn_info_entry.size_of_iseq_insn_info_entry: 12
                iseq_insn_info_entry.size_of_line_no: 4
                iseq_insn_info_entry.size_of_position: 0
                iseq_location_struct.base_label: 8
                iseq_location_struct.label: 16
                iseq_location_struct.pathobj: 0
                iseq_location_struct.size_of_iseq_location_struct: 24
                iseq_struct.body: 16
                lastOpId: 169
                objspace.flags: 16
                objspace.size_of_flags: 4
                rarray_struct.as_ary: 16
                rarray_struct.as_heap_ptr: 32
                rarray_struct.size_of_rarray: 40
                rb_classext_struct.as_singleton_class_attached_object: 0
                rb_classext_struct.classpath: 0
                rb_method_definition_struct.body: 8
                rb_method_definition_struct.method_type: 0
                rb_method_definition_struct.original_id: 32
                rb_method_entry_struct.def: 16
                rb_method_entry_struct.defined_class: 8
                rb_method_entry_struct.flags: 0
                rb_method_entry_struct.owner: 32
                rb_method_iseq_struct.iseqptr: 0
                rb_ractor_struct.running_ec: 520
                rb_symbols_t.ids: 16
                rbasic_struct.flags: 0
                rbasic_struct.klass: 8
                rclass_and_rb_classext_t.classext: 0
                rstring_struct.as_ary: 16
                rstring_struct.as_heap_ptr: 24
                size_of_immediate_table: 54
                size_of_value: 8
                succ_index_table_struct.block_bits: 16
                succ_index_table_struct.size_of_succ_dict_block: 80
                succ_index_table_struct.small_block_ranks: 8
                succ_index_table_struct.succ_dict_block: 0
                succ_index_table_struct.succ_part: 48
                thread_struct.vm: 32
                vm_struct.gc_objspace: 1104
                """));
    }

    @Test
    void pythonIsTheTableOfTheOpenTelemetryProfiler() throws IOException, ExtractionException {
        // interpreter/python, version 3.11.2, at b442421a
        assertThat(values("python-3.11", ProfilerTables.MAP)).containsAllEntriesOf(table("""
                PyASCIIObject.Data: 48
                PyCFrame.CurrentFrame: 8
                PyFrameObject.Back: 48
                PyFrameObject.Code: 32
                PyFrameObject.EntryMember: 68
                PyFrameObject.EntryVal: 1
                PyFrameObject.LastI: 56
                PyMemberDef.Name: 0
                PyMemberDef.Offset: 16
                PyMemberDef.Sizeof: 40
                PyThreadState.Frame: 56
                PyTypeObject.BasicSize: 32
                PyTypeObject.Members: 240
                PyVarObject.ObSize: 16
                """));
    }

    @Test
    void phpIsTheTableOfTheOpenTelemetryProfiler() throws IOException, ExtractionException {
        // interpreter/php, version 8.2.0, at b442421a
        assertThat(values("php-8.2", ProfilerTables.MAP)).containsAllEntriesOf(table("""
                zend_class_entry.name: 8
                zend_execute_data.function: 24
                zend_execute_data.opline: 0
                zend_execute_data.prev_execute_data: 48
                zend_execute_data.this_type_info: 40
                zend_executor_globals.current_execute_data: 488
                zend_function.Sizeof: 168
                zend_function.common_funcname: 8
                zend_function.common_scope: 16
                zend_function.common_type: 0
                zend_function.op_array_filename: 152
                zend_function.op_array_linestart: 160
                zend_op.lineno: 24
                zend_string.val: 24
                """));
    }

    @Test
    void perlIsTheTableOfTheOpenTelemetryProfiler() throws IOException, ExtractionException {
        // interpreter/perl, version 5.36.0, at b442421a
        assertThat(values("perl-5.36", ProfilerTables.MAP)).containsAllEntriesOf(table("""
                context.blk_oldcop: 16
                context.blk_sub_cv: 72
                context.blk_sub_retop: 48
                context.cx_type: 0
                context.sizeof: 104
                cop.cop_file: 48
                cop.cop_line: 36
                cop.sizeof: 88
                gp.gp_egv: 56
                hek.hek_key: 8
                hek.hek_len: 4
                interpreter.curcop: 208
                interpreter.curstackinfo: 224
                stackinfo.si_cxix: 32
                stackinfo.si_cxstack: 8
                stackinfo.si_next: 24
                stackinfo.si_type: 44
                sv.sizeof: 24
                sv.sv_any: 0
                sv.sv_flags: 12
                sv.svu_gp: 16
                sv.svu_hash: 16
                xpvcv.xcv_flags: 92
                xpvcv.xcv_gv: 56
                xpvgv.xgv_stash: 40
                xpvgv.xivu_namehek: 32
                xpvhv.xhv_max: 24
                xpvhv_aux.pointer_size: 8
                xpvhv_aux.sizeof: 56
                xpvhv_aux.xhv_name_count: 28
                xpvhv_aux.xhv_name_u: 0
                xpvhv_with_aux.xpvhv_aux: 32
                """));
    }
}
