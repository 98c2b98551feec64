-- What the signs read. A file of its own: nothing here is money, and no wager waits for it.

-- Five minutes of one sign, packed (adapters/sqlite/sign_blocks.py).
CREATE TABLE block (
    sign TEXT NOT NULL,
    link TEXT NOT NULL,
    first_ms INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    body BLOB NOT NULL
);

CREATE INDEX block_of_sign ON block (sign, first_ms);

-- What came since the last blocks were made, a row a second for all signs, so that a crash loses
-- seconds and not minutes. Emptied in the transaction that stores the blocks made of it.
CREATE TABLE tail (
    id INTEGER PRIMARY KEY,
    body BLOB NOT NULL
);
