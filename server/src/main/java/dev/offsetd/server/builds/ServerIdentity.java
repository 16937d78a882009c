package dev.offsetd.server.builds;

import java.util.UUID;
import org.springframework.stereotype.Component;

/** Tells this server from all others, and from itself before a restart. The process id is there for people. */
@Component
public class ServerIdentity {

    private final String name = ProcessHandle.current().pid() + "-" + UUID.randomUUID();

    /** The name. */
    public String name() {
        return name;
    }
}
