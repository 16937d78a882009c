package dev.offsetd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The launcher script on a copy of the project's outline, with a Maven and a JDK that only write down how they were
 * called.
 */
class LauncherIntegrationTests {

    /** The programs that the script may use: those of POSIX, and readlink. */
    private static final List<String> POSIX_TOOLS = List.of(
            "sh",
            "awk",
            "cat",
            "cksum",
            "cp",
            "dirname",
            "env",
            "find",
            "grep",
            "id",
            "ln",
            "ls",
            "mkdir",
            "mv",
            "readlink",
            "rm",
            "sed",
            "sleep",
            "sort",
            "tail",
            "touch",
            "tr");

    @TempDir
    Path scratch;

    private Path project;
    private Path jdks;

    @BeforeEach
    void outlineOfTheProject() throws IOException {
        project = Files.createDirectories(scratch.resolve("the project")).toRealPath();
        Files.copy(Path.of("..", "offsetd").toRealPath(), project.resolve("offsetd"));
        makeExecutable(project.resolve("offsetd"));
        write("pom.xml", "<project/>");
        write("cli/src/main/java/A.java", "class A {}");
        write("cli/src/test/java/ATests.java", "class ATests {}");
        script("mvnw", """
                echo "$*" >> builds
                mkdir -p cli/target/lib server/target
                touch cli/target/offsetd-cli-0.jar cli/target/lib/picocli-0.jar server/target/offsetd-server-0-exec.jar
                """);
        jdks = scratch.resolve("jdks");
        makeJdk(jdks.resolve("jdk-25"), "25.0.3");
    }

    @Test
    void withoutAnyJdkTheWaysToGetOneAreSaid() throws Exception {
        Run run = start(Map.of("OFFSETD_JDKS", scratch.resolve("nothing").toString()), "types", "x")
                .end();

        assertThat(run.exitCode()).isEqualTo(10);
        assertThat(run.err())
                .contains("no JDK 25 found")
                .contains("apt-get install")
                .contains("sdk install java")
                .contains("https://adoptium.net");
        assertThat(builds()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"17.0.9", "24", "26-ea", "250"})
    void jdkOfAnotherVersionIsNotTaken(String version) throws Exception {
        makeJdk(scratch.resolve("other/jdk-25"), version);
        String folder = scratch.resolve("other").toString();

        Run run = start(Map.of("OFFSETD_JDKS", folder, "JAVA_HOME", folder + "/jdk-25"), "types", "x")
                .end();

        assertThat(run.exitCode()).isEqualTo(10);
    }

    @Test
    void jdkIsFoundInTheFoldersOfTheList() throws Exception {
        makeJdk(scratch.resolve("mac/temurin-25.jdk/Contents/Home"), "25");

        Run run = start(Map.of("OFFSETD_JDKS", scratch + "/none:" + scratch + "/mac"), "types", "x")
                .end();

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).startsWith(scratch + "/mac/temurin-25.jdk/Contents/Home/bin/java ");
    }

    @Test
    void javaHomeComesFirst() throws Exception {
        makeJdk(scratch.resolve("mine"), "25.0.1");

        Run run = start(Map.of("JAVA_HOME", scratch + "/mine"), "types", "x").end();

        assertThat(run.out()).startsWith(scratch + "/mine/bin/java ");
    }

    @Test
    void argumentsAndFolderOfTheCallerReachTheProgram() throws Exception {
        Path link = Files.createSymbolicLink(scratch.resolve("link"), project.resolve("offsetd"));
        Path second = Files.createSymbolicLink(scratch.resolve("second"), Path.of("link"));
        Path folder = Files.createDirectories(scratch.resolve("else where"));

        Run run = new Start(folder, second, Map.of(), List.of("types", "a file", "")).end();

        assertThat(link).exists();
        assertThat(run.out())
                .endsWith(" dev.offsetd.cli.Offsetd <types> <a file> <>\n")
                .contains("\nin " + folder);
        assertThat(builds()).hasSize(1);
    }

    @Test
    void optionsForTheJvmAreSplitAtSpaces() throws Exception {
        Run run = start(Map.of("OFFSETD_JAVA_OPTS", "-Xmx64m -Da=b"), "types", "x")
                .end();

        assertThat(run.out()).contains("<-Xmx64m> <-Da=b>");
    }

    @Test
    void buildsOnFirstUseAndNotAgain() throws Exception {
        assertThat(start("types", "x").end().exitCode()).isZero();
        assertThat(start("serve").end().exitCode()).isZero();

        assertThat(builds()).containsExactly("-q -B -T 1C -Dmaven.test.skip=true -Dspotless.check.skip=true package");
        assertThat(project.resolve("target/offsetd/build.log"))
                .content()
                .containsPattern("dev.offsetd.cli.training.OldClasses> <[^>]*/cli/picocli-0.jar>");
    }

    @Test
    void editedAddedAndDeletedSourcesAreNoticed() throws Exception {
        start("types", "x").end();
        write("cli/src/main/java/A.java", "class B {}");
        start("types", "x").end();
        assertThat(builds()).as("after an edit that keeps the size").hasSize(2);

        write("migrations/src/main/resources/V1.sql", "select 1");
        start("types", "x").end();
        assertThat(builds()).as("after a new file").hasSize(3);

        Files.delete(project.resolve("cli/src/main/java/A.java"));
        start("types", "x").end();
        assertThat(builds()).as("after a deletion").hasSize(4);
    }

    @Test
    void testsAndBuildOutputAreNoReasonToBuild() throws Exception {
        start("types", "x").end();
        write("cli/src/test/java/ATests.java", "class ChangedTests {}");
        write("cli/target/classes/A.class", "new");

        start("types", "x").end();

        assertThat(builds()).hasSize(1);
    }

    @Test
    void sourcesThatChangeDuringTheBuildAreBuiltAgain() throws Exception {
        script("mvnw", """
                echo "$*" >> builds
                mkdir -p cli/target/lib server/target
                [ "$(wc -l < builds)" -gt 1 ] || echo changed > cli/src/main/java/A.java
                touch cli/target/offsetd-cli-0.jar cli/target/lib/picocli-0.jar server/target/offsetd-server-0-exec.jar
                """);

        Run first = new Start(project, project.resolve("offsetd"), Map.of("PATH", path()), List.of("types")).end();
        start("types", "x").end();

        assertThat(first.exitCode()).isZero();
        assertThat(builds()).hasSize(2);
    }

    @Test
    void failedBuildShowsItsOutputAndLeavesNothingBehind() throws Exception {
        String working = Files.readString(project.resolve("mvnw"));
        script("mvnw", "echo 'A.java:1: expected ;'; exit 1\n");

        Run failed = start("types", "x").end();
        Files.writeString(project.resolve("mvnw"), working);
        Run repaired = start("types", "x").end();

        assertThat(failed.exitCode()).isEqualTo(11);
        assertThat(failed.out()).isEmpty();
        assertThat(failed.err()).contains("A.java:1: expected ;").contains("build.log");
        assertThat(repaired.exitCode()).isZero();
        assertThat(builds()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void concurrentFirstUsesBuildOnceAndSayThatTheyWait(boolean withFlock) throws Exception {
        slowMaven();
        Map<String, String> environment = Map.of("PATH", withFlock ? path() : pathWithoutFlock());
        Start builder = start(environment, "types", "first");
        waitForBuilds(1);
        List<Start> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiting.add(start(environment, "types", "x"));
        }

        Thread.sleep(300);
        Files.createFile(project.resolve("go"));

        assertThat(builder.end().exitCode()).isZero();
        for (Start start : waiting) {
            Run run = start.end();
            assertThat(run.exitCode()).isZero();
            assertThat(run.err()).contains("waiting for another build of " + project);
            assertThat(run.out()).contains("<types> <x>");
        }
        assertThat(builds()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void killedBuilderLeavesNoLock(boolean withFlock) throws Exception {
        slowMaven();
        Map<String, String> environment = Map.of("PATH", withFlock ? path() : pathWithoutFlock());
        Start builder = start(environment, "types", "first");
        waitForBuilds(1);
        List<ProcessHandle> family = builder.process.toHandle().descendants().toList();
        builder.process.destroyForcibly().waitFor();
        family.forEach(ProcessHandle::destroyForcibly);
        Files.createFile(project.resolve("go"));

        Run run = start(environment, "types", "second").end();

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("<second>");
        assertThat(builds()).hasSize(2);
    }

    @Test
    void serverTakesThePlaceOfTheScriptSoThatSignalsReachIt() throws Exception {
        Start start = start("serve", "--port", "1");
        Run run = start.end();

        assertThat(run.out())
                .contains("\npid " + start.process.pid() + "\n")
                .contains("/server/offsetd-server.jar> <--port> <1>");
    }

    @Test
    void fasterStartsArePreparedByTheFirstCommandOfTheirProgramOnly() throws Exception {
        Path jdk = jdks.resolve("jdk-25");
        Run help = start("serve", "--help").end();
        Run otherHelp = start("extract", "--help").end();
        assertThat(trainings(jdk)).isEmpty();

        Run command = start("types", "x").end();
        assertThat(trainings(jdk))
                .as("a run, and a cache made of it")
                .hasSize(2)
                .allMatch(training -> training.endsWith(" dev.offsetd.cli.Offsetd train ."));
        Run second = start("extract", "x", "A").end();
        Run server = start("serve").end();
        Run secondServer = start("serve").end();
        Run token = start("token", "list").end();

        assertThat(help.out() + otherHelp.out()).doesNotContain("AOTCache");
        assertThat(cacheOf(command))
                .startsWith(project + "/target/offsetd/app-")
                .contains("/cli/jdk-")
                .endsWith(".aot");
        assertThat(cacheOf(second)).isEqualTo(cacheOf(command));
        assertThat(cacheOf(server)).contains("/server/jdk-").endsWith(".aot");
        assertThat(List.of(cacheOf(secondServer), cacheOf(token))).containsOnly(cacheOf(server));
        assertThat(command.err() + second.err() + server.err() + secondServer.err())
                .isEmpty();
        assertThat(trainings(jdk)).hasSize(4);
        assertThat(trainings(jdk).subList(2, 4)).allMatch(training -> training.contains(" train --data "));
        assertThat(leftByTraining()).isEmpty();
    }

    @Test
    void cacheOfCommandsIsMadeWithTheirClassPath() throws Exception {
        Run run = start("types", "x").end();

        String classPath = run.out().replaceAll("(?s).*<-cp> <([^>]*)>.*", "$1");
        assertThat(classPath.split(":")).hasSize(2).allMatch(jar -> Files.isRegularFile(Path.of(jar)));
        assertThat(trainings(jdks.resolve("jdk-25")))
                .allMatch(training -> training.contains(" -cp " + classPath + " "));
    }

    @Test
    void commandsStartWithOneCompilerAndAreMeasuredWithAll() throws Exception {
        String cheap = "<-XX:+UseSerialGC> <-XX:TieredStopAtLevel=1>";

        assertThat(start("extract", "x", "A").end().out()).contains(cheap);
        assertThat(start("bench", "x", "A").end().out()).doesNotContain("SerialGC", "TieredStopAtLevel", "AOTCache");
        assertThat(start("token", "list").end().out()).contains(cheap);
    }

    /** A JVM with two collectors does not start. */
    @ParameterizedTest
    @ValueSource(strings = {"OFFSETD_JAVA_OPTS", "JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"})
    void whoeverNamesACollectorGetsThat(String variable) throws Exception {
        Map<String, String> environment = Map.of(variable, "-XX:+UseZGC");

        for (String command : List.of("serve", "types", "token")) {
            assertThat(start(environment, command, "x").end().out()).doesNotContain("SerialGC", "ParallelGC");
        }
    }

    @Test
    void preparationOfAnotherProcessIsNotWaitedFor() throws Exception {
        start("serve", "--help").end();
        Path cli = builtApp().resolve("cli");
        Files.createSymbolicLink(
                cli.resolve("training"),
                Path.of(Long.toString(ProcessHandle.current().pid())));

        Run run = start("types", "x").end();

        assertThat(run.out()).contains("<types> <x>").doesNotContain("AOTCache");
        assertThat(run.err()).isEmpty();
        assertThat(trainings(jdks.resolve("jdk-25"))).isEmpty();
    }

    @Test
    void preparationThatWasKilledIsClearedAwayAndMadeAnew() throws Exception {
        start("serve", "--help").end();
        Process ended = new ProcessBuilder("true").start();
        ended.waitFor();
        Path app = builtApp();
        Files.createSymbolicLink(app.resolve("cli/training"), Path.of(Long.toString(ended.pid())));
        Files.createDirectory(app.resolve("training-" + ended.pid()));

        Run run = start("types", "x").end();

        assertThat(cacheOf(run)).endsWith(".aot");
        assertThat(leftByTraining()).isEmpty();
    }

    @Test
    void fasterStartsBelongToOneJdk() throws Exception {
        makeJdk(scratch.resolve("other"), "25.0.9");

        Run here = start("serve").end();
        Run there = start(Map.of("JAVA_HOME", scratch + "/other"), "serve").end();

        assertThat(trainings(scratch.resolve("other"))).hasSize(2);
        assertThat(cacheOf(there)).isNotEqualTo(cacheOf(here));
    }

    @Test
    void fasterStartsArePreparedOutOfReachOfTheUsersDatabase() throws Exception {
        start(Map.of("SPRING_DATASOURCE_URL", "jdbc:mine", "OFFSETD_OFFLINE", "true"), "serve")
                .end();

        assertThat(jdks.resolve("jdk-25/bin/trainings"))
                .content()
                .contains("PATH=")
                .doesNotContain("SPRING_DATASOURCE_URL", "OFFSETD_OFFLINE", "HOME=" + scratch + "\n");
    }

    @Test
    void serverStartsWithoutFasterStartsIfTheyCannotBePrepared() throws Exception {
        Files.createFile(jdks.resolve("jdk-25/bin/untrainable"));

        Run first = start("serve").end();
        Run second = start("serve").end();

        assertThat(first.exitCode()).isZero();
        assertThat(first.out()).contains("/server/offsetd-server.jar>").doesNotContain("AOTCache");
        assertThat(first.err()).startsWith("offsetd: no faster starts: see ").hasLineCount(1);
        assertThat(second.out()).contains("/server/offsetd-server.jar>").doesNotContain("AOTCache");
        assertThat(second.err()).isEmpty();
        assertThat(trainings(jdks.resolve("jdk-25"))).hasSize(1);
        assertThat(leftByTraining()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-Xshare:off", "-XX:AOTMode=off", "-XX:SharedArchiveFile=mine.jsa"})
    void whoeverHasTheJvmDoSomethingElseAboutItsStartGetsThat(String option) throws Exception {
        Run run = start(Map.of("JDK_JAVA_OPTIONS", option), "serve").end();

        assertThat(run.out()).doesNotContain("-XX:AOTCache");
    }

    @Test
    void preparationThatIsInterruptedLeavesNothing() throws Exception {
        script("../jdks/jdk-25/bin/java", """
                for last; do :; done
                case "$*" in
                    *jarmode*) mkdir -p "$last"; touch "$last/offsetd-server-0-exec.jar" ;;
                    *AOTMode*) echo $$ > "${0%/*}/pid"; exec sleep 60 ;;
                esac
                """);
        Start server = start("serve");
        Path pid = jdks.resolve("jdk-25/bin/pid");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!Files.exists(pid) || Files.size(pid) == 0) {
            assertThat(System.nanoTime())
                    .as("time for the preparation to begin")
                    .isLessThan(end);
            Thread.sleep(20);
        }

        server.process.destroy();
        Run run = server.end();

        assertThat(run.exitCode()).isEqualTo(143);
        assertThat(ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())))
                .isEmpty();
        assertThat(leftByTraining()).isEmpty();
    }

    @Test
    void installPutsTheServerAndWhatItNeedsIntoAnEmptyFolder() throws Exception {
        write("packaging/offsetd-server", "#!/bin/sh\n");
        Path folder = scratch.resolve("opt/the server");

        Run run = start("install", folder.toString()).end();

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(folder).isDirectoryContaining("glob:**offsetd-server");
        assertThat(folder.resolve("offsetd-server.jar")).exists();
        assertThat(folder.resolve("lib/lib.jar")).exists();
        assertThat(folder.resolve("offsetd.aot")).hasContent("cache");
        assertThat(trainings(folder.resolve("runtime")))
                .as("by the JVM that is installed, where the server then lies")
                .hasSize(2)
                .allMatch(training -> training.contains(" -jar " + folder + "/offsetd-server.jar train "));
        assertThat(leftByTraining()).isEmpty();
        assertThat(start("install", folder.toString()).end().exitCode()).isEqualTo(2);
        assertThat(start("install").end().exitCode()).isEqualTo(2);
    }

    @Test
    void installedServerStartsByItsOwnJvmAndCache() throws Exception {
        Path installed = Files.createDirectories(scratch.resolve("opt/offsetd"));
        makeJdk(installed.resolve("runtime"), "25");
        Path script = installed.resolve("offsetd-server");
        Files.copy(Path.of("..", "packaging", "offsetd-server"), script);
        makeExecutable(script);

        Start start = new Start(scratch, script, Map.of(), List.of("--port", "1"));
        Run served = start.end();
        Run token = new Start(scratch, script, Map.of(), List.of("token", "list")).end();

        assertThat(served.out())
                .startsWith(installed + "/runtime/bin/java ")
                .contains("\npid " + start.process.pid() + "\n")
                .contains("<-XX:AOTCache=" + installed + "/offsetd.aot>")
                .contains("/offsetd-server.jar> <--port> <1>");
        assertThat(token.out()).contains("/offsetd-server.jar> <token> <list>").doesNotContain("AOTCache");
    }

    /** With the JVM that runs this test, and a program of one class in place of the server. */
    @Test
    void jvmStartsFromTheCacheAndWithoutItIfItIsBroken() throws Exception {
        Path real = Path.of(System.getProperty("java.home"));
        makeProgram(scratch.resolve("program.jar"));
        Files.copy(real.resolve("release"), jdks.resolve("jdk-25/release"), StandardCopyOption.REPLACE_EXISTING);
        script("../jdks/jdk-25/bin/java", """
                for last; do :; done
                case "$*" in
                    *jarmode*) mkdir -p "$last"; cp %s "$last/offsetd-server-0-exec.jar" ;;
                    *OldClasses*) ;;
                    *) exec %s "$@" ;;
                esac
                """.formatted(scratch.resolve("program.jar"), real.resolve("bin/java")));
        Map<String, String> telling = Map.of("OFFSETD_JAVA_OPTS", "-Xlog:class+load");

        assertThat(start("serve", "a").end()).isEqualTo(new Run(0, "program a\n", ""));
        assertThat(start(telling, "serve").end().out()).containsPattern(" Program source: shared objects file");

        Path cache = cache();
        byte[] whole = Files.readAllBytes(cache);
        for (byte[] broken : List.of(new byte[0], new byte[5000], Arrays.copyOf(whole, whole.length / 2))) {
            Files.write(cache, broken);
            assertThat(start("serve", "b").end()).isEqualTo(new Run(0, "program b\n", ""));
        }
    }

    @Test
    void tokensAreTheServersBusiness() throws Exception {
        assertThat(start("token", "list", "--json").end().out())
                .contains("/server/offsetd-server.jar> <token> <list> <--json>");
    }

    @Test
    void backupsAreTheServersBusinessAndMayTakeAllCompilers() throws Exception {
        for (String command : List.of("backup", "restore")) {
            assertThat(start(command, "a file").end().out())
                    .contains("<-Doffsetd.progress=false>", "/server/offsetd-server.jar> <" + command + "> <a file>")
                    .doesNotContain("TieredStopAtLevel");
        }
    }

    @Test
    void buildThatAServerRunsFromIsKept() throws Exception {
        script("../jdks/jdk-25/bin/java", """
                for last; do :; done
                case "$*" in
                    *jarmode*) mkdir -p "$last"; touch "$last/offsetd-server-0-exec.jar" ;;
                    *AOTMode*) exit 1 ;;
                    *-jar*) sleep 60 ;;
                esac
                """);
        Start server = start("serve");
        try {
            Path app = waitForServer();
            for (int i = 0; i < 4; i++) {
                write("cli/src/main/java/A.java", "class A" + i + " {}");
                assertThat(start("version").end().exitCode()).isZero();
            }

            assertThat(app).exists();
            try (var state = Files.list(project.resolve("target/offsetd"))) {
                assertThat(state.filter(path -> path.getFileName().toString().startsWith("app-")))
                        .as("the server's, the newest and the one before it")
                        .hasSize(3);
            }
        } finally {
            server.process.toHandle().descendants().forEach(ProcessHandle::destroyForcibly);
            server.process.destroyForcibly();
        }
    }

    @Test
    void testCountsTheReportsOfThisRunOnly() throws Exception {
        write("cli/target/surefire-reports/TEST-Old.xml", suite("Old", 50, 0, 0, ""));
        reports(0, suite("A", 3, 0, 1, """
                  <testcase name="x" classname="A" time="0.1">
                    <skipped message="needs &quot;gdb&quot; &amp; more"/>
                  </testcase>
                """), suite("B", 2, 0, 0, """
                  <testcase name="y" classname="B" time="0.1">
                    <system-out><![CDATA[
                  <skipped message="printed by a test"/>
                <testsuite tests="9" failures="9" errors="9" skipped="9">
                ]]></system-out>
                  </testcase>
                """));

        Run run = start("test", "quick").end();

        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .endsWith("  skipped: A.x: needs \"gdb\" & more\n4 passed, 0 failed, 1 skipped\n")
                .doesNotContain("printed by a test");
        assertThat(builds()).containsExactly("-B -fae -Dspotless.check.skip=true test");
    }

    @Test
    void failedTestsAreNamedAndFailTheRun() throws Exception {
        reports(1, suite("A", 3, 1, 0, """
                  <testcase name="x" classname="A" time="0.1">
                    <failure message="expected: 1&#10;but was: 2" type="E"><![CDATA[stack]]></failure>
                  </testcase>
                """), suite("B", 1, 0, 0, ""));

        Run run = start("test", "quick").end();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).endsWith("  FAILED: A.x: expected: 1 but was: 2\n3 passed, 1 failed, 0 skipped\n");
    }

    @Test
    void buildThatFailsWithoutAFailedTestFailsTheRun() throws Exception {
        reports(1, suite("A", 3, 0, 0, ""));

        Run run = start("test", "quick").end();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("Maven ended with exit code 1").endsWith("3 passed, 0 failed, 0 skipped\n");
    }

    @Test
    void runWithoutAnyTestFails() throws Exception {
        script("mvnw", "exit 0\n");

        Run run = start("test", "quick").end();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).endsWith("0 passed, 0 failed, 0 skipped\n");
    }

    @Test
    void missingToolsAreListedWithTheirReasonAndFailOnlyContinuousIntegration() throws Exception {
        reports(0, suite("A", 1, 0, 0, ""));
        Map<String, String> bare = Map.of("PATH", pathWithoutFlock());

        Run atHome = start(bare, "test").end();
        Run inCi =
                start(Map.of("PATH", pathWithoutFlock(), "CI", "true"), "test").end();

        assertThat(atHome.exitCode()).isZero();
        assertThat(atHome.out())
                .containsPattern("gdb +second opinion")
                .contains("Tests that need a missing tool are skipped")
                .endsWith("1 passed, 0 failed, 0 skipped\n");
        assertThat(inCi.exitCode()).isEqualTo(1);
        assertThat(builds()).containsExactly("-B -fae -Pcoverage,browser -Dreliability=check verify");
    }

    @Test
    void failedUpdateOfOneIndexAndAnUnknownPackageKeepNoOtherToolFromBeingInstalled() throws Exception {
        reports(0, suite("A", 1, 0, 0, ""));
        String bin = pathWithoutFlock();
        script("../bin/id", "echo 0\n");
        script("../bin/apt-get", """
                [ "$1" != update ] || exit 100
                for last; do
                    [ "$last" != dwz ] || exit 100
                done
                case $last in
                    gdb) printf '#!/bin/sh\\n' > %1$s/gdb; chmod +x %1$s/gdb ;;
                esac
                """.formatted(bin));
        Files.writeString(scratch.resolve("bin/chmod"), "#!/bin/sh\nexec /bin/chmod \"$@\"\n");
        makeExecutable(scratch.resolve("bin/chmod"));

        Run run = start(Map.of("PATH", bin), "test").end();

        assertThat(scratch.resolve("bin/gdb")).exists();
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("Tests that need a missing tool are skipped");
        assertThat(run.err()).contains("apt-get did not install every tool");
    }

    @Test
    void unknownArgumentOfTestIsAUsageError() throws Exception {
        assertThat(start("test", "fast").end().exitCode()).isEqualTo(2);
    }

    @Test
    void fuzzRunsItsTargetForItsTimeInItsModuleAndNoOtherTest() throws Exception {
        write("query/src/test/java/dev/DebugInfoFuzzTests.java", "class DebugInfoFuzzTests {}");
        write("server/src/test/java/dev/PinBodyFuzzTests.java", "class PinBodyFuzzTests {}");

        assertThat(start("fuzz", "DebugInfo", "--duration", "90s").end().exitCode())
                .isZero();
        assertThat(start("fuzz").end().exitCode()).isZero();

        assertThat(builds())
                .containsExactly(
                        "-B -pl query -am -Pfuzz -Dspotless.check.skip=true -Dtest=none"
                                + " -Dfuzz.target=DebugInfo -Dfuzz.duration=90s"
                                + " test-compile failsafe:integration-test@fuzz failsafe:verify@fuzz",
                        "-B -pl query,server -am -Pfuzz -Dspotless.check.skip=true -Dtest=none"
                                + " -Dfuzz.target=* -Dfuzz.duration=10m"
                                + " test-compile failsafe:integration-test@fuzz failsafe:verify@fuzz");
    }

    @Test
    void commandsOfTheTestsRunInTheirModuleAndTheSoakOnTheServersProgram() throws Exception {
        assertThat(start("soak", "5").end().out())
                .containsPattern("<-Doffsetd.server-jar=[^>]*/server/offsetd-server.jar> <-cp>"
                        + " <[^>]*/server/target/test-classes:[^>]*> <dev.offsetd.server.soak.Soak> <5>");
        assertThat(start("corpus", "glibc").end().out())
                .containsPattern("<-cp> <[^>]*/offset-extractor/target/test-classes:[^>]*>"
                        + " <dev.offsetd.extractor.corpus.Corpus> <glibc>")
                .doesNotContain("server-jar");
    }

    @Test
    void fuzzOfAnUnknownTargetIsAUsageError() throws Exception {
        Run run = start("fuzz", "Nothing").end();

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("there is no class NothingFuzzTests");
        assertThat(builds()).isEmpty();
    }

    @Test
    void fuzzFailsIfSomethingIsFound() throws Exception {
        write("server/src/test/java/dev/PinBodyFuzzTests.java", "class PinBodyFuzzTests {}");
        script("mvnw", "exit 1\n");

        assertThat(start("fuzz").end().exitCode()).isEqualTo(1);
        assertThat(start("fuzz", "--duration").end().exitCode()).isEqualTo(2);
        assertThat(start("fuzz", "--for", "1m").end().exitCode()).isEqualTo(2);
    }

    /** The calls of a JDK by which it was to make caches. */
    private static List<String> trainings(Path jdk) throws IOException {
        Path trainings = jdk.resolve("bin/trainings");
        return Files.exists(trainings)
                ? Files.readAllLines(trainings).stream()
                        .filter(line -> line.startsWith("training "))
                        .toList()
                : List.of();
    }

    private static String cacheOf(Run run) {
        return run.out()
                .lines()
                .filter(line -> line.contains("-XX:AOTCache="))
                .findFirst()
                .map(line -> line.replaceAll(".*<-XX:AOTCache=([^>]*)>.*", "$1"))
                .orElseThrow(() -> new AssertionError("no cache: " + run));
    }

    private Path cache() throws IOException {
        try (var files = Files.walk(project.resolve("target/offsetd"))) {
            return files.filter(path -> path.toString().endsWith(".aot"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no cache"));
        }
    }

    /** The folder of the only build. */
    private Path builtApp() throws IOException {
        try (var files = Files.list(project.resolve("target/offsetd"))) {
            return files.filter(path -> path.getFileName().toString().startsWith("app-"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no build"));
        }
    }

    private List<Path> leftByTraining() throws IOException {
        try (var files = Files.walk(project.resolve("target/offsetd"))) {
            return files.filter(path -> path.getFileName().toString().startsWith("training"))
                    .filter(path -> !path.endsWith("training.log"))
                    .toList();
        }
    }

    /** A program whose only class, Program, prints its last argument. */
    private void makeProgram(Path jar) throws IOException {
        write("Program.java", """
                class Program {
                    public static void main(String[] arguments) {
                        System.out.println("program " + arguments[arguments.length - 1]);
                    }
                }
                """);
        int result = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, project.resolve("Program.java").toString());
        assertThat(result).isZero();
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, "Program");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            out.putNextEntry(new JarEntry("Program.class"));
            Files.copy(project.resolve("Program.class"), out);
        }
    }

    private void slowMaven() throws IOException {
        script("mvnw", """
                echo "$*" >> builds
                until [ -e go ]; do sleep 0.1; done
                mkdir -p cli/target/lib server/target
                touch cli/target/offsetd-cli-0.jar cli/target/lib/picocli-0.jar server/target/offsetd-server-0-exec.jar
                """);
    }

    private void reports(int exitCode, String first, String second) throws IOException {
        write("first.xml", first);
        write("second.xml", second);
        script("mvnw", """
                echo "$*" >> builds
                mkdir -p cli/target/surefire-reports server/target/failsafe-reports
                cp first.xml cli/target/surefire-reports/TEST-First.xml
                cp second.xml server/target/failsafe-reports/TEST-Second.xml
                exit %d
                """.formatted(exitCode));
    }

    private void reports(int exitCode, String only) throws IOException {
        write("only.xml", only);
        script("mvnw", """
                echo "$*" >> builds
                mkdir -p cli/target/surefire-reports
                cp only.xml cli/target/surefire-reports/TEST-Only.xml
                exit %d
                """.formatted(exitCode));
    }

    private static String suite(String name, int tests, int failures, int skipped, String cases) {
        return """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="3.0" name="%s" time="0.1" \
                tests="%d" errors="0" skipped="%d" failures="%d">
                  <properties/>
                %s</testsuite>
                """.formatted(name, tests, skipped, failures, cases);
    }

    private void makeJdk(Path home, String version) throws IOException {
        Files.createDirectories(home.resolve("bin"));
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
        Files.writeString(home.resolve("bin/javac"), "#!/bin/sh\n");
        makeExecutable(home.resolve("bin/javac"));
        Files.writeString(home.resolve("bin/java"), """
                #!/bin/sh
                for last; do :; done
                case "$*" in
                    *-Djarmode=tools*)
                        mkdir -p "$last"
                        touch "$last/offsetd-server-0-exec.jar"
                        mkdir -p "$last/lib"
                        touch "$last/lib/lib.jar"
                        exit
                        ;;
                    *-XX:AOTMode=*)
                        { echo "training $*"; env; } >> "${0%/*}/trainings"
                        [ ! -e "${0%/*}/untrainable" ] || exit 1
                        for argument; do
                            case $argument in -XX:AOTCache=*) echo cache > "${argument#*=}" ;; esac
                        done
                        exit
                        ;;
                esac
                printf '%s ' "$0"
                printf '\\npid %s\\nin %s\\n' "$$" "$PWD"
                for argument; do
                    case $argument in
                        dev.offsetd.cli.Offsetd) printf ' %s' "$argument" ;;
                        *) printf ' <%s>' "$argument" ;;
                    esac
                done
                echo
                """);
        makeExecutable(home.resolve("bin/java"));
        Files.writeString(home.resolve("bin/jlink"), """
                #!/bin/sh
                for last; do :; done
                mkdir -p "$last/bin"
                cp "${0%/*}/java" "$last/bin/java"
                """);
        makeExecutable(home.resolve("bin/jlink"));
    }

    private void write(String path, String text) throws IOException {
        Path file = project.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private void script(String path, String body) throws IOException {
        write(path, "#!/bin/sh\nset -eu\n" + body);
        makeExecutable(project.resolve(path));
    }

    private static void makeExecutable(Path file) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private List<String> builds() throws IOException {
        Path builds = project.resolve("builds");
        return Files.exists(builds) ? Files.readAllLines(builds) : List.of();
    }

    private void waitForBuilds(int count) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (builds().size() < count) {
            assertThat(System.nanoTime()).as("time for the build to begin").isLessThan(end);
            Thread.sleep(20);
        }
    }

    private Path waitForServer() throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (true) {
            assertThat(System.nanoTime()).as("time for the server to begin").isLessThan(end);
            Path state = project.resolve("target/offsetd");
            if (Files.exists(state)) {
                try (var found = Files.find(
                        state, 2, (path, kind) -> path.getFileName().toString().startsWith("serving-"))) {
                    var mark = found.findFirst();
                    if (mark.isPresent()) {
                        return mark.get().resolveSibling("").toAbsolutePath();
                    }
                }
            }
            Thread.sleep(20);
        }
    }

    private static String path() {
        return System.getenv("PATH");
    }

    /** A PATH with the standard's programs and nothing else: no flock, no apt-get, none of the tools. */
    private String pathWithoutFlock() throws IOException {
        Path bin = scratch.resolve("bin");
        if (!Files.exists(bin)) {
            Files.createDirectories(bin);
            for (String tool : POSIX_TOOLS) {
                Path found = List.of(path().split(File.pathSeparator)).stream()
                        .map(folder -> Path.of(folder, tool))
                        .filter(Files::isExecutable)
                        .findFirst()
                        .orElseThrow(() -> new AssertionError("no " + tool + " on the PATH"));
                Files.writeString(bin.resolve(tool), "#!/bin/sh\nexec " + found + " \"$@\"\n");
                makeExecutable(bin.resolve(tool));
            }
        }
        return bin.toString();
    }

    private Start start(String... arguments) throws IOException {
        return start(Map.of(), arguments);
    }

    private Start start(Map<String, String> environment, String... arguments) throws IOException {
        return new Start(project, project.resolve("offsetd"), environment, List.of(arguments));
    }

    private record Run(int exitCode, String out, String err) {}

    /** One call of the script, under way. */
    private final class Start {

        private final Process process;
        private final Path out;
        private final Path err;

        Start(Path folder, Path script, Map<String, String> environment, List<String> arguments) throws IOException {
            List<String> command = new ArrayList<>(List.of(script.toString()));
            command.addAll(arguments);
            out = Files.createTempFile(scratch, "out", ".txt");
            err = Files.createTempFile(scratch, "err", ".txt");
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile())
                    .redirectInput(new File("/dev/null"));
            builder.environment().clear();
            builder.environment().put("PATH", path());
            builder.environment().put("HOME", scratch.toString());
            builder.environment().put("OFFSETD_JDKS", jdks.toString());
            builder.environment().putAll(environment);
            process = builder.start();
        }

        Run end() throws Exception {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError("still running after 60 s: " + Files.readString(err));
            }
            return new Run(
                    process.exitValue(),
                    Files.readString(out, StandardCharsets.UTF_8),
                    Files.readString(err, StandardCharsets.UTF_8));
        }
    }
}
