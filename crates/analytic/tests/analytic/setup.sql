CREATE TABLE person (
  id INT NOT NULL,
  name VARCHAR(20),
  city CHAR(12),
  age TINYINT UNSIGNED,
  pay DECIMAL(10,2),
  score DOUBLE,
  born DATE,
  seen DATETIME,
  kind ENUM('red','green','blue'),
  code VARCHAR(10) COLLATE utf8mb4_bin,
  PRIMARY KEY (id),
  KEY age (age),
  KEY name (name, city)
);
CREATE TABLE orders (
  id INT NOT NULL,
  person_id INT,
  what VARCHAR(30),
  quantity INT NOT NULL,
  price DECIMAL(8,2),
  at TIMESTAMP NULL,
  PRIMARY KEY (id),
  KEY person_id (person_id),
  KEY what (what)
);
CREATE TABLE edge (
  a INT NOT NULL,
  b INT NOT NULL,
  weight BIGINT UNSIGNED,
  PRIMARY KEY (a, b)
);
CREATE TABLE empty (
  id INT NOT NULL,
  v VARCHAR(10),
  PRIMARY KEY (id)
);
INSERT INTO person VALUES
  (1, 'Ann', 'Oslo', 30, 100.50, 1.5, '1990-01-02', '2024-01-01 10:00:00', 'red', 'aa'),
  (2, 'ann', 'oslo', 31, 200.25, 2.5, '1991-02-03', '2024-01-02 10:00:00', 'green', 'AA'),
  (3, 'Bob', 'Rome', 30, NULL, -0.25, '1992-03-04', NULL, 'blue', 'b'),
  (4, 'bob', 'Paris', 40, 50, NULL, NULL, '2024-02-01 00:00:00', 'red', 'B'),
  (5, NULL, 'Rome', NULL, 75.25, 0, '2000-02-29', '2024-03-01 12:30:00', NULL, 'c'),
  (6, 'Émile', 'Paris', 22, 310.00, 1000000.125, '1999-12-31', '2023-12-31 23:59:59', 'blue', 'é'),
  (7, 'Emile', 'PARIS', 67, 0.99, 3.5, '1957-05-05', '2024-03-01 12:30:01', 'green', 'e'),
  (8, 'Zoe', NULL, 18, 12.00, 1e-5, '2006-07-08', '2024-05-05 05:05:05', 'red', 'Z'),
  (9, 'Bo', 'Rome', 30, 99.99, 7, '1993-09-10', '2024-01-31 08:00:00', 'green', 'z'),
  (10, 'O''Hara', 'Oslo', 45, 100.50, 2.25, '1979-11-11', '2024-06-01 00:00:00', 'blue', 'x y');
INSERT INTO orders VALUES
  (1, 1, 'Chair', 2, 10.50, '2024-01-05 09:00:00'),
  (2, 1, 'table', 1, 120.00, '2024-01-05 09:30:00'),
  (3, 2, 'chair', 4, 10.50, '2024-02-05 10:00:00'),
  (4, 3, 'Lamp', 1, 35.75, '2024-02-06 11:00:00'),
  (5, 3, 'lamp', 3, 33.00, '2024-03-07 12:00:00'),
  (6, 4, 'Rug', 1, NULL, '2024-03-08 13:00:00'),
  (7, 6, 'Table', 2, 115.25, NULL),
  (8, 6, 'Sofa', 1, 899.99, '2024-04-01 14:00:00'),
  (9, 9, 'Chair', 6, 9.99, '2024-04-02 15:00:00'),
  (10, NULL, 'Mirror', 1, 60.00, '2024-05-03 16:00:00'),
  (11, 99, 'Desk', 1, 250.00, '2024-05-04 17:00:00'),
  (12, 10, 'Lamp', 2, 35.75, '2024-05-05 18:00:00');
INSERT INTO edge VALUES
  (1, 2, 5), (1, 3, 7), (2, 4, 1), (3, 4, 2), (4, 5, 18446744073709551615), (5, 6, 0), (7, 8, NULL);
