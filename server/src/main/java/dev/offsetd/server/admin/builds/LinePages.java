package dev.offsetd.server.admin.builds;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.query.symbol.CodeAddress;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.admin.PagePath;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.BuildRequest.Part;
import dev.offsetd.server.answers.symbols.FrameAnswers;
import dev.offsetd.server.answers.symbols.FrameAnswers.First;
import dev.offsetd.server.answers.symbols.FrameLookup.Located;
import dev.offsetd.server.answers.symbols.SymbolQuery;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.sources.outcome.Failure;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Wait;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
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

    /** Result for an address, and why the build has no functions and lines; null if it has. */
    private record Found(Located located, @Nullable Failure failure) {}

    @GetMapping(PagePath.BUILDS + "/{buildId}/lines")
    String lines(
            @PathVariable String buildId,
            @RequestParam(defaultValue = "") String address,
            HttpServletRequest request,
            Model model) {
        BuildId id = keys.resolve(buildId);
        model.addAttribute("id", id).addAttribute("address", address.strip());
        if (!address.isBlank()) {
            lookUp(
                    new BuildRequest(id, Caller.of(request), Part.SYMBOLS, WAIT.permittedTo(request), null),
                    address.strip(),
                    model);
        }
        return "admin/builds/lines";
    }

    private void lookUp(BuildRequest request, String address, Model model) {
        try {
            CodeAddress parsed = SymbolQuery.address(address, 1);
            Optional<Found> found = answers.lookUp(
                    request,
                    new First(List.of(parsed), false, List.of(), false),
                    lookup -> new Found(lookup.at(parsed, false), lookup.failure()));
            model.addAttribute("polling", found.isEmpty());
            model.addAttribute("found", found.map(Found::located).orElse(null));
            model.addAttribute(
                    "problem", found.map(Found::failure).map(Failure::detail).orElse(null));
        } catch (ProblemException e) {
            model.addAttribute("problem", e.problem().detail());
        }
    }
}
