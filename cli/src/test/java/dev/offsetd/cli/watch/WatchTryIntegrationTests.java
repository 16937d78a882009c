package dev.offsetd.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.cli.CommandLineRun;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The live suites from which this machine installs packages. */
class WatchTryIntegrationTests {

    @TempDir
    private Path folder;

    @Test
    void debugPackagesOfTheSuitesOfThisMachineAreListed() {
        RequiredTool.require("apt-get");

        CommandLineRun run = CommandLineRun.of("watch", "try", "libc6-dbg");

        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(run.out()).containsPattern("(?m)^libc6-dbg +2\\.\\S+ +\\w+ +[1-9]\\d+ +\\d+$");
    }

    @Test
    void fileThatIsNotAKeyringIsNamed() throws Exception {
        Path file = Files.writeString(folder.resolve("keys"), "no keys");

        CommandLineRun run = CommandLineRun.of("watch", "try", "--keyring", file.toString());

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.err()).contains("keys").contains("not an OpenPGP keyring");
    }
}
