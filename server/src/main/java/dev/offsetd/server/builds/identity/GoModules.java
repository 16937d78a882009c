package dev.offsetd.server.builds.identity;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.GoModule;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.server.sources.outcome.Origin;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Store of the modules that Go programs are built from. */
@Component
public class GoModules {

    /** Path of the standard library, whose version is that of Go. */
    public static final String STANDARD_LIBRARY = "std";

    private final JdbcClient jdbc;

    /**
     * A stored program.
     *
     * @param versions of the code of the requested modules by path, of those that have one
     */
    public record GoProgram(BuildId id, Map<String, String> versions) {}

    GoModules(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * Stores the modules of an identity. Modules of an earlier file stay if it states none: what is read later, such as a path or
     * an executable without build information, does not name them again. Part of the caller's transaction.
     */
    void store(BuildId id, Identity identity) {
        Map<String, GoModule> modules = new LinkedHashMap<>();
        identity.first(IdentityField.Kind.GO_VERSION)
                .filter(version -> Pattern.matches("[0-9]+[.][0-9]+([.][0-9]+)?", version))
                .ifPresent(version -> modules.put(STANDARD_LIBRARY, new GoModule(STANDARD_LIBRARY, version, null)));
        identity.goModules().stream()
                .filter(module -> !module.path().equals(STANDARD_LIBRARY))
                .forEach(module -> modules.putIfAbsent(module.path(), module));
        if (modules.isEmpty()) {
            return;
        }
        if (!identity.goModules().isEmpty()) {
            jdbc.sql("delete from go_modules where build_id = :id")
                    .param("id", id.toBytes())
                    .update();
        }
        List<GoModule> rows = List.copyOf(modules.values());
        jdbc.sql("""
                        insert into go_modules (build_id, path, version, replacement, replacement_version)
                        select :id, * from unnest(:paths::text[], :versions::text[], :replacements::text[],
                            :replacementVersions::text[])
                        on conflict do nothing
                        """)
                .param("id", id.toBytes())
                .param("paths", rows.stream().map(GoModule::path).toArray(String[]::new))
                .param("versions", rows.stream().map(GoModule::version).toArray(String[]::new))
                .param(
                        "replacements",
                        rows.stream()
                                .map(GoModule::replacement)
                                .map(other -> other == null ? null : other.path())
                                .toArray(String[]::new))
                .param(
                        "replacementVersions",
                        rows.stream()
                                .map(GoModule::replacement)
                                .map(other -> other == null ? null : other.version())
                                .toArray(String[]::new))
                .update();
    }

    /**
     * Returns the stored programs of an architecture that have one of these modules. Every version of a module gets one program
     * before any gets a second one; those of trusted origins come first.
     *
     * @param mostOfVersion most programs of one version of a module that count
     */
    public List<GoProgram> programs(Collection<String> paths, String machine, int mostOfVersion, int limit) {
        Map<BuildId, Map<String, String>> programs = new LinkedHashMap<>();
        jdbc.sql("""
                        with code as (
                            select m.build_id, m.path, f.origin, case when m.replacement is null then m.version
                                when m.replacement = m.path then m.replacement_version else '' end as version
                            from go_modules m join debug_files f using (build_id) join builds b using (build_id)
                            where m.path = any(:paths) and f.machine = :machine and f.symbol_count is null
                                and b.state = 'extracted'
                                and not exists (select from shared_build_ids s where s.build_id = m.build_id)),
                        ranked as (
                            select build_id, row_number() over (partition by path, version
                                order by %s, build_id) as place
                            from code where version <> ''),
                        chosen as (
                            select build_id, min(place) as place from ranked where place <= :most
                            group by build_id order by 2, 1 limit :limit)
                        select build_id, path, version from code join chosen using (build_id)
                        where version <> '' order by build_id, path
                        """.formatted(Origin.rankIn("origin")))
                .param("paths", paths.toArray(String[]::new))
                .param("machine", machine)
                .param("most", mostOfVersion)
                .param("limit", limit)
                .query(row -> {
                    programs.computeIfAbsent(BuildId.of(row.getBytes("build_id")), _ -> new LinkedHashMap<>())
                            .put(row.getString("path"), row.getString("version"));
                });
        return programs.entrySet().stream()
                .map(program -> new GoProgram(program.getKey(), program.getValue()))
                .toList();
    }
}
