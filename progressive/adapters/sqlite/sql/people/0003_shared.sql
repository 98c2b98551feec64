-- How much of the log that nodes share (`--store redis://…`) stands in this file: one row, or none
-- where the file is this node's alone.
CREATE TABLE shared_place (
    number INTEGER NOT NULL, -- of the last entry
    head   TEXT    NOT NULL  -- its hash, which holds all entries before
);
