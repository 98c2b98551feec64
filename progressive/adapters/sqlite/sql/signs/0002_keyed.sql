-- Whether the sign had a key: what anybody may write is what a full log gives up first. Blocks of
-- before this column count as keyed: nothing is known against them.
ALTER TABLE block ADD COLUMN keyed INTEGER NOT NULL DEFAULT 1;

CREATE INDEX block_anonymous ON block (keyed) WHERE keyed = 0;
