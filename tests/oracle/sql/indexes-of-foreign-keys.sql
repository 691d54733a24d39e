# judges: mysql
# Which indexes serve a foreign key, and go when another one serves it
CREATE TABLE parents (id INT PRIMARY KEY)
CREATE TABLE children (id INT PRIMARY KEY, a INT NOT NULL, t VARCHAR(20), CONSTRAINT of_parent FOREIGN KEY (a) REFERENCES parents (id))
CREATE INDEX falling ON children (a DESC, (LOWER(t)))
DROP INDEX falling ON children
CREATE INDEX falling ON children (a DESC)
DROP INDEX falling ON children
CREATE INDEX rising ON children (a, t DESC)
SELECT index_name, column_name FROM information_schema.statistics WHERE table_name = 'children' ORDER BY 1, seq_in_index
DROP INDEX rising ON children
CREATE INDEX own ON children (a)
DROP INDEX rising ON children
SELECT index_name, column_name FROM information_schema.statistics WHERE table_name = 'children' ORDER BY 1, seq_in_index
CREATE TABLE others (id INT PRIMARY KEY, a INT, KEY falling (a DESC), CONSTRAINT of_other FOREIGN KEY (a) REFERENCES parents (id))
SELECT index_name FROM information_schema.statistics WHERE table_name = 'others' ORDER BY 1
ALTER TABLE others DROP KEY falling
