-- The indexes hold all that queries ask for, because columns stand behind the long records in the
-- table. Few traces are labelled: their index holds no others. In the outbox nobody looks for
-- anything, how many bytes wait is added up in an index, not by reading them.
CREATE TABLE traces (
    place INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    tenant TEXT NOT NULL,
    action TEXT NOT NULL,
    guards TEXT NOT NULL,
    expires_ms INTEGER NOT NULL,
    record TEXT NOT NULL,
    codes TEXT NOT NULL,
    door TEXT NOT NULL,
    started_ms INTEGER NOT NULL,
    label TEXT
);
CREATE INDEX traces_by_age ON traces (expires_ms);
CREATE INDEX traces_of_tenant
    ON traces (tenant, place, expires_ms, started_ms, action, guards, codes, door);
CREATE INDEX traces_of_all
    ON traces (place, expires_ms, started_ms, action, guards, codes, door);
CREATE INDEX traces_labelled
    ON traces (place, label, tenant, expires_ms, started_ms, action, guards, codes, door)
    WHERE label IS NOT NULL;
CREATE TABLE tallies (
    tenant TEXT NOT NULL,
    per TEXT NOT NULL,
    start_ms INTEGER NOT NULL,
    expires_ms INTEGER NOT NULL,
    counts TEXT NOT NULL,
    PRIMARY KEY (tenant, per, start_ms)
) WITHOUT ROWID;
CREATE INDEX tallies_by_age ON tallies (expires_ms);
CREATE TABLE outbox (
    place INTEGER NOT NULL,
    id TEXT NOT NULL PRIMARY KEY,
    expires_ms INTEGER NOT NULL,
    keep_days REAL NOT NULL,
    keep_last INTEGER NOT NULL,
    record TEXT NOT NULL,
    bytes INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX outbox_in_order ON outbox (place, bytes)
