package dev.offsetd.extractor.identity.scan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.identity.IdentityField.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompilationIdentityTests {

    private static final String GCC = "GNU C17 12.2.0 -O2";

    @ParameterizedTest
    @CsvSource({
        "/build/ruby3.4-3.4.5/debian/build, ruby, 3.4.5,",
        "/build/reproducible-path/php8.2-8.2.7/cli-build, php, 8.2.7,",
        "/build/ruby3.1-rQxyz1/ruby3.1-3.1.2/debian/build, ruby, 3.1.2,",
        "ruby-3.4.5/build, ruby, 3.4.5,",
        "/build/gcc-12-bTRWOB/gcc-12-12.2.0/build, gcc, 12.2.0,",
        "/build/glibc-6iIyft/glibc-2.36/malloc, glibc, 2.36,",
        "/tmp/python-build.20260509073408.216/Python-3.10.13, python, 3.10.13,",
        "/usr/src/debug/glibc-2.39-2.fc40.x86_64/elf, glibc, 2.39, Fedora 40",
        "/builddir/build/BUILD/kernel-5.14.0/linux-5.14.0-284.el9.x86_64, linux, 5.14.0, RHEL 9",
        "/build/luajit-WPXxLD/luajit-2.1.0~beta3+git20220320+dfsg/src, luajit, 2.1.0~beta3+git20220320+dfsg,"
    })
    void projectAndVersionAreDerivedFromTheFolder(String folder, String project, String version, String distribution) {
        CompilationIdentity compilation = new CompilationIdentity();
        compilation.add(GCC, folder, "C11", 1);
        Identity identity = compilation.identity();

        assertThat(identity.first(Kind.PROJECT)).contains(project);
        assertThat(identity.first(Kind.VERSION)).contains(version);
        assertThat(identity.first(Kind.DISTRIBUTION).orElse(null)).isEqualTo(distribution);
        assertThat(identity.first(Kind.COMPILATION_DIRECTORY)).contains(folder);
        assertThat(identity.fields())
                .filteredOn(field -> field.kind() == Kind.PROJECT || field.kind() == Kind.VERSION)
                .allMatch(IdentityField::derived);
    }

    @ParameterizedTest
    @CsvSource({"/home/user/work/pr-123", "/var/jenkins/workspace-2/src", "debian/build/build_amd64_none", ".", "''"})
    void foldersWithoutAVersionNameNoProject(String folder) {
        CompilationIdentity compilation = new CompilationIdentity();
        compilation.add(GCC, folder, "C11", 1);

        assertThat(compilation.identity().first(Kind.PROJECT)).isEmpty();
    }

    @Test
    void theMostFrequentCompilerOfAllFlagsCounts() {
        CompilationIdentity compilation = new CompilationIdentity();
        compilation.add("Debian clang version 14.0.6", "/a", "C++14", 4);
        compilation.add("GNU C17 12.2.0 -fshort-enums", "/b", "C11", 3);
        compilation.add("GNU C17 12.2.0 -O3", "/b", "C11", 2);
        compilation.add("GNU AS 2.40", "/b", "Assembler", 9);
        Identity identity = compilation.identity();

        assertThat(identity.first(Kind.COMPILER)).contains("GCC");
        assertThat(identity.first(Kind.COMPILER_FLAGS)).contains("-fshort-enums");
        assertThat(identity.first(Kind.LANGUAGE)).contains("C11");
    }

    @Test
    void theAssemblerCountsOnlyAlone() {
        CompilationIdentity compilation = new CompilationIdentity();
        compilation.add("GNU AS 2.40", "/b", "Assembler", 2);

        assertThat(compilation.identity().first(Kind.COMPILER)).contains("GNU AS");
        assertThat(compilation.identity().first(Kind.LANGUAGE)).isEmpty();
    }

    @Test
    void dependenciesOfARustProgramDoNotNameIt() {
        CompilationIdentity compilation = new CompilationIdentity();
        String rustc = "clang LLVM (rustc version 1.75.0 (82e1608df 2023-12-21))";
        compilation.add(rustc, "/home/user/.cargo/registry/src/example-6f17d22bba15001f/serde-1.0.100", "Rust", 9);
        compilation.add(rustc, "/rustc/82e1608dfa6e0b5569232559e3d385fea5a93112", "Rust", 9);
        compilation.add(rustc, "/home/user/ripgrep-14.1.0", "Rust", 1);

        assertThat(compilation.identity().title()).isEqualTo("ripgrep 14.1.0");
    }
}
