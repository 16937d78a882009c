package dev.offsetd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.cli.LauncherProject.Run;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands in dev/: tests, fuzzing, and programs among the tests. */
class DeveloperCommandsIntegrationTests {

    /** Longest classes first. */
    private static final String ORDER =
            "-Dsurefire.runOrder=balanced -Dsurefire.runOrder.statisticsFile.checksum=unit-times"
                    + " -Dfailsafe.runOrder=balanced -Dfailsafe.runOrder.statisticsFile.checksum=times";

    @TempDir
    Path scratch;

    private LauncherProject project;

    @BeforeEach
    void outlineOfTheProject() throws IOException {
        project = new LauncherProject(scratch);
    }

    @Test
    void testCountsOnlyReportsOfThisRun() throws Exception {
        project.write("cli/target/surefire-reports/TEST-Old.xml", suite("Old", 50, 0, 0, ""));
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

        Run run = project.run("test", "quick");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .endsWith("  skipped: A.x: needs \"gdb\" & more\n4 passed, 0 failed, 1 skipped\n")
                .doesNotContain("printed by a test");
        assertThat(project.builds()).containsExactly("-B -fae " + ORDER + " -Pquick,unchecked,!fuzz-inputs test");
    }

    @Test
    void classesOfAQuickRunAreCompiledAgainWithAllChecks() throws Exception {
        project.write("dev/tools.txt", "# None, because root would install them.\n");
        reports(0, suite("A", 1, 0, 0, ""));
        Path compiled = project.root.resolve("cli/target/classes/A.class");
        project.write("cli/target/classes/A.class", "");

        assertThat(project.run("test").exitCode()).isZero();
        assertThat(compiled).exists();
        assertThat(project.run("test", "quick").exitCode()).isZero();
        assertThat(compiled).exists();
        assertThat(project.run("test").exitCode()).isZero();
        assertThat(compiled).doesNotExist();
    }

    @Test
    void failedTestsAreNamedAndFailTheRun() throws Exception {
        reports(1, suite("A", 3, 1, 0, """
                  <testcase name="x" classname="A" time="0.1">
                    <failure message="expected: 1&#10;but was: 2" type="E"><![CDATA[stack]]></failure>
                  </testcase>
                """), suite("B", 1, 0, 0, ""));

        Run run = project.run("test", "quick");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).endsWith("  FAILED: A.x: expected: 1 but was: 2\n3 passed, 1 failed, 0 skipped\n");
    }

    @Test
    void failedBuildFailsTheRun() throws Exception {
        reports(1, suite("A", 3, 0, 0, ""));

        Run run = project.run("test", "quick");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("Maven ended with exit code 1").endsWith("3 passed, 0 failed, 0 skipped\n");
    }

    @Test
    void runWithoutAnyTestFails() throws Exception {
        project.script("mvnw", "exit 0\n");

        Run run = project.run("test", "quick");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).endsWith("0 passed, 0 failed, 0 skipped\n");
    }

    @Test
    void missingToolsAreListedAndFailOnlyContinuousIntegration() throws Exception {
        reports(0, suite("A", 1, 0, 0, ""));
        Map<String, String> bare = Map.of("PATH", project.minimalPath());

        Run atHome = project.run(bare, "test");
        Run inCi = project.run(Map.of("PATH", project.minimalPath(), "CI", "true"), "test");

        assertThat(atHome.exitCode()).isZero();
        assertThat(atHome.out())
                .containsPattern("gdb +second opinion")
                .contains("Tests that need a missing tool are skipped")
                .endsWith("1 passed, 0 failed, 0 skipped\n");
        assertThat(inCi.exitCode()).isEqualTo(1);
        assertThat(project.builds())
                .containsExactly(
                        "-B -fae " + ORDER + " -Doffsetd.aot-cache=true -Pcoverage,browser -Dreliability=check verify");
    }

    @Test
    void brokenIndexAndUnknownPackageDoNotKeepOtherToolsFromBeingInstalled() throws Exception {
        reports(0, suite("A", 1, 0, 0, ""));
        String bin = project.minimalPath();
        project.script("../bin/id", "echo 0\n");
        project.script("../bin/apt-get", """
                [ "$1" != update ] || exit 100
                for last; do
                    [ "$last" != dwz ] || exit 100
                done
                case $last in
                    gdb) printf '#!/bin/sh\\n' > %1$s/gdb; chmod +x %1$s/gdb ;;
                esac
                """.formatted(bin));

        Run run = project.run(Map.of("PATH", bin), "test");

        assertThat(scratch.resolve("bin/gdb")).exists();
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("Tests that need a missing tool are skipped");
        assertThat(run.err()).contains("apt-get did not install every tool");
    }

    @ParameterizedTest
    @ValueSource(strings = {"fast", "shard", "shard 0/3", "shard 4/3", "shard 1", "shard /3", "shard 1/", "shard a/3"})
    void unknownArgumentOfTestIsAUsageError(String arguments) throws Exception {
        assertThat(project.run(("test " + arguments).split(" ")).exitCode()).isEqualTo(2);
    }

    @Test
    void everyIntegrationTestIsInOneShardAndTheLongestAreApart() throws Exception {
        reports(0, suite("A", 1, 0, 0, ""));
        project.write("dev/test-times.txt", """
                # seconds, module, class
                300 server dev.LongIntegrationTests
                290 cli dev.SlowIntegrationTests
                """);
        for (String file : List.of(
                "cli/src/test/java/dev/SlowIntegrationTests.java",
                "server/src/test/java/dev/LongIntegrationTests.java",
                "server/src/test/java/dev/a/OtherIntegrationTests.java",
                "server/src/browser/java/dev/b/OtherIntegrationTests.java")) {
            project.write(file, "");
        }

        assertThat(project.run("test", "shard", "1/2").exitCode()).isZero();
        assertThat(project.run("test", "shard", "2/2").exitCode()).isZero();

        String options = "-B -fae " + ORDER + " -Doffsetd.aot-cache=true -Pbrowser";
        assertThat(project.builds())
                .containsExactly(
                        options + " -Dit.test=dev/SlowIntegrationTests -Dfailsafe.failIfNoSpecifiedTests=false verify",
                        options + " -Dtest=none -Dsurefire.failIfNoSpecifiedTests=false"
                                + " -Dit.test=dev/LongIntegrationTests,dev/a/OtherIntegrationTests,dev/b/OtherIntegrationTests"
                                + " -Dfailsafe.failIfNoSpecifiedTests=false verify");
        assertThat(Files.readString(project.root.resolve("server/.surefire-times")))
                .contains("1,300000,dev.LongIntegrationTests,all\n", "1,5000,dev.b.OtherIntegrationTests,all\n");
    }

    @Test
    void commandsAreListedWithTheirResultsAndFailTheRunIfOneFails() throws Exception {
        RequiredTool.require("gcc");
        project.write("dev/tools.txt", "# None, because root would install them.\n");
        project.write("dev/commands.txt", """
                # A comment.
                dev/summary.awk  in dev/test.sh
                bench/works.sh   grep -q made_up_1 "$work/small.c" && test -e "$small" && test -x "$JAVA_HOME/bin/java"
                bench/needs.sh   skip 'no such machine'
                bench/needs.sh   echo missing: wrk; exit 77
                bench/breaks.sh  echo why; nothing_of_that_name "$unset"
                """);

        Run all = project.run("test", "commands");
        Run one = project.run("test", "commands", "bench/works.sh");

        assertThat(all.exitCode()).isEqualTo(1);
        assertThat(all.out())
                .containsPattern("ok +[0-9]+ s  grep -q")
                .containsPattern("skipped +[0-9]+ s  bench/needs.sh: no such machine\n")
                .containsPattern("skipped +[0-9]+ s  bench/needs.sh: missing: wrk\n")
                .containsPattern("FAILED +[0-9]+ s  echo why; .*: exit code [1-9]")
                .contains("    why\n")
                .endsWith("\n1 passed, 1 failed, 2 skipped\n");
        assertThat(one.exitCode()).isZero();
        assertThat(one.out()).endsWith("\n1 passed, 0 failed, 0 skipped\n");
        assertThat(project.run("test", "commands", "bench/none.sh").exitCode()).isEqualTo(2);
    }

    @Test
    void fuzzRunsOnlyItsTargetInTheTargetsModule() throws Exception {
        project.write("offset-extractor/src/test/java/dev/DebugInfoFuzzTests.java", "class DebugInfoFuzzTests {}");
        project.write("server/src/test/java/dev/PinBodyFuzzTests.java", "class PinBodyFuzzTests {}");

        assertThat(project.run("fuzz", "DebugInfo", "--duration", "90s").exitCode())
                .isZero();
        assertThat(project.run("fuzz").exitCode()).isZero();

        assertThat(project.builds())
                .containsExactly(
                        "-B -pl offset-extractor -am -Pfuzz -Dspotless.check.skip=true -Dtest=none"
                                + " -Dfuzz.target=DebugInfo -Dfuzz.duration=90s"
                                + " test-compile failsafe:integration-test@fuzz failsafe:verify@fuzz",
                        "-B -pl offset-extractor,server -am -Pfuzz -Dspotless.check.skip=true -Dtest=none"
                                + " -Dfuzz.target=* -Dfuzz.duration=10m"
                                + " test-compile failsafe:integration-test@fuzz failsafe:verify@fuzz");
    }

    @ParameterizedTest
    @CsvSource({
        "corpus, query, dev.offsetd.query.ComparedAnswers",
        "sets, query, dev.offsetd.query.typeset.Sets",
        "replay, server, dev.offsetd.server.prewarms.enrichment.Replay",
        "soak, server, dev.offsetd.server.soak.Soak"
    })
    void programAmongTheTestsRunsInItsModule(String command, String module, String main) throws Exception {
        String out = project.run(command, "5").out();

        assertThat(out).containsPattern("<-cp> <[^>]*/" + module + "/target/test-classes:[^>]*> <" + main + "> <5>");
        assertThat(out.contains("<-Doffsetd.server-jar=" + project.root)).isEqualTo(command.equals("soak"));
        assertThat(Path.of("..", module, "src/test/java", main.replace('.', '/') + ".java"))
                .exists();
    }

    @ParameterizedTest
    @CsvSource({
        "diagrams, -pl server -am test -Dtest=ArchitectureDiagramTests -Darchitecture=renew",
        "answers, -pl server -am verify -Dtest=RecordedOutputTests -Dit.test=RecordedAnswersIntegrationTests"
                + " -Drecorded=renew",
        "checklist, verify -DskipTests -Dreliability=renew",
        "screenshots, -Pbrowser -pl server -am verify -Dtest=none -Dit.test=PagesIntegrationTests"
                + " -Dscreenshots=ROOT/docs/screenshots"
    })
    void renewRunsTheTestThatWritesTheFilesAndSkipsNone(String name, String goals) throws Exception {
        project.script("mvnw", "echo \"$CI $*\" >> builds\n");

        assertThat(project.run("renew", name).exitCode()).isZero();

        assertThat(project.builds())
                .containsExactly("true -q -B -Dspotless.check.skip=true -Dsurefire.failIfNoSpecifiedTests=false"
                        + " -Dfailsafe.failIfNoSpecifiedTests=false " + goals.replace("ROOT", project.root.toString()));
        Matcher test = Pattern.compile("=(\\w+Tests)\\b").matcher(goals);
        while (test.find()) {
            assertThat(sources()).contains(test.group(1) + ".java");
        }
    }

    private static Set<String> sources() throws IOException {
        Set<String> names = new HashSet<>();
        for (String folder : List.of("cli/src/test", "server/src/test", "server/src/browser")) {
            try (Stream<Path> files = Files.walk(Path.of("..").resolve(folder))) {
                files.map(file -> file.getFileName().toString()).forEach(names::add);
            }
        }
        return names;
    }

    @Test
    void renewWithoutANameListsThemAndStopsAtAFailure() throws Exception {
        Run list = project.run("renew");
        Run unknown = project.run("renew", "diagrams", "drawings");
        assertThat(project.builds()).isEmpty();
        project.script("mvnw", "echo \"$*\" >> builds; exit 1\n");
        Run failed = project.run("renew", "diagrams", "checklist");

        assertThat(list.exitCode()).isZero();
        assertThat(list.out()).contains("\n  diagrams ", "\n  answers ", "\n  checklist ", "\n  screenshots ");
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.err()).contains("nothing to renew: drawings; expected diagrams, answers,");
        assertThat(failed.exitCode()).isEqualTo(1);
        assertThat(project.builds()).hasSize(1);
    }

    @Test
    void fuzzOfAnUnknownTargetIsAUsageError() throws Exception {
        Run run = project.run("fuzz", "Nothing");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("there is no class NothingFuzzTests");
        assertThat(project.builds()).isEmpty();
    }

    @Test
    void fuzzFailsOnAFindingAndOnBadArguments() throws Exception {
        project.write("server/src/test/java/dev/PinBodyFuzzTests.java", "class PinBodyFuzzTests {}");
        project.script("mvnw", "exit 1\n");

        assertThat(project.run("fuzz").exitCode()).isEqualTo(1);
        assertThat(project.run("fuzz", "--duration").exitCode()).isEqualTo(2);
        assertThat(project.run("fuzz", "--for", "1m").exitCode()).isEqualTo(2);
    }

    private void reports(int exitCode, String first, String second) throws IOException {
        project.write("first.xml", first);
        project.write("second.xml", second);
        project.script("mvnw", """
                echo "$*" >> builds
                mkdir -p cli/target/surefire-reports server/target/failsafe-reports
                cp first.xml cli/target/surefire-reports/TEST-First.xml
                cp second.xml server/target/failsafe-reports/TEST-Second.xml
                exit %d
                """.formatted(exitCode));
    }

    private void reports(int exitCode, String only) throws IOException {
        project.write("only.xml", only);
        project.script("mvnw", """
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
}
