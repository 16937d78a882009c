package dev.offsetd.extractor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.identity.IdentityField.Kind;
import dev.offsetd.extractor.identity.Probes;
import dev.offsetd.extractor.identity.VersionProbe;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of files that real compilers made, compared with what the tools of these compilers print. */
class IdentityIntegrationTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 2)
            .withProbes(new Probes(
                    List.of(new VersionProbe("demo", "demo", ".rodata", "demo {version} (", "")), List.of()));

    @TempDir
    private Path folder;

    private Path build;

    @BeforeEach
    void writeSource() throws IOException {
        build = Files.createDirectories(folder.resolve("demo3.4-3.4.5/build"));
        Files.writeString(
                build.resolve("demo.c"),
                "struct point { int x, y; } origin;\nconst char *banner(void) { return \"demo 3.4.5p1 (2025)\"; }\n");
    }

    private Path compiled(String compiler, Object... flags) throws IOException {
        Path library = build.resolve("libdemo.so");
        Object[] all = Stream.concat(Stream.of("-shared", "-fPIC", "-g", "demo.c", "-o", library), Stream.of(flags))
                .toArray();
        RequiredTool.require(compiler).outputIn(build, all);
        return library;
    }

    private static String version(String tool) throws IOException {
        return first("(\\d+\\.\\d+\\.\\d+)", RequiredTool.require(tool).output("--version"));
    }

    private static String first(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as(text).isTrue();
        return matcher.group(1);
    }

    private static IdentityField stated(Kind kind, String value, String from) {
        return new IdentityField(kind, value, from, false);
    }

    private static IdentityField derived(Kind kind, String value) {
        return new IdentityField(kind, value, "DW_AT_comp_dir", true);
    }

    @Test
    void libraryOfGccIsNamedAsReadelfNamesIt() throws IOException, ExtractionException {
        Path library = compiled("gcc", "-Wl,-soname,libdemo.so.3", "-fpack-struct=2", "-O2");
        String dynamic = RequiredTool.require("readelf").output("-dW", library);

        assertThat(DebugInfo.read(library, OPTIONS, DebugInfo::identity).fields())
                .containsExactly(
                        stated(Kind.SONAME, first("soname: \\[(.*)]", dynamic), ".dynamic"),
                        stated(Kind.PROJECT, "demo", ".rodata (@demo probe)"),
                        stated(Kind.VERSION, "3.4.5p1", ".rodata (@demo probe)"),
                        stated(Kind.COMPILER, "GCC", "DW_AT_producer"),
                        stated(Kind.COMPILER_VERSION, version("gcc"), "DW_AT_producer"),
                        stated(Kind.COMPILER_FLAGS, "-fpack-struct=2", "DW_AT_producer"),
                        stated(Kind.LANGUAGE, "C11", "DW_AT_language"),
                        stated(Kind.COMPILATION_DIRECTORY, build.toString(), "DW_AT_comp_dir"),
                        derived(Kind.VERSION, "3.4.5"));
        assertThat(DebugInfo.read(library, OPTIONS, DebugInfo::identity).title())
                .isEqualTo("libdemo.so.3 3.4.5p1");
    }

    @Test
    void extractionNamesTheBuildInThePassThatItMakes() throws IOException, ExtractionException {
        Path library = compiled("gcc", "-Wl,-soname,libdemo.so.3");

        assertThat(DebugInfo.read(library, OPTIONS, DebugInfo::extractAll).identity())
                .isEqualTo(DebugInfo.read(library, OPTIONS, DebugInfo::identity));
    }

    @Test
    void debugFileAndProgramTogetherNameTheBuild() throws IOException, ExtractionException {
        Path library = compiled("clang", "-Wl,-soname,libdemo.so.3");
        Identity both = DebugInfo.read(library, OPTIONS, DebugInfo::identity);
        Path debugFile = folder.resolve("libdemo.debug");
        RequiredTool.require("objcopy").output("--only-keep-debug", library, debugFile);
        RequiredTool.require("strip").output("-g", library);

        Identity ofDebugFile = DebugInfo.read(debugFile, OPTIONS, DebugInfo::identity);
        assertThat(ofDebugFile.first(Kind.COMPILER)).contains("Clang");
        assertThat(ofDebugFile.first(Kind.COMPILER_VERSION)).contains(version("clang"));
        assertThat(ofDebugFile.first(Kind.SONAME)).isEmpty();
        Identity ofProgram = DebugInfo.read(library, OPTIONS, DebugInfo::identity);
        assertThat(ofProgram.fields())
                .contains(new IdentityField(Kind.COMPILER_VERSION, version("clang"), ".comment", true));
        assertThat(ofProgram.merge(ofDebugFile).title()).isEqualTo(both.title());
        assertThat(ofProgram.merge(ofDebugFile).fields()).containsExactlyInAnyOrderElementsOf(both.fields());
    }

    @ParameterizedTest
    @ValueSource(strings = {"gcc", "clang"})
    void strippedProgramNamesTheCompilerThatReadelfPrints(String compiler) throws IOException, ExtractionException {
        Path library = compiled(compiler);
        RequiredTool.require("strip").output(library);
        String comments = RequiredTool.require("readelf").output("-p", ".comment", library);
        String version = compiler.equals("gcc")
                ? first("GCC: \\(.*\\) (\\S+)", comments)
                : first("clang version (\\S+)", comments);

        assertThat(DebugInfo.read(library, OPTIONS, DebugInfo::identity).fields())
                .filteredOn(field -> field.source().equals(".comment"))
                .containsExactly(
                        new IdentityField(Kind.COMPILER, compiler.equals("gcc") ? "GCC" : "Clang", ".comment", true),
                        new IdentityField(Kind.COMPILER_VERSION, version, ".comment", true));
        Path slim = folder.resolve("slim");
        try (OutputStream out = Files.newOutputStream(slim)) {
            DebugInfo.read(library, OPTIONS, info -> info.writeSlim(out));
        }
        assertThat(DebugInfo.read(slim, OPTIONS, DebugInfo::identity))
                .isEqualTo(DebugInfo.read(library, OPTIONS, DebugInfo::identity));
        RequiredTool.require("objcopy").output("--remove-section=.comment", library);
        assertThat(DebugInfo.read(library, OPTIONS, DebugInfo::identity).first(Kind.COMPILER))
                .isEmpty();
    }

    /** Debian takes the section out of its programs, not out of their debug files. */
    @Test
    void commentOfDebiansDebugFileIsThatOfItsUnits() throws IOException, ExtractionException {
        Path debugFile = DebianPackages.largestDebugFile("libc6-dbg", "amd64");
        Path without = folder.resolve("without");
        RequiredTool.require("objcopy").output("--remove-section=.debug_*", debugFile, without);
        Identity whole = DebugInfo.read(debugFile, OPTIONS, DebugInfo::identity);
        Identity ofComment = DebugInfo.read(without, OPTIONS, DebugInfo::identity);
        String comments = RequiredTool.require("readelf").output("-p", ".comment", debugFile);

        assertThat(ofComment.fields())
                .contains(new IdentityField(
                        Kind.COMPILER_VERSION, first("GCC: \\(.*\\) (\\S+)", comments), ".comment", true));
        assertThat(ofComment.first(Kind.COMPILER)).isEqualTo(whole.first(Kind.COMPILER));
        assertThat(ofComment.first(Kind.COMPILER_VERSION)).isEqualTo(whole.first(Kind.COMPILER_VERSION));
        assertThat(whole.fields()).noneMatch(field -> field.source().equals(".comment"));
    }

    @Test
    void versionAfterTheJumpTableOfASwitchIsFound() throws IOException, ExtractionException {
        Files.writeString(build.resolve("demo.c"), """
                int choose(int i)
                {
                    switch (i) { case 0: return 5; case 1: return 8; case 2: return 1; case 3: return 7; case 4: return 12; case 5: return 9; }
                    return 3;
                }
                const char *banner(void) { return "demo 3.4.5p1 (2025)"; }
                """);
        Path library = compiled("gcc", "-O0");
        byte[] strings = section(library, ".rodata");
        int start = new String(strings, StandardCharsets.ISO_8859_1).indexOf("demo 3.4.5p1");

        assertThat(strings[start - 1]).isNotZero();
        assertThat(DebugInfo.read(library, OPTIONS, DebugInfo::identity).first(Kind.VERSION))
                .contains("3.4.5p1");
    }

    private byte[] section(Path file, String name) throws IOException {
        Path contents = folder.resolve("contents");
        RequiredTool.require("objcopy").output("-O", "binary", "--only-section=" + name, file, contents);
        return Files.readAllBytes(contents);
    }

    @Test
    void packageMetadataOfTheLinkerNamesPackageAndDistribution() throws IOException, ExtractionException {
        // The JSON of "Package Metadata for Executable Files", in the note that the linker's --package-metadata makes.
        Path note = Files.writeString(folder.resolve("note.s"), """
                .section .note.package, "a", @note
                .align 4
                .long 4, 3f - 2f, 0xcafe1a7e
                .asciz "FDO"
                2: .asciz "{\\"type\\":\\"rpm\\",\\"name\\":\\"demo\\",\\"version\\":\\"3.4.5-7.fc40\\",\\"osCpe\\":\\"cpe:/o:fedoraproject:fedora:40\\"}"
                3: .align 4
                .section .note.GNU-stack, "", @progbits
                """);
        Path library = compiled("gcc", note);
        assertThat(RequiredTool.require("readelf").output("-nW", library)).contains("fedoraproject:fedora:40");
        RequiredTool.require("objcopy").output("--only-keep-debug", library, library);

        Identity identity = DebugInfo.read(library, OPTIONS, DebugInfo::identity);
        assertThat(identity.first(Kind.PACKAGE)).contains("demo");
        assertThat(identity.first(Kind.PACKAGE_VERSION)).contains("3.4.5-7.fc40");
        assertThat(identity.fields()).contains(stated(Kind.DISTRIBUTION, "Fedora 40", ".note.package"));
    }

    @Test
    void rustProgramIsNamedByItsOwnCrate() throws IOException, ExtractionException {
        Path program = folder.resolve("demo");
        Files.writeString(build.resolve("main.rs"), "fn main() { println!(\"{:?}\", [1]); }\n");
        RequiredTool rustc = RequiredTool.require("rustc");
        rustc.outputIn(build, "-g", "main.rs", "-o", program);
        Identity identity = DebugInfo.read(program, OPTIONS, DebugInfo::identity);

        assertThat(identity.first(Kind.COMPILER)).contains("rustc");
        assertThat(identity.first(Kind.COMPILER_VERSION)).contains(first("rustc (\\S+)", rustc.output("--version")));
        assertThat(identity.first(Kind.LANGUAGE)).contains("Rust");
        assertThat(identity.title()).isEqualTo("demo 3.4.5");
    }

    @Test
    void goProgramIsNamedAsGoNamesIt() throws IOException, ExtractionException {
        Path program = folder.resolve("demo");
        Files.writeString(folder.resolve("go.mod"), "module example.org/demo/v3\n\ngo 1.19\n");
        Files.writeString(folder.resolve("main.go"), "package main\n\nfunc main() { println(1) }\n");
        RequiredTool go = go();
        go.outputIn(folder, "build", "-o", program, ".");
        String printed = go.output("version", "-m", program);
        Identity identity = DebugInfo.read(program, OPTIONS, DebugInfo::identity);

        assertThat(identity.first(Kind.GO_VERSION)).contains(first(": go(\\S+)", printed));
        assertThat(identity.first(Kind.GO_MODULE)).contains(first("\tmod\t(\\S+)", printed));
        assertThat(identity.first(Kind.GO_MODULE_VERSION)).isEmpty();
        assertThat(identity.first(Kind.COMPILER)).contains("Go");
        RequiredTool.require("strip").output(program);
        assertThat(DebugInfo.read(program, OPTIONS, DebugInfo::identity).first(Kind.GO_MODULE))
                .contains("example.org/demo/v3");
    }

    @Test
    void modulesOfAGoProgramAreThoseThatGoPrints() throws IOException, ExtractionException {
        module("plain", "example.org/plain");
        module("fork", "example.org/forked");
        module("local", "example.org/local");
        Files.writeString(folder.resolve("go.mod"), """
                module example.org/demo

                go 1.19

                require (
                	example.org/plain v1.2.3
                	example.org/forked v0.1.0
                	example.org/local v0.0.0
                )

                replace example.org/forked => example.com/fork v0.2.0

                replace example.org/local => ./vendor/example.org/local
                """);
        Files.writeString(folder.resolve("vendor/modules.txt"), """
                # example.org/plain v1.2.3
                ## explicit
                example.org/plain
                # example.org/forked v0.1.0 => example.com/fork v0.2.0
                ## explicit
                example.org/forked
                # example.org/local v0.0.0 => ./vendor/example.org/local
                ## explicit
                example.org/local
                # example.org/forked => example.com/fork v0.2.0
                # example.org/local => ./vendor/example.org/local
                """);
        Files.writeString(folder.resolve("main.go"), """
                package main

                import (
                	"example.org/forked"
                	"example.org/local"
                	"example.org/plain"
                )

                func main() { println(plain.Name, forked.Name, local.Name) }
                """);
        Path program = folder.resolve("demo");
        RequiredTool go = go();
        go.with("GOFLAGS", "-mod=vendor").outputIn(folder, "build", "-o", program, ".");

        List<String> lines = DebugInfo.read(program, OPTIONS, DebugInfo::identity).goModules().stream()
                .flatMap(module -> module.replacement() == null
                        ? Stream.of(line(module.path(), module.version()))
                        : Stream.of(
                                line(module.path(), module.version()),
                                line(
                                        module.replacement().path(),
                                        module.replacement().version())))
                .toList();
        assertThat(lines)
                .isEqualTo(go.output("version", "-m", program)
                        .lines()
                        .map(line -> line.strip().split("\\s+"))
                        .filter(words -> Set.of("mod", "dep", "=>").contains(words[0]))
                        .map(words -> line(words[1], words[2].equals("(devel)") ? "" : words[2]))
                        .toList());
        assertThat(lines).hasSize(6);
    }

    private void module(String name, String path) throws IOException {
        Path code = Files.createDirectories(folder.resolve("vendor").resolve(path));
        Files.writeString(code.resolve("go.mod"), "module " + path + "\n\ngo 1.19\n");
        Files.writeString(code.resolve("code.go"), "package " + name.replace("fork", "forked") + "\n\nvar Name = 1\n");
    }

    private static String line(String path, String version) {
        return path + " " + version;
    }

    @Test
    void addressesInTheBuildInformationOfOldGoAreFollowed() throws IOException, ExtractionException {
        // Go before 1.18 wrote addresses of strings. Newer ones read them, and so tell whether this file is such a one.
        Path old = Files.writeString(folder.resolve("old.c"), """
                struct string { const char *start; unsigned long size; };
                static const char marked[] = "0123456789abcdef" "path\\texample.org/old\\nmod\\texample.org/old\\tv1.2.3\\th1:x=\\n" "fedcba9876543210";
                struct string version = {"go1.17.13", 9}, modules = {marked, sizeof marked - 1};
                __attribute__((section(".go.buildinfo"), aligned(16)))
                struct { char magic[14], size, flags; void *version, *modules; } info =
                    {"\\xff Go buildinf:", sizeof(void *), 0, &version, &modules};
                int main(void) { return 0; }
                """);
        Path program = folder.resolve("old");
        RequiredTool.require("gcc").output("-no-pie", "-w", old, "-o", program);
        String printed = go().output("version", "-m", program);
        Identity identity = DebugInfo.read(program, OPTIONS, DebugInfo::identity);

        assertThat(identity.first(Kind.GO_VERSION)).contains(first(": go(\\S+)", printed));
        assertThat(identity.first(Kind.GO_MODULE)).contains(first("\tmod\t(\\S+)", printed));
        assertThat(identity.first(Kind.GO_MODULE_VERSION)).contains("v1.2.3");
        RequiredTool.require("objcopy").output("--rename-section", ".go.buildinfo=.data.info", program);
        assertThat(DebugInfo.read(program, OPTIONS, DebugInfo::identity).first(Kind.GO_MODULE))
                .contains("example.org/old");
    }

    private RequiredTool go() {
        return RequiredTool.require("go")
                .with("GOCACHE", folder.resolve("cache"))
                .with("GOFLAGS", "-mod=mod")
                .with("GOTOOLCHAIN", "local");
    }

    @Test
    void kernelIsNamedByItsBanner() throws IOException, ExtractionException {
        Path kernel = folder.resolve("vmlinux");
        Path code = Files.writeString(folder.resolve("init.c"), """
                const char placeholder[] = "Linux version 6.1.0-13-amd64 (debian-kernel@lists.debian.org) (gcc-12) # SMP\\n";
                const char linux_banner[] = "Linux version 6.1.0-13-amd64 (debian-kernel@lists.debian.org) (gcc-12) #1 SMP\\n";
                __attribute__((section(".init.text"))) int main(void) { return linux_banner[0]; }
                """);
        RequiredTool.require("gcc").output(code, "-o", kernel);

        Identity identity = DebugInfo.read(kernel, OPTIONS, DebugInfo::identity);
        assertThat(identity.first(Kind.KERNEL_RELEASE)).contains("6.1.0-13-amd64");
        assertThat(identity.first(Kind.KERNEL_BANNER)).get().asString().endsWith("(gcc-12) #1 SMP");
        assertThat(identity.title()).isEqualTo("Linux 6.1.0-13-amd64");
    }
}
