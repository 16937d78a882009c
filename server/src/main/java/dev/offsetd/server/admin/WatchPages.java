package dev.offsetd.server.admin;

import dev.offsetd.server.access.Actor;
import dev.offsetd.server.watches.Watch;
import dev.offsetd.server.watches.Watches;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.servlet.ModelAndView;

/** The list of watches, with their last runs. */
@Controller
class WatchPages {

    private static final String PATH = "/admin/watches";

    private final Watches watches;

    WatchPages(Watches watches) {
        this.watches = watches;
    }

    @GetMapping(PATH)
    String page(HttpServletRequest request, Model model) {
        List<Watch> all = watches.all();
        model.addAttribute("watches", all);
        model.addAttribute("polling", all.stream().anyMatch(Watch::isRunning));
        return Htmx.view(request, "admin/watches/page", "watches");
    }

    @PostMapping(PATH + "/{id}/run")
    ModelAndView run(@PathVariable String id, HttpServletRequest request) {
        Watch watch = watches.run(id, Actor.of(request));
        return Htmx.done(PATH, watch.name() + " runs as soon as a server is free.");
    }

    @PostMapping(PATH + "/{id}/remove")
    ModelAndView remove(@PathVariable String id, HttpServletRequest request) {
        watches.remove(id, Actor.of(request));
        return Htmx.done(PATH, "Removed. The builds that the watch has stored stay.");
    }
}
