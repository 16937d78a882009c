package dev.offsetd.server.operations.work;

import java.util.UUID;
import org.springframework.stereotype.Component;

/** Name of this run of the server, unique in the cluster and across restarts. It starts with the process id, for operators. */
@Component
public class ServerIdentity {

    private final String name = ProcessHandle.current().pid() + "-" + UUID.randomUUID();

    public String name() {
        return name;
    }
}
