-- People, their sessions, what they did, and what they were answered. `key` is the name as it is
-- compared: two spellings of one name are one person.
CREATE TABLE person (
    key          TEXT PRIMARY KEY,
    name         TEXT    NOT NULL,
    role         TEXT    NOT NULL,
    department   TEXT    NOT NULL,
    password     TEXT    NOT NULL, -- argon2id, with its parameters
    disabled     INTEGER NOT NULL DEFAULT 0,
    bad_tries    INTEGER NOT NULL DEFAULT 0,
    locked_until TEXT
);

CREATE TABLE session (
    token_sha256 TEXT PRIMARY KEY, -- the token itself is kept nowhere
    person       TEXT NOT NULL REFERENCES person (key),
    opened_at    TEXT NOT NULL,
    used_at      TEXT NOT NULL,
    ended        TEXT              -- why, where it did not end by time
);
CREATE INDEX session_of_person ON session (person);
CREATE INDEX session_by_age ON session (opened_at);

-- `body` is the record as it was hashed, one JSON line.
CREATE TABLE act (
    seq  INTEGER PRIMARY KEY,
    body BLOB NOT NULL
);
CREATE TRIGGER act_is_never_changed BEFORE UPDATE ON act
BEGIN SELECT RAISE(ABORT, 'the act log is append-only'); END;
CREATE TRIGGER act_is_never_removed BEFORE DELETE ON act
BEGIN SELECT RAISE(ABORT, 'the act log is append-only'); END;

-- Where the log ends: a log that lost its tail is found out.
CREATE TABLE act_head (
    seq  INTEGER NOT NULL,
    head TEXT    NOT NULL
);
INSERT INTO act_head VALUES (0, '0000000000000000000000000000000000000000000000000000000000000000');

-- The same request under the same key gets the same answer again.
CREATE TABLE answer (
    person         TEXT    NOT NULL,
    key            TEXT    NOT NULL,
    at             TEXT    NOT NULL,
    request_sha256 TEXT    NOT NULL,
    status         INTEGER NOT NULL,
    body           BLOB    NOT NULL,
    PRIMARY KEY (person, key)
);
CREATE INDEX answer_by_age ON answer (at);
