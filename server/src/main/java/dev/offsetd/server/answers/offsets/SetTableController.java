package dev.offsetd.server.answers.offsets;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.item.View;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.answers.RenderedAnswer;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.answers.Wait;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Tables of the values of a type set in all builds, for agents that ship a table for hosts without a server. */
@RestController
class SetTableController {

    private static final char LIST = 'x';
    private static final String MAP = "map";
    private static final String MACHINE = "machine";
    private static final int MAX_CHARS = 64;

    private final SetTable table;

    SetTableController(SetTable table) {
        this.table = table;
    }

    @GetMapping("/v1/exports/sets/{set}")
    ResponseEntity<SpooledBody> get(@PathVariable String set, HttpServletRequest request) {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        ListQuery list = ListQuery.of(request, Set.of(MAP, MACHINE), SetTable.MAX_BUILDS, SetTable.MAX_BUILDS);
        Optional<String> machine = list.parameter(MACHINE);
        machine.filter(name -> name.isEmpty() || name.length() > MAX_CHARS).ifPresent(name -> {
            throw ListQuery.badValue(MACHINE, name, "a name such as \"x86_64\"");
        });
        Optional<String> map = list.parameter(MAP);
        SetTable.Range range = new SetTable.Range(
                machine,
                list.position(LIST).map(SetTableController::build),
                list.limit(),
                last -> list.next(LIST, last.toBytes()));
        SpooledBody body = table.of(
                set,
                name -> OffsetsQuery.ofItems(
                        List.of("@" + name),
                        Optional.of(map.isPresent() ? View.MAP.word() : View.FLAT.word()),
                        map,
                        Optional.empty(),
                        offered -> representation),
                range,
                Caller.of(request));
        return new RenderedAnswer(representation, body, true).forCaches(Wait.of(request));
    }

    private static BuildId build(byte[] position) {
        if (position.length < BuildId.MIN_BYTES || position.length > BuildId.MAX_BYTES) {
            throw ListQuery.badCursor();
        }
        return BuildId.of(position);
    }
}
