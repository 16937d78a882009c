package dev.offsetd.cli;

import static dev.offsetd.cli.LauncherProject.await;
import static dev.offsetd.cli.LauncherProject.makeJdk;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.cli.LauncherProject.Run;
import dev.offsetd.cli.LauncherProject.Start;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How the launcher finds a JDK, builds, and starts programs. */
class LauncherIntegrationTests {

    @TempDir
    Path scratch;

    private LauncherProject project;

    @BeforeEach
    void outlineOfTheProject() throws IOException {
        project = new LauncherProject(scratch);
    }

    @Test
    void missingJdkIsReportedWithWaysToInstallOne() throws Exception {
        String bin = project.minimalPath();
        project.script("../bin/apt-get", "exit 1\n");
        project.script("../bin/apt-cache", "echo 'Package: openjdk-25-jdk-headless'\n");

        Run run = project.run(Map.of("PATH", bin, "OFFSETD_JDKS", scratch + "/nothing"), "types", "x");

        assertThat(run.exitCode()).isEqualTo(10);
        assertThat(run.err())
                .contains("no JDK 25 found")
                .contains("sudo apt-get install -y --no-install-recommends openjdk-25-jdk-headless")
                .contains("https://adoptium.net");
        assertThat(project.builds()).isEmpty();
    }

    @Test
    void serveInstallsAMissingJdkAsRootAndOtherCommandsDoNot() throws Exception {
        String bin = project.minimalPath();
        makeJdk(scratch.resolve("package/java-25"), "25.0.3");
        project.script("../bin/id", "echo 0\n");
        project.script("../bin/apt-get", """
                echo "$*" >>'%1$s/calls'
                [ "$1" != install ] || mv '%1$s/package' '%1$s/installed'
                """.formatted(scratch));
        Map<String, String> fresh = Map.of("PATH", bin, "OFFSETD_JDKS", scratch + "/installed");

        Run types = project.run(fresh, "types", "x");
        Run serve = project.run(fresh, "serve");

        assertThat(types.exitCode()).isEqualTo(10);
        assertThat(serve.out()).as(serve.err()).startsWith(scratch + "/installed/java-25/bin/java ");
        assertThat(Files.readAllLines(scratch.resolve("calls")))
                .containsExactly("update", "install -y --no-install-recommends openjdk-25-jdk-headless");
    }

    /** The index of an older Debian, or of one whose mirror is away. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void packageThatCannotBeInstalledIsNotRecommended(boolean hasIndex) throws Exception {
        String bin = project.minimalPath();
        project.script("../bin/id", "echo 0\n");
        project.script("../bin/uname", "[ \"$1\" = -s ] && echo Linux || echo aarch64\n");
        project.script("../bin/apt-get", "echo 'E: Unable to locate package openjdk-25-jdk-headless' >&2; exit 100\n");
        project.script("../bin/apt-cache", hasIndex ? "[ \"$1\" = pkgnames ] && echo openjdk-17-jdk\n" : "exit 1\n");
        Map<String, String> fresh = Map.of("PATH", bin, "OFFSETD_JDKS", scratch + "/installed");

        Run types = project.run(fresh, "types", "x");
        Run serve = project.run(fresh, "serve");

        assertThat(types.err().contains("apt-get install")).isEqualTo(!hasIndex);
        assertThat(serve.err())
                .contains("installing it (about a minute): apt-get install openjdk-25-jdk-headless; log: ")
                .contains("E: Unable to locate package")
                .doesNotContain("sudo apt-get install")
                .contains(
                        "mkdir -p ~/.jdks && curl -fsSL https://api.adoptium.net/v3/binary/latest/25/ga/linux/aarch64/");
        assertThat(serve.exitCode()).isEqualTo(10);
    }

    @Test
    void buildIsAnnouncedBeforeItEndsWhereThereIsNoTerminal() throws Exception {
        project.slowMaven();
        Start builder = project.start(Map.of(), "types", "x");

        await("the build is announced", () -> Files.size(builder.err()) > 0);

        assertThat(Files.readString(builder.err()))
                .isEqualTo(
                        "offsetd: building (first use, or the sources have changed), which takes one to four minutes; log: "
                                + project.root + "/target/offsetd/build.log\n");
        Files.createFile(project.root.resolve("go"));
        assertThat(builder.end().exitCode()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"17.0.9", "24", "26-ea", "250"})
    void jdkOfAnotherVersionIsSkipped(String version) throws Exception {
        makeJdk(scratch.resolve("other/jdk-25"), version);
        String folder = scratch.resolve("other").toString();

        Run run = project.run(Map.of("OFFSETD_JDKS", folder, "JAVA_HOME", folder + "/jdk-25"), "types", "x");

        assertThat(run.exitCode()).isEqualTo(10);
    }

    @Test
    void jdkIsFoundInAFolderOfTheList() throws Exception {
        makeJdk(scratch.resolve("mac/temurin-25.jdk/Contents/Home"), "25");

        Run run = project.run(Map.of("OFFSETD_JDKS", scratch + "/none:" + scratch + "/mac"), "types", "x");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).startsWith(scratch + "/mac/temurin-25.jdk/Contents/Home/bin/java ");
    }

    @Test
    void javaHomeComesFirst() throws Exception {
        makeJdk(scratch.resolve("mine"), "25.0.1");

        Run run = project.run(Map.of("JAVA_HOME", scratch + "/mine"), "types", "x");

        assertThat(run.out()).startsWith(scratch + "/mine/bin/java ");
    }

    @Test
    void programGetsTheCallersArgumentsAndFolder() throws Exception {
        Files.createSymbolicLink(scratch.resolve("link"), project.root.resolve("offsetd"));
        Path second = Files.createSymbolicLink(scratch.resolve("second"), Path.of("link"));
        Path folder = Files.createDirectories(scratch.resolve("else where"));

        Run run = project.start(folder, second, Map.of(), "types", "a file", "").end();

        assertThat(run.out())
                .endsWith("/cli/offsetd-cli.jar> <types> <a file> <>\n")
                .contains("\nin " + folder);
        assertThat(project.builds()).hasSize(1);
    }

    @Test
    void optionsForTheJvmAreSplitAtSpaces() throws Exception {
        Run run = project.run(Map.of("OFFSETD_JAVA_OPTS", "-Xmx64m -Da=b"), "types", "x");

        assertThat(run.out()).contains("<-Xmx64m> <-Da=b>");
    }

    @Test
    void firstUseBuildsAndLaterUsesDoNot() throws Exception {
        assertThat(project.run("types", "x").exitCode()).isZero();
        assertThat(project.run("serve").exitCode()).isZero();

        assertThat(project.builds())
                .containsExactly(
                        "-q -B -T 1C -Pprograms,unchecked -Dmaven.test.skip=true -Dspotless.check.skip=true package");
        assertThat(project.onlyApp().resolve("cli/lib/picocli-0.jar")).exists();
    }

    @Test
    void editedAddedAndDeletedSourcesAreBuilt() throws Exception {
        project.run("types", "x");
        project.write("cli/src/main/java/A.java", "class B {}");
        project.run("types", "x");
        assertThat(project.builds()).as("after an edit that keeps the size").hasSize(2);

        project.write("migrations/src/main/resources/V1.sql", "select 1");
        project.run("types", "x");
        assertThat(project.builds()).as("after a new file").hasSize(3);

        Files.delete(project.root.resolve("cli/src/main/java/A.java"));
        project.run("types", "x");
        assertThat(project.builds()).as("after a deletion").hasSize(4);
    }

    @Test
    void testsAndBuildOutputCauseNoBuild() throws Exception {
        project.run("types", "x");
        project.write("cli/src/test/java/ATests.java", "class ChangedTests {}");
        project.write("cli/target/classes/A.class", "new");

        project.run("types", "x");

        assertThat(project.builds()).hasSize(1);
    }

    @Test
    void anotherJdkBuildsAgain() throws Exception {
        makeJdk(scratch.resolve("other"), "25.0.9");
        project.run("types", "x");

        project.run(Map.of("JAVA_HOME", scratch + "/other"), "types", "x");
        project.run("types", "x");

        assertThat(project.builds()).hasSize(2);
    }

    @Test
    void sourcesThatChangeDuringABuildAreBuiltAgain() throws Exception {
        project.maven("[ \"$(wc -l < builds)\" -gt 1 ] || echo changed > cli/src/main/java/A.java");

        Run first = project.run("types");
        assertThat(project.builds()).hasSize(2);
        project.run("types", "x");

        assertThat(first.exitCode()).isZero();
        assertThat(project.builds()).hasSize(2);
    }

    @Test
    void failedBuildShowsItsOutputAndIsRepeated() throws Exception {
        project.maven("echo 'A.java:1: expected ;'; exit 1");

        Run failed = project.run("types", "x");
        project.maven("");
        Run repaired = project.run("types", "x");

        assertThat(failed.exitCode()).isEqualTo(11);
        assertThat(failed.out()).isEmpty();
        assertThat(failed.err()).contains("A.java:1: expected ;").contains("build.log");
        assertThat(repaired.exitCode()).isZero();
        assertThat(project.builds()).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void concurrentFirstUsesWaitForOneBuild(boolean withFlock) throws Exception {
        project.slowMaven();
        Map<String, String> environment = Map.of("PATH", withFlock ? LauncherProject.path() : project.minimalPath());
        Start builder = project.start(environment, "types", "first");
        await("the build begins", () -> project.builds().size() == 1);
        List<Start> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiting.add(project.start(environment, "types", "x"));
        }
        for (Start start : waiting) {
            await("the launcher waits", () -> Files.size(start.err()) > 0);
        }
        Files.createFile(project.root.resolve("go"));

        assertThat(builder.end().exitCode()).isZero();
        for (Start start : waiting) {
            Run run = start.end();
            assertThat(run.exitCode()).isZero();
            assertThat(run.err()).contains("waiting for another build of " + project.root);
            assertThat(run.out()).contains("<types> <x>");
        }
        assertThat(project.builds()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void killedBuildLeavesNoLock(boolean withFlock) throws Exception {
        project.slowMaven();
        Map<String, String> environment = Map.of("PATH", withFlock ? LauncherProject.path() : project.minimalPath());
        Start builder = project.start(environment, "types", "first");
        await("the build begins", () -> project.builds().size() == 1);
        List<ProcessHandle> family = builder.process().toHandle().descendants().toList();
        builder.process().destroyForcibly().waitFor();
        family.forEach(ProcessHandle::destroyForcibly);
        Files.createFile(project.root.resolve("go"));

        Run run = project.run(environment, "types", "second");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("<second>");
        assertThat(project.builds()).hasSize(2);
    }

    @Test
    void serverReplacesTheLauncherProcess() throws Exception {
        Start start = project.start(Map.of(), "serve", "--port", "1");

        assertThat(start.end().out())
                .contains("\npid " + start.process().pid() + "\n")
                .contains("/server/offsetd-server.jar> ", " <--port> <1>");
    }

    @Test
    void commandsRunWithoutC2() throws Exception {
        assertThat(project.run("extract", "x", "A").out()).contains("<-XX:+UseSerialGC> <-XX:TieredStopAtLevel=1>");
        assertThat(project.run("types", "x").out()).contains("<-XX:+UseParallelGC> <-XX:TieredStopAtLevel=1>");
    }

    /** A JVM with two collectors does not start. */
    @ParameterizedTest
    @ValueSource(strings = {"OFFSETD_JAVA_OPTS", "JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"})
    void collectorOfTheUserIsTheOnlyOne(String variable) throws Exception {
        Map<String, String> environment = Map.of(variable, "-XX:+UseZGC");

        for (String command : List.of("serve", "types", "token")) {
            assertThat(project.run(environment, command, "x").out()).doesNotContain("SerialGC", "ParallelGC");
        }
    }

    @Test
    void commandsOnTheDatabaseAreTheServers() throws Exception {
        for (String command : List.of("token", "admin")) {
            assertThat(project.run(command, "a word").out())
                    .contains("<-XX:TieredStopAtLevel=1> <-XX:+UseSerialGC>")
                    .contains("/server/offsetd-server.jar> <" + command + "> <a word>");
        }
        for (String command : List.of("backup", "restore", "store")) {
            assertThat(project.run(command, "a file").out())
                    .contains("<-Doffsetd.progress=false>", "/server/offsetd-server.jar> <" + command + "> <a file>")
                    .doesNotContain("TieredStopAtLevel");
        }
    }

    @Test
    void releaseNeedsAVersionAndASectionOfTheChangelog() throws Exception {
        String pom = """
                <project>
                  <version>4</version>
                  <version>%s</version>
                  <offsetd.licence>MIT</offsetd.licence>
                </project>
                """;

        project.write("pom.xml", pom.formatted("1.0-SNAPSHOT"));
        Run snapshot = project.run("dist", "--release");
        project.write("pom.xml", pom.formatted("1.0"));
        project.write("CHANGELOG.md", "## 1.0 - unreleased\n");
        Run unnoted = project.run("dist", "--release");

        assertThat(snapshot.exitCode()).isEqualTo(11);
        assertThat(snapshot.err()).contains("the version is 1.0-SNAPSHOT; expected one without -SNAPSHOT");
        assertThat(unnoted.err()).contains("CHANGELOG.md has no section \"## 1.0 - DATE\"");
        assertThat(project.builds()).isEmpty();
    }

    @Test
    void buildOfARunningServerIsKept() throws Exception {
        project.java("""
                    *-jar*offsetd-server.jar*) sleep 60 ;;
                """);
        Start server = project.start(Map.of("OFFSETD_JAVA_OPTS", "-XX:AOTMode=off"), "serve");
        try {
            await(
                    "the server runs",
                    () -> !project.apps().isEmpty()
                            && Files.exists(project.onlyApp()
                                    .resolve("serving-" + server.process().pid())));
            Path app = project.onlyApp();
            for (int i = 0; i < 4; i++) {
                project.write("cli/src/main/java/A.java", "class A" + i + " {}");
                assertThat(project.run("version").exitCode()).isZero();
            }

            assertThat(app).exists();
            assertThat(project.apps())
                    .as("the server's, the newest and the one before it")
                    .hasSize(3);
        } finally {
            server.process().toHandle().descendants().forEach(ProcessHandle::destroyForcibly);
            server.process().destroyForcibly();
        }
    }
}
