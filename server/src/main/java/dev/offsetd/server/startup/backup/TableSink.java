package dev.offsetd.server.startup.backup;

import java.sql.SQLException;

/** Receives the rows of a backup, table by table. */
interface TableSink {

    /** Discards everything, for checking a file. */
    TableSink NONE = new TableSink() {
        @Override
        public void begin(String table) {}

        @Override
        public void add(byte[] buffer, int length) {}

        @Override
        public void end() {}
    };

    /** Starts a table. Tables without rows are skipped. */
    void begin(String table) throws SQLException, BackupFileException;

    void add(byte[] buffer, int length) throws SQLException;

    void end() throws SQLException, BackupFileException;
}
