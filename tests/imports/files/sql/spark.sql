CREATE TABLE IF NOT EXISTS visits (
  visit_id BIGINT NOT NULL,
  patient STRING NOT NULL,
  admitted DATE,
  discharged DATE
) USING DELTA;
ALTER TABLE visits ADD CONSTRAINT order_of_dates CHECK (discharged >= admitted);
ALTER TABLE visits ADD CONSTRAINT known_patient CHECK (patient RLIKE '^P[0-9]+$');
