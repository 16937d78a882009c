package dev.offsetd.server.admin.overview;

import dev.offsetd.server.admin.BuildTitles;
import dev.offsetd.server.admin.Htmx;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;

/** The overview, which refreshes itself. */
@Controller
class OverviewController {

    private final Overview overview;
    private final BuildTitles titles;

    OverviewController(Overview overview, BuildTitles titles) {
        this.overview = overview;
        this.titles = titles;
    }

    @GetMapping("/admin")
    String page(HttpServletRequest request, Model model) {
        Overview.OverviewPage page = overview.page();
        model.addAttribute("page", page);
        titles.addTo(model, page.builds());
        return Htmx.view(request, "admin/overview/page", "refreshed");
    }
}
