package dev.offsetd.server.admin.overview;

import dev.offsetd.server.admin.shell.Htmx;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;

/** The overview, which refreshes itself. */
@Controller
class OverviewController {

    private final Overview overview;

    OverviewController(Overview overview) {
        this.overview = overview;
    }

    @GetMapping("/admin")
    String page(HttpServletRequest request, Model model) {
        model.addAttribute("page", overview.page());
        return Htmx.view(request, "admin/overview/page", "refreshed");
    }
}
