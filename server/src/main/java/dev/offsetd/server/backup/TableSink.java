package dev.offsetd.server.backup;

import java.sql.SQLException;

/** Takes the rows of a backup, one table after the other. */
interface TableSink {

    /** Takes nothing: for a look at the file alone. */
    TableSink NONE = new TableSink() {
        @Override
        public void begin(String table) {}

        @Override
        public void add(byte[] buffer, int length) {}

        @Override
        public void end() {}
    };

    /** A table begins; one without rows is passed over. */
    void begin(String table) throws SQLException, BackupFileException;

    /** The next bytes of its rows. */
    void add(byte[] buffer, int length) throws SQLException;

    /** The table has ended. */
    void end() throws SQLException, BackupFileException;
}
