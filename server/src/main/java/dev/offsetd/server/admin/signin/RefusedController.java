package dev.offsetd.server.admin.signin;

import dev.offsetd.server.access.RefusedRequest;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.RequestMapping;

/** Shows as a page why a request did not get as far as one. Nobody can ask for it from outside. */
@Controller
class RefusedController {

    @RequestMapping(RefusedRequest.PATH)
    void refused(HttpServletRequest request) throws Exception {
        throw RefusedRequest.causeOf(request);
    }
}
