CREATE TABLE reading (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  station TEXT NOT NULL,
  at TEXT NOT NULL,
  celsius REAL CHECK (celsius > -90 AND celsius < 60),
  quality INTEGER CHECK (quality IN (0, 1, 2)),
  UNIQUE (station, at)
);
