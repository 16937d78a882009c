package dev.offsetd.query.typeset;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Go source that {@code dev/profilertables} reads, and what it leaves out. */
class ProfilerTablesTests {

    private static final String SOURCE = """
            package ruby

            import "runtime"

            const FLAG = 1 << 13

            type rubyData struct {
                lastOpId uint64
                vmStructs struct {
                    frame struct { pc, ep, iseq uint8 }
                    vm struct { objspace uint16 }
                    code struct { Name uint `name:"co_name"` }
                    type_object struct { size uint }
                }
            }

            func rubyVersion(major, minor, release uint32) uint32 { return major*0x10000 + minor*0x100 + release }

            func loader(version uint32, found bool, address uint64) (*rubyData, error) {
                d := &rubyData{lastOpId: 7}
                vms := &d.vmStructs
                vms.frame.pc = 8
                switch {
                case version < rubyVersion(3, 1, 0):
                    vms.frame.ep = 16
                case version >= rubyVersion(4, 0, 0) && version < rubyVersion(4, 1, 0):
                    vms.frame.ep = 24
                    if runtime.GOARCH == "arm64" {
                        vms.frame.ep += 8
                    }
                default:
                    vms.frame.ep = FLAG >> 8
                }
                if found {
                    vms.vm.objspace = 1296
                }
                if err := readTypes(&vms.type_object); err != nil {
                    return nil, err
                }
                return d, nil
            }
            """;

    @TempDir
    private static Path folder;

    private static ProfilerTables tables;

    @BeforeAll
    static void compile() throws IOException {
        Path source = Files.createDirectories(folder.resolve("checkout/interpreter/ruby"));
        Files.writeString(source.resolve("ruby.go"), SOURCE);
        Files.writeString(source.resolve("ruby_test.go"), "package ruby\nfunc f(d *rubyData) { d.lastOpId = 1 }\n");
        tables = new ProfilerTables(Path.of("..").toAbsolutePath(), folder.resolve("checkout"), folder);
    }

    private static Map<String, Long> values(String version, String arch) throws IOException {
        return tables.table("ruby", version, arch).values();
    }

    @Test
    void reasonExcusesOnlyTheValuesThatItStates() {
        String name = "iseq_constant_body.size_of_iseq_constant_body";

        assertThat(ProfilerTables.reason("ruby", "3.3.8", name, 344, 312L)).contains("configured");
        assertThat(ProfilerTables.reason("ruby", "3.3.8", name, 344, 320L)).isNull();
        assertThat(ProfilerTables.reason("ruby", "3.3.8", name, 336, 312L)).isNull();
        assertThat(ProfilerTables.reason("ruby", "3.3.8", name, 344, null)).isNull();
        assertThat(ProfilerTables.reason("ruby", "3.2.8", name, 344, 312L)).isNull();
    }

    @Test
    void conditionsOnVersionAndArchitectureChoose() throws IOException {
        assertThat(values("3.0.4", "amd64")).containsEntry("frame.ep", 16L);
        assertThat(values("3.4.5", "amd64")).containsEntry("frame.ep", 32L);
        assertThat(values("4.0.6", "amd64")).containsEntry("frame.ep", 24L);
        assertThat(values("4.0.6", "arm64")).containsEntry("frame.ep", 32L);
    }

    @Test
    void unassignedFieldsAreZeroAndOthersAreNotGuessed() throws IOException {
        ProfilerTables.Table table = tables.table("ruby", "3.4.5", "amd64");

        assertThat(table.values()).isEqualTo(Map.of("lastOpId", 7L, "frame.pc", 8L, "frame.ep", 32L, "frame.iseq", 0L));
        assertThat(table.unread())
                .containsExactly(
                        "ruby.go:35: vm.objspace depends on what is known at run time",
                        "ruby.go:37: type_object.size is read at run time");
    }
}
