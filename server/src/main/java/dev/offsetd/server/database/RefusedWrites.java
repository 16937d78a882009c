package dev.offsetd.server.database;

import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.SQLException;

/** Closes a connection on which a write was refused: it leads to a standby, and a new one may lead to the primary. */
public class RefusedWrites implements SQLExceptionOverride {

    // The interface has a member type Override.
    @java.lang.Override
    public Override adjudicate(SQLException e) {
        return isStandby(e) ? Override.MUST_EVICT : Override.CONTINUE_EVICT;
    }

    /** Returns whether the database refused a write because it is a standby. */
    public static boolean isStandby(SQLException e) {
        return "25006".equals(e.getSQLState());
    }
}
