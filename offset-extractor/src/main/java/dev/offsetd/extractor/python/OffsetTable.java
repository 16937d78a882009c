package dev.offsetd.extractor.python;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Meaning of the numbers in {@code _Py_DebugOffsets}, which CPython's {@code pycore_debug_offsets.h} defines. */
final class OffsetTable {

    /** First and last minor versions of CPython 3 whose tables are known. */
    static final int FIRST_MINOR = 13;

    static final int LAST_MINOR = 15;

    private static final CType RUNTIME = new CType("pyruntimestate", "_PyRuntimeState");
    private static final CType INTERPRETER = new CType("_is", "PyInterpreterState");
    private static final CType THREAD = new CType("_ts", "PyThreadState");
    private static final CType EXCEPTION = new CType("_err_stackitem", "_PyErr_StackItem");
    private static final CType FRAME = new CType("_PyInterpreterFrame", "_PyInterpreterFrame");
    private static final CType CODE = new CType("PyCodeObject", "PyCodeObject");
    private static final CType OBJECT = new CType("_object", "PyObject");
    private static final CType SIZED_OBJECT = new CType(null, "PyVarObject");
    private static final CType TYPE = new CType("_typeobject", "PyTypeObject");
    private static final CType HEAP_TYPE = new CType("_heaptypeobject", "PyHeapTypeObject");
    private static final CType TUPLE = new CType(null, "PyTupleObject");
    private static final CType LIST = new CType(null, "PyListObject");
    private static final CType SET = new CType(null, "PySetObject");
    private static final CType DICT = new CType(null, "PyDictObject");
    private static final CType FLOAT = new CType(null, "PyFloatObject");
    private static final CType LONG = new CType("_longobject", "PyLongObject");
    private static final CType BYTES = new CType(null, "PyBytesObject");
    private static final CType UNICODE = new CType(null, "PyUnicodeObject");
    private static final CType COMPACT = new CType(null, "PyCompactUnicodeObject");
    private static final CType ASCII = new CType(null, "PyASCIIObject");
    private static final CType GARBAGE = new CType("_gc_runtime_state", null);
    private static final CType GARBAGE_STATS = new CType("gc_stats", null);
    private static final CType LOCK = new CType("_gil_runtime_state", null);
    private static final CType GENERATOR = new CType("_PyGenObject", "PyGenObject");
    private static final CType NODE = new CType("llist_node", null);
    private static final CType DEBUGGER = new CType(null, "_PyRemoteDebuggerSupport");

    private static final List<Entry> ENTRIES = entries();

    private OffsetTable() {}

    /**
     * A struct of CPython.
     *
     * @param tag null if it has none, or only in some versions
     * @param typedef null if it has none
     */
    record CType(@Nullable String tag, @Nullable String typedef) {}

    /**
     * A number of the table.
     *
     * @param name group and member, such as {@code thread_state.prev}
     * @param since first minor version that has it
     * @param freeThreaded whether it is 0 unless the build is free-threaded
     */
    record Entry(String name, int since, boolean freeThreaded, List<Meaning> meanings) {}

    /** The fact that a number states. A number can state facts about several types. */
    sealed interface Meaning {

        CType type();

        /** The size of a type in bytes. */
        record Size(CType type) implements Meaning {}

        /**
         * The offset of a member in bytes.
         *
         * @param path the member; with a dot if it is in a member whose own offset is unknown
         * @param from name of the number that this one counts from; empty if from the start of the type
         * @param value type of the member if it is known
         */
        record Offset(
                CType type,
                String path,
                String from,
                @Nullable CType value) implements Meaning {}
    }

    /** Returns the numbers in the order of the table of a minor version. */
    static List<Entry> of(int minor) {
        return ENTRIES.stream().filter(entry -> entry.since() <= minor).toList();
    }

    private static List<Entry> entries() {
        List<Entry> all = new ArrayList<>();
        states(all);
        code(all);
        objects(all);
        text(all);
        new Group(all, "gc", GARBAGE, FIRST_MINOR)
                .size()
                .at("collecting")
                .since(15, "frame", "frame")
                .means(15, "generation_stats_size", new Meaning.Size(GARBAGE_STATS))
                .since(15, "generation_stats", "generation_stats");
        new Group(all, "gen_object", GENERATOR, 14)
                .size()
                .at("gi_name")
                .at("gi_iframe")
                .at("gi_frame_state");
        new Group(all, "llist_node", NODE, 14).at("next").at("prev");
        new Group(all, "debugger_support", DEBUGGER, 14)
                .means(14, "eval_breaker", member(THREAD, "eval_breaker"))
                .means(
                        14,
                        "remote_debugger_support",
                        new Meaning.Offset(THREAD, "remote_debugger_support", "", DEBUGGER))
                .means(14, "remote_debugging_enabled", member(INTERPRETER, "config.remote_debug"))
                .at("debugger_pending_call")
                .at("debugger_script_path")
                // The length of the path.
                .means(14, "debugger_script_path_size");
        return List.copyOf(all);
    }

    private static void states(List<Entry> all) {
        new Group(all, "runtime_state", RUNTIME, FIRST_MINOR)
                .size()
                .at("finalizing", "_finalizing")
                .at("interpreters_head", "interpreters.head");
        String lock = "gil_runtime_state";
        new Group(all, "interpreter_state", INTERPRETER, FIRST_MINOR)
                .size()
                .at("id")
                .at("next")
                .at("threads_head", "threads.head")
                .since(14, "threads_main", "threads.main")
                .means(FIRST_MINOR, "gc", new Meaning.Offset(INTERPRETER, "gc", "", GARBAGE))
                .at("imports_modules", "imports.modules")
                .at("sysdict")
                .at("builtins")
                .at("ceval_gil", "ceval.gil")
                .means(FIRST_MINOR, lock, new Meaning.Offset(INTERPRETER, "_gil", "", LOCK))
                .freeThreaded(FIRST_MINOR, "gil_runtime_state_enabled", member(LOCK, "enabled"))
                .means(
                        FIRST_MINOR,
                        "gil_runtime_state_locked",
                        new Meaning.Offset(LOCK, "locked", "interpreter_state." + lock, null))
                .means(
                        FIRST_MINOR,
                        "gil_runtime_state_holder",
                        new Meaning.Offset(LOCK, "last_holder", "interpreter_state." + lock, null))
                .since(14, "code_object_generation", "_code_object_generation")
                .freeThreaded(14, "tlbc_generation", member(INTERPRETER, "tlbc_indices.tlbc_generation"));
        new Group(all, "thread_state", THREAD, FIRST_MINOR)
                .size()
                .at("prev")
                .at("next")
                .at("interp")
                .at("current_frame")
                .since(15, "base_frame", "base_frame")
                .since(15, "last_profiled_frame", "last_profiled_frame")
                .since(15, "last_profiled_frame_seq", "last_profiled_frame_seq")
                .at("thread_id")
                .at("native_thread_id")
                .at("datastack_chunk")
                .at("status", "_status")
                .since(15, "holds_gil", "holds_gil")
                .since(15, "gil_requested", "gil_requested")
                .since(15, "current_exception", "current_exception")
                .means(15, "exc_state", new Meaning.Offset(THREAD, "exc_state", "", EXCEPTION));
        new Group(all, "err_stackitem", EXCEPTION, 15).at("exc_value");
    }

    private static void code(List<Entry> all) {
        new Group(all, "interpreter_frame", FRAME, FIRST_MINOR)
                .size()
                .at("previous")
                .at("executable", "f_executable")
                .at("instr_ptr")
                .at("localsplus")
                .at("owner")
                .since(14, "stackpointer", "stackpointer")
                .freeThreaded(14, "tlbc_index", member(FRAME, "tlbc_index"));
        new Group(all, "code_object", CODE, FIRST_MINOR)
                .size()
                .at("filename", "co_filename")
                .at("name", "co_name")
                .at("qualname", "co_qualname")
                .at("linetable", "co_linetable")
                .at("firstlineno", "co_firstlineno")
                .at("argcount", "co_argcount")
                .at("localsplusnames", "co_localsplusnames")
                .at("localspluskinds", "co_localspluskinds")
                .at("co_code_adaptive")
                .freeThreaded(14, "co_tlbc", member(CODE, "co_tlbc"));
    }

    private static void objects(List<Entry> all) {
        new Group(all, "pyobject", OBJECT, FIRST_MINOR).size().at("ob_type");
        new Group(all, "type_object", TYPE, FIRST_MINOR)
                .size()
                .at("tp_name")
                .at("tp_repr")
                .at("tp_flags")
                .since(15, "tp_basicsize", "tp_basicsize")
                .since(15, "tp_dictoffset", "tp_dictoffset");
        new Group(all, "heap_type_object", HEAP_TYPE, 15).size().at("ht_cached_keys");
        new Group(all, "tuple_object", TUPLE, FIRST_MINOR).size().at("ob_item").objectSize();
        new Group(all, "list_object", LIST, FIRST_MINOR).size().at("ob_item").objectSize();
        new Group(all, "set_object", SET, 14).size().at("used").at("table").at("mask");
        new Group(all, "dict_object", DICT, FIRST_MINOR).size().at("ma_keys").at("ma_values");
        new Group(all, "float_object", FLOAT, FIRST_MINOR).size().at("ob_fval");
        new Group(all, "long_object", LONG, FIRST_MINOR)
                .size()
                .at("lv_tag", "long_value.lv_tag")
                .at("ob_digit", "long_value.ob_digit");
        new Group(all, "bytes_object", BYTES, FIRST_MINOR).size().objectSize().at("ob_sval");
    }

    /** Strings begin with their smaller kinds, so offsets in one are offsets in the others. */
    private static void text(List<Entry> all) {
        new Group(all, "unicode_object", UNICODE, FIRST_MINOR)
                .size()
                .means(FIRST_MINOR, "state", string("state"))
                .means(FIRST_MINOR, "length", string("length"))
                .means(FIRST_MINOR, "asciiobject_size", new Meaning.Size(ASCII))
                .means(15, "compactunicodeobject_size", new Meaning.Size(COMPACT));
    }

    private static Meaning[] string(String member) {
        return new Meaning[] {member(UNICODE, "_base._base." + member), member(ASCII, member)};
    }

    private static Meaning.Offset member(CType type, String path) {
        return new Meaning.Offset(type, path, "", null);
    }

    /** Numbers about one struct, which are added to the table in order. */
    private record Group(List<Entry> all, String name, CType type, int since) {

        Group size() {
            return means(since, "size", new Meaning.Size(type));
        }

        Group at(String member) {
            return at(member, member);
        }

        Group at(String number, String path) {
            return since(since, number, path);
        }

        Group since(int minor, String number, String path) {
            return means(minor, number, member(type, path));
        }

        /** Adds the offset of the number of elements, which all objects of variable size begin with. */
        Group objectSize() {
            return means(since, "ob_size", member(type, "ob_base.ob_size"), member(SIZED_OBJECT, "ob_size"));
        }

        Group freeThreaded(int minor, String number, Meaning meaning) {
            all.add(new Entry(name + "." + number, minor, true, List.of(meaning)));
            return this;
        }

        Group means(int minor, String number, Meaning... meanings) {
            all.add(new Entry(name + "." + number, minor, false, List.of(meanings)));
            return this;
        }
    }
}
