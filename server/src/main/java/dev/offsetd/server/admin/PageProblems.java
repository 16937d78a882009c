package dev.offsetd.server.admin;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.RefusedRequest;
import dev.offsetd.server.web.ExceptionProblems;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.RequestIds;
import dev.offsetd.server.web.StatusProblems;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.servlet.ModelAndView;

/** Error pages. */
@Controller
@ControllerAdvice("dev.offsetd.server.admin")
@Order(Ordered.HIGHEST_PRECEDENCE)
class PageProblems {

    private final ExceptionProblems problems;

    PageProblems(ExceptionProblems problems) {
        this.problems = problems;
    }

    @ExceptionHandler(Exception.class)
    ModelAndView page(Exception e, HttpServletRequest request, HttpServletResponse response) {
        Problem problem = problem(e, request);
        problem.headers().forEach(response::setHeader);
        return new ModelAndView("admin/problem/page", PageFrame.attributes(request), problem.status())
                .addObject("problem", problem)
                .addObject("requestId", RequestIds.of(request));
    }

    private Problem problem(Exception e, HttpServletRequest request) {
        if (e instanceof ErrorResponse response) {
            HttpStatus status = HttpStatus.resolve(response.getStatusCode().value());
            if (status != null && status.is4xxClientError()) {
                return StatusProblems.of(status, response.getBody().getDetail());
            }
        }
        return problems.of(e, request.getMethod(), request.getRequestURI());
    }

    /** Answers paths that no page has. */
    @RequestMapping("/admin/**")
    void nothing(HttpServletRequest request) {
        throw new ProblemException(StatusProblems.of(
                HttpStatus.NOT_FOUND, "no page has the path " + HostileText.quote(request.getRequestURI())));
    }

    /** Renders the cause of a {@link RefusedRequest}. Clients cannot request it. */
    @RequestMapping(RefusedRequest.PATH)
    void refused(HttpServletRequest request) throws Exception {
        throw RefusedRequest.causeOf(request);
    }
}
