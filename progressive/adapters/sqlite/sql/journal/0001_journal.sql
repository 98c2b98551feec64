-- The journal. A batch of records is one row: a commit costs the same for one round as for a
-- hundred. `body` is the records as they were hashed, one JSON line each, so that the sqlite3
-- shell can show a journal without this program.
CREATE TABLE link (
    id    TEXT PRIMARY KEY,
    epoch INTEGER NOT NULL, -- who may append: only the newest
    seq   INTEGER NOT NULL, -- last record
    head  TEXT    NOT NULL  -- SHA-256 of the last record
);

CREATE TABLE batch (
    link      TEXT    NOT NULL REFERENCES link (id),
    first_seq INTEGER NOT NULL,
    last_seq  INTEGER NOT NULL,
    epoch     INTEGER NOT NULL,
    body      BLOB    NOT NULL,
    PRIMARY KEY (link, first_seq)
);

-- A saved state per link: what a start replays from. The journal holds its digest.
CREATE TABLE snapshot (
    link TEXT PRIMARY KEY REFERENCES link (id),
    seq  INTEGER NOT NULL,
    body BLOB    NOT NULL
);
