package dev.offsetd.cli.answer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.cli.terminal.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class AnswerTableTests {

    @Test
    void unnamedMembersAndPaddingKeepTheirPlace() throws IOException {
        assertThat(table("""
                {"T": {"status": "found", "name": "ns::T", "kind": "struct", "size": 16, "language": "C11", "members": [
                  {"name": "kind", "offset": 0, "size": 1, "type": "char"},
                  {"padding": true, "offset": 1, "size": 7},
                  {"name": null, "offset": 8, "size": 8, "type": "union {...}", "kind": "union", "members": [
                    {"name": "flag", "offset": 8, "size": 1, "bitOffset": 66, "bitSize": 3, "storageSize": 4,
                     "type": "unsigned int"}]}]}}"""))
                .containsExactly(
                        "T: struct, 16 bytes (name ns::T, language C11)",
                        "    offset     size       bits  member",
                        "         0        1             kind                     char",
                        "         1        7             (padding)",
                        "         8        8             (unnamed) union {...}",
                        "         8        1       66:3    flag                     unsigned int");
    }

    @Test
    void pinnedPlacesSayWhatTheDebugInformationHas() throws IOException {
        assertThat(table("""
                {"T": {"status": "found", "kind": "struct", "size": 8, "extracted": {"size": 16}, "members": [
                  {"name": "a", "offset": 4, "size": 4, "type": "int", "extracted": {"offset": 0, "size": 4}}]},
                 "U.m": {"status": "found", "offset": 8, "size": 8, "type": "void *", "extracted": null}}"""))
                .containsExactly(
                        "T: struct, 8 bytes (pinned; extracted: size 16)",
                        "    offset     size       bits  member",
                        "         4        4             a                        int (pinned; extracted: offset 0, size 4)",
                        "",
                        "U.m: offset 8, 8 bytes, void * (pinned; not in the debug information)");
    }

    @Test
    void symbolsHaveALineEach() throws IOException {
        assertThat(table("""
                {"symbol f*|tls": {"status": "found", "matched": "symbol f*", "kind": "symbol", "symbols": [
                  {"name": "f", "version": "V2", "defaultVersion": true, "value": "0x1000", "size": 16, "type": "FUNC",
                   "binding": "GLOBAL"},
                  {"name": "f.cold", "version": null, "value": "0x2000", "size": 4, "type": "FUNC",
                   "binding": "LOCAL"},
                  {"name": "free", "version": null, "value": "0x0", "size": 0, "type": "FUNC",
                   "binding": "GLOBAL", "imported": true}], "truncated": true, "total": 1200}}"""))
                .containsExactly(
                        "symbol f*|tls: 1200 symbols (matched symbol f*)",
                        "              0x1000         16 FUNC    GLOBAL f@@V2",
                        "              0x2000          4 FUNC    LOCAL  f.cold",
                        "            imported          0 FUNC    GLOBAL free");
    }

    @Test
    void threadLocalStorageIsALine() throws IOException {
        assertThat(table("""
                {"tls": {"status": "found", "kind": "tls",
                         "tls": {"address": "0x3000", "fileSize": null, "memorySize": 40, "alignment": 8}}}""")).containsExactly("tls: 40 bytes (address 0x3000, alignment 8)");
    }

    @Test
    void typeSetSaysWhatIsMissing() throws IOException {
        assertThat(table("""
                {"@py": {"status": "found", "kind": "set", "set": "py", "version": 3, "source": "p1", "coverage": {
                  "required": {"found": 1, "of": 3}, "optional": {"found": 0, "of": 0}, "missing": [
                    {"item": "t.a", "need": "required", "status": "field_not_found"},
                    {"group": "frame", "need": "required", "items": [{"item": "c.f", "status": "type_not_found"}]}]}},
                 "t.a": {"status": "field_not_found", "detail": "\\"t\\" has no member \\"a\\""},
                 "c.f": {"status": "type_not_found", "suggestions": ["c.g"]}}"""))
                .containsExactly(
                        "@py: version 3, required 1 of 3, optional 0 of 0",
                        "  required t.a: field_not_found",
                        "  required, none of frame:",
                        "    c.f: type_not_found",
                        "",
                        "c.f: type_not_found; did you mean c.g?");
    }

    @Test
    void baseClassesAndComputedPlacesSayWhatTheyAre() throws IOException {
        assertThat(table("""
                {"T": {"status": "found", "kind": "class", "size": 16, "members": [
                  {"base": true, "offset": 0, "size": 8, "type": "Base", "members": []},
                  {"base": true, "status": "computed", "reason": "virtual base class", "type": "Virtual"}]}}"""))
                .endsWith(
                        "         0        8             (base) Base",
                        "  computed        ?             (base) Virtual (reason virtual base class)");
    }

    @Test
    void variantsSayForWhichValuesTheyAreThere() throws IOException {
        assertThat(table("""
                {"T": {"status": "found", "kind": "struct", "size": 8, "members": [
                  {"name": null, "offset": 0, "size": 8, "type": "variant part", "members": [
                    {"name": null, "discriminant": true, "offset": 0, "size": 2, "type": "i16"},
                    {"name": "A", "discriminants": [[-3, -3], [2, 5]], "offset": 0, "size": 8, "type": "T::A"},
                    {"name": "B", "discriminants": [], "offset": 0, "size": 8, "type": "T::B"}]}]}}"""))
                .endsWith(
                        "         0        8             (unnamed) variant part",
                        "         0        2               (discriminant) i16",
                        "         0        8               A                        T::A (if -3, 2 to 5)",
                        "         0        8               B                        T::B (otherwise)");
    }

    @Test
    void bitFieldSaysItsBitsAndItsSign() throws IOException {
        assertThat(table("""
                {"T.b": {"status": "found", "offset": 8, "size": 2, "bitOffset": 70, "bitSize": 5, "storageSize": 4,
                 "signed": true, "type": "int"}}""")).containsExactly("T.b: offset 8, 2 bytes, bits 70:5, signed, int");
    }

    @Test
    void enumeratorsAndTypedefsAreALine() throws IOException {
        assertThat(table("""
                {"enumerator A": {"status": "found", "kind": "enumerator", "value": 3, "size": 4, "type": "enum e"},
                 "VALUE": {"status": "found", "kind": "typedef", "size": 8, "type": "long unsigned int"}}"""))
                .containsExactly("enumerator A: 3 (type enum e)", "", "VALUE: typedef, 8 bytes, long unsigned int");
    }

    @Test
    void everyMissSaysWhy() throws IOException {
        assertThat(table("""
                {"a.b.c": {"status": "crosses_pointer", "pointee": "struct x",
                  "at": {"path": "a.b", "offset": 8, "size": 8, "type": "struct x *"}},
                 "v.c": {"status": "computed", "at": {"path": "v"}, "reason": "virtual base class"},
                 "n": {"status": "type_not_found"},
                 "m": {"status": "ambiguous", "definitions": [
                   {"unit": "a.c", "language": "C11", "name": "m", "status": "found", "size": 4, "fields": {}},
                   {"unit": "b.rs", "language": "Rust", "name": "m", "status": "found", "size": 8}]}}"""))
                .containsExactly(
                        "a.b.c: crosses_pointer at a.b, offset 8 (pointee struct x)",
                        "",
                        "v.c: computed at v (reason virtual base class)",
                        "",
                        "n: type_not_found",
                        "",
                        "m: ambiguous",
                        "  unit a.c, language C11, name m, status found, size 4",
                        "  unit b.rs, language Rust, name m, status found, size 8");
    }

    @Test
    void differentAnswersOfOtherBuildsAreALineEach() throws IOException {
        assertThat(table("""
                {"m.a": {"status": "ambiguous", "detail": "3 builds give 2 different answers",
                  "agreement": {"builds": 3, "distinct": 2, "distributions": []}, "candidates": [
                   {"builds": 2, "versions": ["3.4.1", "3.4.2"], "status": "found", "offset": 16, "size": 8, "type": "long"},
                   {"builds": 1, "versions": ["3.4.5"], "status": "field_not_found"}]}}"""))
                .containsExactly(
                        "m.a: ambiguous (detail 3 builds give 2 different answers)",
                        "  builds 2, status found, offset 16, size 8, type long, version 3.4.1, version 3.4.2",
                        "  builds 1, status field_not_found, version 3.4.5");
    }

    @Test
    void namesThatDoNotPrintAreEscaped() throws IOException {
        assertThat(table("""
                {"a\\u001b[2J": {"status": "type_not_found"}}""")).containsExactly("a\\u001b[2J: type_not_found");
    }

    private static List<String> table(String offsets) throws IOException {
        StringWriter out = new StringWriter();
        AnswerTable.print(
                new Console(out, new PrintWriter(new StringWriter()), false),
                JsonMapper.shared().readTree("{\"offsets\": " + offsets + "}"));
        return out.toString().lines().toList();
    }
}
