package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ListeningProcessTests {

    /** Columns as proc(5) has them; the port 8080 is 1F90. */
    private static final String HEADING =
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

    @TempDir
    private Path proc;

    @BeforeEach
    void makeProc() throws IOException {
        Files.createDirectory(proc.resolve("net"));
    }

    private void socket(String table, String address, String state, int inode) throws IOException {
        Path file = proc.resolve("net").resolve(table);
        String before = Files.exists(file) ? Files.readString(file) : HEADING;
        Files.writeString(
                file,
                before + "   0: " + address + " 00000000:0000 " + state
                        + " 00000000:00000000 00:00000000 00000000  1000        0 " + inode + " 1 0000 100 0 0 10 0\n");
    }

    private void process(int pid, String command, int inode) throws IOException {
        Path folder =
                Files.createDirectories(proc.resolve(Integer.toString(pid)).resolve("fd"));
        Files.createSymbolicLink(folder.resolve("0"), Path.of("/dev/null"));
        Files.createSymbolicLink(folder.resolve("7"), Path.of("socket:[" + inode + "]"));
        Files.writeString(folder.resolveSibling("cmdline"), command);
    }

    @Test
    void processThatListensOnThePortIsFound() throws IOException {
        socket("tcp", "0100007F:1F90", "0A", 4711);
        process(77, "other\0", 1);
        process(99, "nginx\0-g\0daemon off;\0", 4711);
        assertThat(ListeningProcess.find(proc, 8080))
                .hasValue(new ListeningProcess.ProcessDescription(99, "nginx -g daemon off;"));
    }

    @Test
    void listenerOnIpv6IsFoundToo() throws IOException {
        socket("tcp", "0100007F:0050", "0A", 1);
        socket("tcp6", "00000000000000000000000000000000:1F90", "0A", 4711);
        process(99, "java\0", 4711);
        assertThat(ListeningProcess.find(proc, 8080)).hasValue(new ListeningProcess.ProcessDescription(99, "java"));
    }

    @Test
    void connectionFromThePortIsNotAListener() throws IOException {
        socket("tcp", "0100007F:1F90", "01", 4711);
        process(99, "curl\0", 4711);
        assertThat(ListeningProcess.find(proc, 8080)).isEmpty();
    }

    @Test
    void processOfAnotherUserStaysUnknown() throws IOException {
        socket("tcp", "0100007F:1F90", "0A", 4711);
        Files.createDirectory(proc.resolve("99"));
        assertThat(ListeningProcess.find(proc, 8080)).isEmpty();
    }

    @Test
    void systemWithoutProcfsTellsNothing() {
        assertThat(ListeningProcess.find(proc.resolve("none"), 8080)).isEmpty();
    }
}
