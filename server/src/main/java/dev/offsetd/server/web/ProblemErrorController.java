package dev.offsetd.server.web;

import dev.offsetd.extractor.input.HostileText;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Renders errors that the servlet container dispatches, which occur outside of controllers. */
@RestController
class ProblemErrorController implements ErrorController {

    @RequestMapping("${server.error.path:/error}")
    ResponseEntity<Object> error(HttpServletRequest request) {
        Object path = request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI);
        if (request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) instanceof Integer code) {
            HttpStatus status = HttpStatus.resolve(code);
            return ProblemBody.answer(
                    StatusProblems.of(status != null ? status : HttpStatus.INTERNAL_SERVER_ERROR, null),
                    path instanceof String text ? text : null,
                    request);
        }
        // A client requested the error path itself.
        return ProblemBody.answer(
                StatusProblems.of(
                        HttpStatus.NOT_FOUND, "nothing is served at " + HostileText.quote(request.getRequestURI())),
                request.getRequestURI(),
                request);
    }
}
