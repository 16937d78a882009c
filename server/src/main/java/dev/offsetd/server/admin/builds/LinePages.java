package dev.offsetd.server.admin.builds;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.query.symbol.CodeAddress;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.BuildRequest.Part;
import dev.offsetd.server.answers.symbols.FrameAnswers;
import dev.offsetd.server.answers.symbols.FrameAnswers.First;
import dev.offsetd.server.answers.symbols.FrameLookup;
import dev.offsetd.server.answers.symbols.FrameLookup.Located;
import dev.offsetd.server.answers.symbols.SymbolQuery;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.sources.outcome.Failure;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Wait;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/** The page of the functions and lines at an address of a build. */
@Controller
class LinePages {

    /** Most libraries are read in this time; others take a second look. */
    private static final Wait WAIT = new Wait(Duration.ofSeconds(5), false);

    private final BuildKeys keys;
    private final FrameAnswers answers;

    LinePages(BuildKeys keys, FrameAnswers answers) {
        this.keys = keys;
        this.answers = answers;
    }

    /**
     * Content of the page.
     *
     * @param problem why there are no functions and lines; null if there are, or none were asked for
     * @param located null if nothing was looked up
     */
    record LinePage(
            BuildId id,
            String address,
            boolean polling,
            @Nullable String problem,
            @Nullable Located located) {}

    /** Result for an address, and why the build has no functions and lines; null if it has. */
    private record Found(Located located, @Nullable Failure failure) {

        static Found of(FrameLookup lookup, CodeAddress address) {
            return new Found(lookup.at(address, false), lookup.failure());
        }
    }

    @GetMapping(PagePath.BUILDS + "/{buildId}/lines")
    String lines(@PathVariable String buildId, @RequestParam(defaultValue = "") String address, Model model) {
        model.addAttribute("page", page(keys.resolve(buildId), address.strip()));
        return "admin/builds/lines";
    }

    private LinePage page(BuildId id, String address) {
        if (address.isEmpty()) {
            return new LinePage(id, address, false, null, null);
        }
        try {
            CodeAddress parsed = SymbolQuery.address(address, 1);
            Found found = answers.lookUp(
                            new BuildRequest(id, Part.SYMBOLS, WAIT, null),
                            new First(List.of(parsed), false, List.of()),
                            lookup -> Found.of(lookup, parsed))
                    .orElse(null);
            if (found == null) {
                return new LinePage(id, address, true, null, null);
            }
            Failure failure = found.failure();
            return new LinePage(id, address, false, failure == null ? null : failure.detail(), found.located());
        } catch (ProblemException e) {
            return new LinePage(id, address, false, e.problem().detail(), null);
        }
    }
}
