package dev.offsetd.server.admin.overview;

import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;

/** The overview, and the part of it that moves. */
@Controller
class OverviewController {

    private final Overview overview;

    OverviewController(Overview overview) {
        this.overview = overview;
    }

    @GetMapping("/admin")
    String page(Model model) {
        model.addAttribute("overview", overview.page());
        return "admin/overview/page";
    }

    @GetMapping(
            path = "/admin",
            headers = {"HX-Request=true", "!HX-History-Restore-Request"})
    String moving(Model model) {
        page(model);
        return "admin/overview/page :: moving";
    }
}
