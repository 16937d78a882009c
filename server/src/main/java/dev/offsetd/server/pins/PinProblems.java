package dev.offsetd.server.pins;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.web.Precondition;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.springframework.http.HttpStatus;

/** Why a pin is refused. */
final class PinProblems {

    private PinProblems() {}

    /** A draft that no build could have: 400. */
    static ProblemException bad(List<Finding> findings) {
        return refused(HttpStatus.BAD_REQUEST, "bad_pin", "The pin cannot be taken", findings);
    }

    static ProblemException bad(String place, String message) {
        return bad(List.of(new Finding(place, message)));
    }

    /** A draft that its build cannot have: 422. */
    static ProblemException doesNotFit(List<Finding> findings) {
        return refused(HttpStatus.UNPROCESSABLE_CONTENT, "pin_does_not_fit", "The pin does not fit", findings);
    }

    private static ProblemException refused(HttpStatus status, String code, String title, List<Finding> findings) {
        return new ProblemException(Problem.of(
                        status,
                        code,
                        title,
                        findings.stream().map(Finding::message).collect(Collectors.joining("; also ")))
                .with("place", findings.getFirst().place())
                .with("errors", findings));
    }

    /** Another pin has an effect on the same item: 409. */
    static ProblemException exists(BuildId build, String item, UUID other) {
        return new ProblemException(Problem.of(
                        HttpStatus.CONFLICT,
                        "pin_exists",
                        "The item is pinned already",
                        existsDetail(build, item, other))
                .with("pin", other.toString()));
    }

    static String existsDetail(BuildId build, String item, UUID other) {
        return "item " + HostileText.quote(item) + " of build " + build + " has the active pin " + other
                + "; expected to edit or retire it";
    }

    /** The pin's time is over: 409. */
    static ProblemException expired(Pin pin) {
        return new ProblemException(Problem.of(
                HttpStatus.CONFLICT,
                "pin_expired",
                "The pin's time is over",
                "pin " + pin.id() + " expired at " + pin.draft().expiresAt()
                        + "; expected to edit it first, with an expiry in the future or none"));
    }

    /** Somebody else has changed the pin: 412. */
    static ProblemException stale(int expected, Pin pin) {
        return Precondition.stale(
                "pin",
                "revision " + expected + " of pin " + pin.id() + " is not the latest; expected " + pin.revision()
                        + ", by " + pin.editedBy());
    }

    /** There is no such pin: 404. */
    static ProblemException notFound(String id) {
        return new ProblemException(
                Problem.of(HttpStatus.NOT_FOUND, "pin_not_found", "No such pin", "no pin has the id " + id));
    }
}
