# DISTINCT over joins: where the tables' unique keys tell that no two rows are equal, and where they do not.
CREATE TABLE u (id INT PRIMARY KEY, name VARCHAR(10) NOT NULL, nick VARCHAR(10), boss INT, kind TINYINT NOT NULL, UNIQUE KEY (name), UNIQUE KEY (nick), KEY (boss))
INSERT INTO u WITH RECURSIVE r AS (SELECT 1 i UNION ALL SELECT i+1 FROM r WHERE i<60) SELECT i, CONCAT('n', i), IF(i%4=0, NULL, CONCAT('k', i)), IF(i%5=0, NULL, i%7+1), i%3 FROM r
CREATE TABLE g (id INT PRIMARY KEY, title VARCHAR(10) NOT NULL)
INSERT INTO g SELECT id, CONCAT('g', id % 4) FROM u WHERE id <= 8
CREATE TABLE m (id INT PRIMARY KEY AUTO_INCREMENT, u INT NOT NULL, g INT NOT NULL, UNIQUE KEY (u, g), KEY (g))
INSERT INTO m (u, g) SELECT u.id, g.id FROM u JOIN g ON (u.id + g.id) % 3 = 0
CREATE TABLE l (u INT, at DATE, what VARCHAR(5) NOT NULL, UNIQUE KEY (u, at))
INSERT INTO l SELECT id % 20, NULL, 'a' FROM u
INSERT IGNORE INTO l SELECT id % 25, '2024-01-01' + INTERVAL id % 2 DAY, 'b' FROM u ORDER BY id
CREATE TABLE w (code VARCHAR(8) PRIMARY KEY, n INT NOT NULL, big BIGINT UNSIGNED NOT NULL, d DECIMAL(6,2) NOT NULL, UNIQUE KEY (big), UNIQUE KEY (d))
INSERT INTO w SELECT CONCAT(IF(id%2=0, 'N', 'n'), id), id % 9, 9007199254740990 + id, id / 4 FROM u
# none are equal
SELECT DISTINCT u.* FROM u JOIN m ON m.u = u.id WHERE m.g = 5 ORDER BY u.name LIMIT 7
SELECT DISTINCT u.id, u.name FROM u JOIN m ON u.id = m.u AND m.g = 2 WHERE u.kind = 1 ORDER BY u.id DESC LIMIT 5
SELECT DISTINCT u.name FROM u JOIN m ON m.u = u.id WHERE m.g = 5 AND u.kind < 2 ORDER BY 1
SELECT DISTINCT m.id FROM m JOIN u ON u.id = m.u JOIN g ON g.id = m.g ORDER BY m.id LIMIT 3, 4
SELECT DISTINCT m.u, m.g FROM m JOIN u ON u.id = m.u ORDER BY m.u, m.g LIMIT 9
SELECT DISTINCT u.id, b.name FROM u LEFT JOIN u b ON b.id = u.boss ORDER BY u.id
SELECT DISTINCT u.id FROM u LEFT JOIN u b ON b.id = u.boss LEFT JOIN u c ON c.id = b.boss ORDER BY u.id LIMIT 10
SELECT DISTINCT u.id FROM u LEFT JOIN (m JOIN g ON g.id = m.g) ON m.u = u.id AND m.g = 3 ORDER BY u.id
SELECT DISTINCT u.id, x.n FROM u JOIN w x ON x.code = u.name ORDER BY u.id LIMIT 8
SELECT DISTINCT u.id FROM u JOIN w ON w.big = u.id + 9007199254740990 ORDER BY 1
SELECT SQL_CALC_FOUND_ROWS DISTINCT u.id, u.name FROM u JOIN m ON m.u = u.id WHERE m.g = 1 ORDER BY u.name LIMIT 2
SELECT FOUND_ROWS()
SELECT COUNT(*) FROM (SELECT DISTINCT u.* FROM u JOIN m ON m.u = u.id WHERE m.g = 5) x
SELECT DISTINCT id FROM u WHERE kind = 1 ORDER BY id DESC LIMIT 3
SELECT DISTINCT id, kind FROM u ORDER BY kind, id LIMIT 5
# some are
SELECT DISTINCT u.id FROM u JOIN m ON m.u = u.id ORDER BY u.id
SELECT DISTINCT u.id FROM u JOIN m ON m.u = u.id WHERE m.g > 5 ORDER BY u.id
SELECT DISTINCT u.id FROM u JOIN m ON m.u = u.id AND m.g IN (1, 4) ORDER BY u.id
SELECT DISTINCT u.nick FROM u ORDER BY 1
SELECT DISTINCT u.kind, m.g FROM u JOIN m ON m.u = u.id ORDER BY 1, 2
SELECT DISTINCT g.title FROM g JOIN m ON m.g = g.id WHERE m.u = 7 ORDER BY 1
SELECT DISTINCT m.g FROM m JOIN u ON u.id = m.u WHERE u.kind = 1 ORDER BY 1
SELECT DISTINCT u.id, l.what FROM u JOIN l ON l.u = u.id WHERE l.at IS NULL ORDER BY 1, 2
SELECT DISTINCT u.id FROM u JOIN l ON l.u = u.id WHERE l.at = '2024-01-02' ORDER BY 1
SELECT DISTINCT u, at FROM l ORDER BY 1, 2
SELECT DISTINCT b.id FROM u LEFT JOIN u b ON b.id = u.boss ORDER BY b.id
SELECT DISTINCT b.id, b.name FROM u JOIN u b ON b.id = u.boss ORDER BY b.id
SELECT DISTINCT u.id FROM u LEFT JOIN m ON m.u = u.id AND m.g > 4 ORDER BY u.id
SELECT DISTINCT u.id FROM u JOIN w ON w.code = u.id ORDER BY u.id
SELECT DISTINCT u.id FROM u JOIN w ON u.name = BINARY w.code ORDER BY u.id
SELECT DISTINCT w.n FROM w JOIN u ON u.name = w.code ORDER BY 1
SELECT DISTINCT u.id FROM u JOIN w ON w.d = u.id * 0.25 ORDER BY 1 LIMIT 9
SELECT DISTINCT u.id FROM u JOIN w ON w.d = u.id / 4e0 ORDER BY 1 LIMIT 9
SELECT DISTINCT u.id FROM u LEFT JOIN m ON m.u = u.id LEFT JOIN g ON g.id = m.g ORDER BY u.id LIMIT 6
SELECT DISTINCT u.id FROM u, g WHERE u.kind = 1 ORDER BY u.id LIMIT 6
SELECT DISTINCT g.id, (SELECT COUNT(DISTINCT x.kind) FROM u x JOIN m y ON y.u = x.id WHERE y.g = g.id) c FROM g ORDER BY g.id
SELECT DISTINCT u.id + 0 FROM u JOIN m ON m.u = u.id ORDER BY 1 LIMIT 5
SELECT DISTINCT kind, COUNT(*) FROM u GROUP BY kind, boss ORDER BY 1, 2
DROP TABLE u, g, m, l, w
