-- Who made an account, what nobody has confirmed yet, and log-ins that are slowed by name and place.
ALTER TABLE person ADD COLUMN origin TEXT NOT NULL DEFAULT 'first'; -- first, administrator, machine
ALTER TABLE person ADD COLUMN unconfirmed TEXT;    -- what was done at the machine: add, role, …
ALTER TABLE person ADD COLUMN unconfirmed_at TEXT;
ALTER TABLE person ADD COLUMN unconfirmed_by TEXT; -- the command line and its user

-- One row. `set_up`: when an administrator first signed in; from then on an account that is made or
-- changed at the machine needs a colleague's word. A demo's folder is never set up.
CREATE TABLE house (
    set_up TEXT,
    demo   INTEGER NOT NULL
);
INSERT INTO house SELECT
    CASE WHEN EXISTS (SELECT 1 FROM person WHERE role = 'admin') THEN 'earlier' END,
    EXISTS (SELECT 1 FROM person) AND NOT EXISTS (SELECT 1 FROM person WHERE key NOT LIKE 'demo-%');
UPDATE house SET set_up = NULL WHERE demo;

-- Bad tries by person and lane (a browser, an address, all strangers). `free_at`: when the last of
-- them is forgotten. The columns bad_tries and locked_until of `person` are of the former version:
-- nothing sets them any more, and a lock that has not run out still holds.
CREATE TABLE log_in_lane (
    person  TEXT NOT NULL REFERENCES person (key),
    lane    TEXT NOT NULL,
    free_at TEXT NOT NULL,
    PRIMARY KEY (person, lane)
);

-- Browsers (the hash of a cookie) and addresses where somebody has signed in.
CREATE TABLE familiar (
    person TEXT NOT NULL REFERENCES person (key),
    mark   TEXT NOT NULL,
    at     TEXT NOT NULL,
    PRIMARY KEY (person, mark)
);
CREATE INDEX familiar_by_age ON familiar (at);
