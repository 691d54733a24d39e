# judges: mysql
# MATCH .. AGAINST over InnoDB: which rows, in which order, and how relevant to the last digit.
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(200), b TEXT, FULLTEXT KEY ab (a, b), FULLTEXT (a)) COLLATE utf8mb4_0900_ai_ci
INSERT INTO t VALUES (1, 'MySQL Tutorial', 'DBMS stands for DataBase ...'), (2, 'How To Use MySQL Well', 'After you went through a ...'), (3, 'Optimizing MySQL', 'In this tutorial, we show ...'), (4, '1001 MySQL Tricks', '1. Never run mysqld as root. 2. ...'), (5, 'MySQL vs. YourSQL', 'In the following database comparison ...'), (6, 'MySQL Security', 'When configured properly, MySQL ...'), (7, 'Café don''t foo_bar x-ray', NULL), (8, NULL, NULL), (9, 'apple banana cherry', 'apple apple pie')
SELECT id, MATCH (a, b) AGAINST ('database') FROM t WHERE MATCH (a, b) AGAINST ('database') ORDER BY MATCH (a, b) AGAINST ('database') DESC, id
SELECT id, MATCH (a, b) AGAINST ('MySQL database tutorial') FROM t WHERE MATCH (a, b) AGAINST ('MySQL database tutorial') ORDER BY MATCH (a, b) AGAINST ('MySQL database tutorial') DESC, id
SELECT id, MATCH (a, b) AGAINST ('mysql mysql') FROM t WHERE MATCH (a, b) AGAINST ('mysql mysql') ORDER BY MATCH (a, b) AGAINST ('mysql mysql') DESC, id
SELECT id, MATCH (a, b) AGAINST ('cafe') FROM t WHERE MATCH (a, b) AGAINST ('cafe') ORDER BY MATCH (a, b) AGAINST ('cafe') DESC, id
SELECT id, MATCH (a, b) AGAINST ('CAFÉ') FROM t WHERE MATCH (a, b) AGAINST ('CAFÉ') ORDER BY MATCH (a, b) AGAINST ('CAFÉ') DESC, id
SELECT id, MATCH (a, b) AGAINST ('don') FROM t WHERE MATCH (a, b) AGAINST ('don') ORDER BY MATCH (a, b) AGAINST ('don') DESC, id
SELECT id, MATCH (a, b) AGAINST ('dont') FROM t WHERE MATCH (a, b) AGAINST ('dont') ORDER BY MATCH (a, b) AGAINST ('dont') DESC, id
SELECT id, MATCH (a, b) AGAINST ('bar') FROM t WHERE MATCH (a, b) AGAINST ('bar') ORDER BY MATCH (a, b) AGAINST ('bar') DESC, id
SELECT id, MATCH (a, b) AGAINST ('foo_bar') FROM t WHERE MATCH (a, b) AGAINST ('foo_bar') ORDER BY MATCH (a, b) AGAINST ('foo_bar') DESC, id
SELECT id, MATCH (a, b) AGAINST ('x-ray') FROM t WHERE MATCH (a, b) AGAINST ('x-ray') ORDER BY MATCH (a, b) AGAINST ('x-ray') DESC, id
SELECT id, MATCH (a, b) AGAINST ('"mysql tutorial"') FROM t WHERE MATCH (a, b) AGAINST ('"mysql tutorial"') ORDER BY MATCH (a, b) AGAINST ('"mysql tutorial"') DESC, id
SELECT id, MATCH (a, b) AGAINST ('for the') FROM t WHERE MATCH (a, b) AGAINST ('for the') ORDER BY MATCH (a, b) AGAINST ('for the') DESC, id
SELECT id, MATCH (a, b) AGAINST ('') FROM t WHERE MATCH (a, b) AGAINST ('') ORDER BY MATCH (a, b) AGAINST ('') DESC, id
SELECT id, MATCH (a, b) AGAINST ('mysql*') FROM t WHERE MATCH (a, b) AGAINST ('mysql*') ORDER BY MATCH (a, b) AGAINST ('mysql*') DESC, id
SELECT id, MATCH (a, b) AGAINST ('+mysql -tutorial') FROM t WHERE MATCH (a, b) AGAINST ('+mysql -tutorial') ORDER BY MATCH (a, b) AGAINST ('+mysql -tutorial') DESC, id
SELECT id, MATCH (a, b) AGAINST ('apple pie') FROM t WHERE MATCH (a, b) AGAINST ('apple pie') ORDER BY MATCH (a, b) AGAINST ('apple pie') DESC, id
SELECT id, MATCH (a, b) AGAINST ('nothing') FROM t WHERE MATCH (a, b) AGAINST ('nothing') ORDER BY MATCH (a, b) AGAINST ('nothing') DESC, id
SELECT id, MATCH (a, b) AGAINST ('mysql database' WITH QUERY EXPANSION) FROM t WHERE MATCH (a, b) AGAINST ('mysql database' WITH QUERY EXPANSION) ORDER BY MATCH (a, b) AGAINST ('mysql database' WITH QUERY EXPANSION) DESC, id
SELECT id, MATCH (a, b) AGAINST ('apple' WITH QUERY EXPANSION) FROM t WHERE MATCH (a, b) AGAINST ('apple' WITH QUERY EXPANSION) ORDER BY MATCH (a, b) AGAINST ('apple' WITH QUERY EXPANSION) DESC, id
SELECT id, MATCH (a, b) AGAINST ('+MySQL -YourSQL' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('+MySQL -YourSQL' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('+MySQL -YourSQL' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('+MySQL tutorial' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('+MySQL tutorial' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('+MySQL tutorial' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('mysql ~tutorial' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('mysql ~tutorial' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('mysql ~tutorial' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('~tutorial mysql' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('~tutorial mysql' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('~tutorial mysql' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('mysql ~tutorial ~dbms' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('mysql ~tutorial ~dbms' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('mysql ~tutorial ~dbms' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('>mysql >tutorial' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('>mysql >tutorial' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('>mysql >tutorial' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('<mysql <tutorial' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('<mysql <tutorial' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('<mysql <tutorial' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('+MySQL >tutorial <security' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('+MySQL >tutorial <security' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('+MySQL >tutorial <security' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('+mysql +(>tutorial <security)' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('+mysql +(>tutorial <security)' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('+mysql +(>tutorial <security)' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('+mysql ~(tutorial security)' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('+mysql ~(tutorial security)' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('+mysql ~(tutorial security)' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('mysql (tutorial security)' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('mysql (tutorial security)' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('mysql (tutorial security)' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('mysql >(tutorial security)' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('mysql >(tutorial security)' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('mysql >(tutorial security)' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('mysql <(tutorial security)' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('mysql <(tutorial security)' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('mysql <(tutorial security)' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('+zz +tricks' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('+zz +tricks' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('+zz +tricks' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('+the tricks' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('+the tricks' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('+the tricks' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('the tricks' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('the tricks' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('the tricks' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('+tricks the' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('+tricks the' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('+tricks the' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('-the tricks' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('-the tricks' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('-the tricks' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('tut* data*' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('tut* data*' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('tut* data*' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('"data*"' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('"data*"' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('"data*"' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('"database comparison" database' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('"database comparison" database' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('"database comparison" database' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('+"database comparison"' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('+"database comparison"' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('+"database comparison"' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('-"database comparison" database' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('-"database comparison" database' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('-"database comparison" database' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('>"database comparison" database' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('>"database comparison" database' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('>"database comparison" database' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('"comparison database"' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('"comparison database"' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('"comparison database"' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('"use mysql"' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('"use mysql"' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('"use mysql"' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('"in this tutorial"' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('"in this tutorial"' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('"in this tutorial"' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('"in the following database"' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('"in the following database"' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('"in the following database"' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('"apple apple"' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('"apple apple"' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('"apple apple"' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('"apple banana cherry apple"' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('"apple banana cherry apple"' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('"apple banana cherry apple"' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('"mysql security configured"' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('"mysql security configured"' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('"mysql security configured"' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('"security mysql" @1' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('"security mysql" @1' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('"security mysql" @1' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('"security mysql" @2' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('"security mysql" @2' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('"security mysql" @2' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('"mysql properly" @5' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('"mysql properly" @5' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('"mysql properly" @5' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('"apple cherry" @2' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('"apple cherry" @2' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('"apple cherry" @2' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('"the apple" @3' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('"the apple" @3' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('"the apple" @3' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('+(mysql) +(tutorial)' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('+(mysql) +(tutorial)' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('+(mysql) +(tutorial)' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('(+mysql +tutorial) apple' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('(+mysql +tutorial) apple' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('(+mysql +tutorial) apple' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('(+mysql -tutorial) apple' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('(+mysql -tutorial) apple' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('(+mysql -tutorial) apple' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('(+mysql -tutorial) +security' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('(+mysql -tutorial) +security' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('(+mysql -tutorial) +security' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('+mysql -(+tutorial +dbms)' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('+mysql -(+tutorial +dbms)' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('+mysql -(+tutorial +dbms)' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('>mysql <mysql' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('>mysql <mysql' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('>mysql <mysql' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('mysql mysql' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('mysql mysql' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('mysql mysql' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('mysql & tutorial' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('mysql & tutorial' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('mysql & tutorial' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('mysql;apple' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('mysql;apple' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('mysql;apple' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('+mysql;apple' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('+mysql;apple' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('+mysql;apple' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('+apple.x' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('+apple.x' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('+apple.x' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('+x.apple' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('+x.apple' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('+x.apple' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('+apple.the' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('+apple.the' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('+apple.the' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('apple-pie' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('apple-pie' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('apple-pie' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('"mysql' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('"mysql' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('"mysql' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('mysql"' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('mysql"' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('mysql"' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('"" apple' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('"" apple' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('"" apple' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('+"" mysql' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('+"" mysql' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('+"" mysql' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('+"the" mysql' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('+"the" mysql' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('+"the" mysql' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('() apple' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('() apple' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('() apple' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('+1001' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('+1001' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('+1001' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('10*' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('10*' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('10*' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('mysql * tutorial' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('mysql * tutorial' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('mysql * tutorial' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('*mysql' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('*mysql' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('*mysql' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('apple%' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('apple%' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('apple%' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('tutorial (>mysql)' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('tutorial (>mysql)' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('tutorial (>mysql)' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('>tutorial +(>mysql)' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('>tutorial +(>mysql)' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('>tutorial +(>mysql)' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('>tutorial +(<mysql)' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('>tutorial +(<mysql)' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('>tutorial +(<mysql)' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('mysql ~tutorial >tutorial' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('mysql ~tutorial >tutorial' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('mysql ~tutorial >tutorial' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('"mysql tutorial" ~"dbms stands"' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('"mysql tutorial" ~"dbms stands"' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('"mysql tutorial" ~"dbms stands"' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('+(>"dbms stands" <security) +mysql' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('+(>"dbms stands" <security) +mysql' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('+(>"dbms stands" <security) +mysql' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('"apple pie" 3 mysql' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('"apple pie" 3 mysql' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('"apple pie" 3 mysql' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('+' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('+' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('+' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('+-mysql' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('+-mysql' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('+-mysql' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('(mysql' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('(mysql' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('(mysql' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('mysql @5' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('mysql @5' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('mysql @5' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('user@host' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('user@host' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('user@host' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('*' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('*' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('*' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('mysql )' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('mysql )' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('mysql )' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a, b) AGAINST ('"apple pie" @x' IN BOOLEAN MODE) FROM t WHERE MATCH (a, b) AGAINST ('"apple pie" @x' IN BOOLEAN MODE) ORDER BY MATCH (a, b) AGAINST ('"apple pie" @x' IN BOOLEAN MODE) DESC, id
# the most relevant first without being asked for, and elsewhere than in WHERE
SELECT id, MATCH (a, b) AGAINST ('mysql tutorial') AS s FROM t ORDER BY s DESC, id
SELECT id FROM t WHERE MATCH (a, b) AGAINST ('tutorial security dbms apple') ORDER BY MATCH (a, b) AGAINST ('tutorial security dbms apple') DESC LIMIT 2
SELECT COUNT(*) FROM t WHERE MATCH (a, b) AGAINST ('mysql')
SELECT id FROM t WHERE NOT MATCH (a, b) AGAINST ('mysql') ORDER BY id
SELECT id FROM t WHERE MATCH (a, b) AGAINST ('pie') OR id = 3 ORDER BY id
SELECT id FROM t WHERE MATCH (a, b) AGAINST ('mysql') AND id > 4 ORDER BY id
SELECT id FROM t WHERE MATCH (b, a) AGAINST ('dbms')
SELECT id FROM t WHERE MATCH (a) AGAINST ('dbms')
SELECT id FROM t WHERE MATCH a, b AGAINST ('dbms')
SELECT id, MATCH (a, b) AGAINST ('mysql') AS s FROM t HAVING s > 0 ORDER BY s DESC, id
SELECT x.id FROM t x JOIN t y ON x.id = y.id WHERE MATCH (x.a, x.b) AGAINST ('mysql') AND MATCH (y.a, y.b) AGAINST ('tutorial') ORDER BY x.id
SELECT id FROM (SELECT * FROM t) z WHERE MATCH (a, b) AGAINST ('apple')
SELECT id FROM t WHERE MATCH (b) AGAINST ('x')
SELECT id FROM t WHERE MATCH (a, id) AGAINST ('x')
SELECT MATCH (a, b) AGAINST ('mysql tutorial') > 0.4, COUNT(*) FROM t GROUP BY 1 ORDER BY 1
UPDATE t SET b = CONCAT(b, ' updated') WHERE MATCH (a, b) AGAINST ('tutorial')
SELECT id, MATCH (a, b) AGAINST ('updated') FROM t WHERE MATCH (a, b) AGAINST ('updated') ORDER BY id
DELETE FROM t WHERE MATCH (a, b) AGAINST ('+updated -dbms' IN BOOLEAN MODE)
SELECT id, MATCH (a, b) AGAINST ('mysql') FROM t WHERE MATCH (a, b) AGAINST ('mysql') ORDER BY 2 DESC, id
# pieces of two characters
CREATE TABLE n (id INT PRIMARY KEY, a VARCHAR(200), FULLTEXT (a) WITH PARSER ngram) COLLATE utf8mb4_0900_ai_ci
INSERT INTO n VALUES (1, '生日快乐 hello'), (2, '生日'), (3, '快乐生活'), (4, 'abcd abc'), (5, 'the cat'), (6, 'ab'), (7, 'a b'), (8, '中文分词'), (9, 'ABCD'), (10, 'x y z'), (11, 'hello world')
SELECT id, MATCH (a) AGAINST ('生日快乐') FROM n WHERE MATCH (a) AGAINST ('生日快乐') ORDER BY MATCH (a) AGAINST ('生日快乐') DESC, id
SELECT id, MATCH (a) AGAINST ('快乐') FROM n WHERE MATCH (a) AGAINST ('快乐') ORDER BY MATCH (a) AGAINST ('快乐') DESC, id
SELECT id, MATCH (a) AGAINST ('abc') FROM n WHERE MATCH (a) AGAINST ('abc') ORDER BY MATCH (a) AGAINST ('abc') DESC, id
SELECT id, MATCH (a) AGAINST ('cat') FROM n WHERE MATCH (a) AGAINST ('cat') ORDER BY MATCH (a) AGAINST ('cat') DESC, id
SELECT id, MATCH (a) AGAINST ('th') FROM n WHERE MATCH (a) AGAINST ('th') ORDER BY MATCH (a) AGAINST ('th') DESC, id
SELECT id, MATCH (a) AGAINST ('wor') FROM n WHERE MATCH (a) AGAINST ('wor') ORDER BY MATCH (a) AGAINST ('wor') DESC, id
SELECT id, MATCH (a) AGAINST ('lo wo') FROM n WHERE MATCH (a) AGAINST ('lo wo') ORDER BY MATCH (a) AGAINST ('lo wo') DESC, id
SELECT id, MATCH (a) AGAINST ('快乐' IN BOOLEAN MODE) FROM n WHERE MATCH (a) AGAINST ('快乐' IN BOOLEAN MODE) ORDER BY MATCH (a) AGAINST ('快乐' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a) AGAINST ('生日快乐' IN BOOLEAN MODE) FROM n WHERE MATCH (a) AGAINST ('生日快乐' IN BOOLEAN MODE) ORDER BY MATCH (a) AGAINST ('生日快乐' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a) AGAINST ('abc' IN BOOLEAN MODE) FROM n WHERE MATCH (a) AGAINST ('abc' IN BOOLEAN MODE) ORDER BY MATCH (a) AGAINST ('abc' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a) AGAINST ('a*' IN BOOLEAN MODE) FROM n WHERE MATCH (a) AGAINST ('a*' IN BOOLEAN MODE) ORDER BY MATCH (a) AGAINST ('a*' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a) AGAINST ('abc*' IN BOOLEAN MODE) FROM n WHERE MATCH (a) AGAINST ('abc*' IN BOOLEAN MODE) ORDER BY MATCH (a) AGAINST ('abc*' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a) AGAINST ('a' IN BOOLEAN MODE) FROM n WHERE MATCH (a) AGAINST ('a' IN BOOLEAN MODE) ORDER BY MATCH (a) AGAINST ('a' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a) AGAINST ('+cd +ab' IN BOOLEAN MODE) FROM n WHERE MATCH (a) AGAINST ('+cd +ab' IN BOOLEAN MODE) ORDER BY MATCH (a) AGAINST ('+cd +ab' IN BOOLEAN MODE) DESC, id
SELECT id, MATCH (a) AGAINST ('"ab cd"' IN BOOLEAN MODE) FROM n WHERE MATCH (a) AGAINST ('"ab cd"' IN BOOLEAN MODE) ORDER BY MATCH (a) AGAINST ('"ab cd"' IN BOOLEAN MODE) DESC, id
# words as collations compare them, and their lengths
CREATE TABLE w (id INT PRIMARY KEY, a TEXT COLLATE utf8mb4_0900_ai_ci, b TEXT COLLATE utf8mb4_bin, FULLTEXT (a), FULLTEXT (b))
INSERT INTO w VALUES (1, CONCAT(REPEAT('x', 84), ' ', REPEAT('y', 85)), 'Apple'), (2, 'ab abc', 'apple'), (3, 'The WITH und wiles', 'x'), (4, 'naïve œuvre straße', 'Straße'), (5, '日本語 テスト', 'y'), (6, 'a1b2 3.14 1,000 foo-bar', 'z'), (7, 'rock''n''roll O''Neil', NULL)
SELECT id, MATCH (a) AGAINST ('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx') FROM w WHERE MATCH (a) AGAINST ('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx') ORDER BY id
SELECT id, MATCH (a) AGAINST ('yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy') FROM w WHERE MATCH (a) AGAINST ('yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy') ORDER BY id
SELECT id, MATCH (a) AGAINST ('ab') FROM w WHERE MATCH (a) AGAINST ('ab') ORDER BY id
SELECT id, MATCH (a) AGAINST ('abc') FROM w WHERE MATCH (a) AGAINST ('abc') ORDER BY id
SELECT id, MATCH (a) AGAINST ('with') FROM w WHERE MATCH (a) AGAINST ('with') ORDER BY id
SELECT id, MATCH (a) AGAINST ('wiles') FROM w WHERE MATCH (a) AGAINST ('wiles') ORDER BY id
SELECT id, MATCH (a) AGAINST ('naive') FROM w WHERE MATCH (a) AGAINST ('naive') ORDER BY id
SELECT id, MATCH (a) AGAINST ('strasse') FROM w WHERE MATCH (a) AGAINST ('strasse') ORDER BY id
SELECT id, MATCH (a) AGAINST ('oeuvre') FROM w WHERE MATCH (a) AGAINST ('oeuvre') ORDER BY id
SELECT id, MATCH (a) AGAINST ('日本語') FROM w WHERE MATCH (a) AGAINST ('日本語') ORDER BY id
SELECT id, MATCH (a) AGAINST ('14') FROM w WHERE MATCH (a) AGAINST ('14') ORDER BY id
SELECT id, MATCH (a) AGAINST ('000') FROM w WHERE MATCH (a) AGAINST ('000') ORDER BY id
SELECT id, MATCH (a) AGAINST ('foo') FROM w WHERE MATCH (a) AGAINST ('foo') ORDER BY id
SELECT id, MATCH (a) AGAINST ('neil') FROM w WHERE MATCH (a) AGAINST ('neil') ORDER BY id
SELECT id, MATCH (b) AGAINST ('Apple') FROM w WHERE MATCH (b) AGAINST ('Apple') ORDER BY id
SELECT id, MATCH (b) AGAINST ('apple') FROM w WHERE MATCH (b) AGAINST ('apple') ORDER BY id
SELECT id, MATCH (b) AGAINST ('straße') FROM w WHERE MATCH (b) AGAINST ('straße') ORDER BY id
# definitions
CREATE TABLE e (id INT, FULLTEXT (id))
CREATE TABLE e (b BLOB, FULLTEXT (b))
CREATE TABLE e (j JSON, FULLTEXT (j))
CREATE TABLE e (a TEXT COLLATE utf8mb4_bin, b TEXT COLLATE utf8mb4_general_ci, FULLTEXT (a, b))
CREATE TABLE e (a TEXT, FULLTEXT (a DESC))
CREATE TABLE e (a VARCHAR(9), FULLTEXT ((LOWER(a))))
CREATE TABLE e (a TEXT, FULLTEXT (x))
CREATE TABLE e (a TEXT, FULLTEXT (a) WITH PARSER nono)
CREATE TEMPORARY TABLE e (a TEXT, FULLTEXT (a))
# Phrases with words that have no entries
CREATE TABLE short_words (a VARCHAR(200), b TEXT, FULLTEXT (a, b))
INSERT INTO short_words VALUES ('MySQL has now support', 'for full-text search'), ('Full-text indexes', 'are called collections'), ('Only MyISAM tables', 'support collections'), ('Function MATCH ... AGAINST()', 'is used to do a search'), ('Full-text search in MySQL', 'implements vector space model')
SELECT a FROM short_words WHERE MATCH (a, b) AGAINST ('"text i"' IN BOOLEAN MODE) ORDER BY a
SELECT a FROM short_words WHERE MATCH (a, b) AGAINST ('"full-text search"' IN BOOLEAN MODE) ORDER BY a
SELECT a FROM short_words WHERE MATCH (a, b) AGAINST ('"search in mysql"' IN BOOLEAN MODE) ORDER BY a
SELECT a FROM short_words WHERE MATCH (a, b) AGAINST ('"used to do a search"' IN BOOLEAN MODE) ORDER BY a
SELECT a FROM short_words WHERE MATCH (a, b) AGAINST ('"do a search"' IN BOOLEAN MODE) ORDER BY a
SELECT a FROM short_words WHERE MATCH (a, b) AGAINST ('"space m"' IN BOOLEAN MODE) ORDER BY a
