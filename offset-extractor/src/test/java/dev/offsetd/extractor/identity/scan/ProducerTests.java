package dev.offsetd.extractor.identity.scan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.HostileRun;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProducerTests {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2 | GCC | 12.2.0 | ''",
                "GNU C11 12.2.0 -m32 -mno-sse -fshort-wchar -fpack-struct=4 -O2 | GCC | 12.2.0 |"
                        + " -m32 -fshort-wchar -fpack-struct=4",
                "GNU C++14 8.5.0 20210514 (Red Hat 8.5.0-4) -mms-bitfields | GCC | 8.5.0 | -mms-bitfields",
                "GNU GIMPLE 13.2.0 -mabi=lp64 -fno-short-enums -fltrans | GCC | 13.2.0 | -mabi=lp64 -fno-short-enums",
                "GNU Fortran2008 12.2.0 -fdefault-integer-8 | GCC | 12.2.0 | -fdefault-integer-8",
                "GNU AS 2.40 | GNU AS | 2.40 | ''",
                "Debian clang version 14.0.6 | Clang | 14.0.6 | ''",
                "Ubuntu clang version 14.0.0-1ubuntu1.1 | Clang | 14.0.0-1ubuntu1.1 | ''",
                "clang version 17.0.6 (Fedora 17.0.6-2.fc39) | Clang | 17.0.6 | ''",
                "Apple clang version 15.0.0 (clang-1500.3.9.4) | Apple Clang | 15.0.0 | ''",
                "Debian clang version 14.0.6 /usr/lib/llvm-14/bin/clang -g -m32 a.c | Clang | 14.0.6 | -m32",
                "clang LLVM (rustc version 1.75.0 (82e1608df 2023-12-21)) | rustc | 1.75.0 | ''",
                "Go cmd/compile go1.22.2; regabi | Go | 1.22.2 | ''",
                "Free Pascal 3.2.2 2021/05/16 | Free Pascal | 3.2.2 | ''",
                "Intel(R) C Compiler, Version 19.0.5 Build 20190815 | Intel(R) C Compiler | 19.0.5 | ''",
                "zig 0.11.0 | zig | 0.11.0 | ''"
            })
    void compilerVersionAndLayoutFlagsAreToldApart(String text, String compiler, String version, String flags) {
        assertThat(Producer.parse(text)).contains(new Producer(compiler, version, flags));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GCC: (Debian 12.2.0-14+deb12u1) 12.2.0 | GCC | 12.2.0",
                "GCC: (GNU) 13.2.1 20231011 (Red Hat 13.2.1-4) | GCC | 13.2.1",
                "GCC: (Alpine 13.2.1_git20240309) 13.2.1 20240309 | GCC | 13.2.1",
                "GCC: (crosstool-NG 1.24.0 (a)) 8.3.0 | GCC | 8.3.0",
                "Debian clang version 14.0.6 | Clang | 14.0.6",
                "rustc version 1.89.0 (29483883e 2025-08-04) | rustc | 1.89.0"
            })
    void commentNamesItsCompiler(String text, String compiler, String version) {
        assertThat(Producer.parseComment(text)).contains(new Producer(compiler, version, ""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "Linker: LLD 17.0.6", "mold 2.4.0 (compatible with GNU ld)", "GCC: 12.2.0", "GHC 9.0.2"})
    void commentOfAnotherToolIsNoCompiler(String text) {
        assertThat(Producer.parseComment(text)).isEmpty();
    }

    @Test
    void textWithoutAVersionIsNoProducer() {
        assertThat(Producer.parse("")).isEmpty();
        assertThat(Producer.parse("some compiler")).isEmpty();
        assertThat(Producer.parse("GNU ".repeat(100_000))).isEmpty();
    }

    /** An expression that goes back and tries again takes two seconds for each. */
    @Test
    void producerIsParsedInLinearTime() throws IOException {
        String hostile = "GNU " + "x".repeat(4_990) + " 9".repeat(2_480) + " 9.";
        for (int unit = 0; unit < 20; unit++) {
            String text = hostile + unit;
            HostileRun.answer("producer", 1L << 30, () -> Producer.parse(text));
        }
    }
}
