package dev.offsetd.server.admin.signin;

import dev.offsetd.server.access.RefusedRequest;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.RequestMapping;

/** Renders the cause of a {@link RefusedRequest}. Clients cannot request it. */
@Controller
class RefusedController {

    @RequestMapping(RefusedRequest.PATH)
    void refused(HttpServletRequest request) throws Exception {
        throw RefusedRequest.causeOf(request);
    }
}
