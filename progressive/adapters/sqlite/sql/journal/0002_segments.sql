-- What is older than the open part lies in files; a row here is what makes them part of the
-- journal. `body` is the segment as JSON: where it begins and ends, and the sums of its files.
CREATE TABLE segment (
    link     TEXT    NOT NULL REFERENCES link (id),
    number   INTEGER NOT NULL, -- from 1, without gaps
    last_seq INTEGER NOT NULL, -- records up to here are read from files
    body     BLOB    NOT NULL,
    PRIMARY KEY (link, number)
);

-- All saved states that no segment covers yet: a segment ends at one of them.
ALTER TABLE snapshot RENAME TO snapshot_before;

CREATE TABLE snapshot (
    link TEXT    NOT NULL REFERENCES link (id),
    seq  INTEGER NOT NULL,
    body BLOB    NOT NULL,
    PRIMARY KEY (link, seq)
);

INSERT INTO snapshot SELECT link, seq, body FROM snapshot_before;

DROP TABLE snapshot_before;
