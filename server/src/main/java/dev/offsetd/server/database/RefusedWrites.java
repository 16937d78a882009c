package dev.offsetd.server.database;

import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.SQLException;

/** Closes a connection on which a write was refused: it leads to a standby, and a new one may lead to the primary. */
public class RefusedWrites implements SQLExceptionOverride {

    // The interface has a member type Override.
    @java.lang.Override
    public Override adjudicate(SQLException e) {
        return DatabaseProblems.isStandby(e) ? Override.MUST_EVICT : Override.CONTINUE_EVICT;
    }
}
