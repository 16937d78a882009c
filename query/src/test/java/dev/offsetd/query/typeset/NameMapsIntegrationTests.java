package dev.offsetd.query.typeset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.query.item.ItemParser;
import java.io.IOException;
import java.math.BigInteger;
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
                    named.value() instanceof MapValue.Known(BigInteger number) ? number.longValueExact() : null);
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
}
