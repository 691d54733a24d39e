# Texts of other character sets: introducers, conversions, and functions that look at bytes.
SELECT HEX(_latin1 X'E4'), _latin1 X'E4', CHAR_LENGTH(_latin1 X'E4'), LENGTH(_latin1 X'E4'), CHARSET(_latin1 X'E4')
SELECT CHAR(228 USING latin1), HEX(CHAR(228 USING latin1)), CONVERT('ä' USING latin1), HEX(CONVERT('ä' USING latin1))
SELECT HEX(CONVERT('aä' USING utf16)), LENGTH(CONVERT('aä' USING utf16)), CHAR_LENGTH(CONVERT('aä' USING utf16)), CONVERT('aä' USING utf16)
SELECT CHAR_LENGTH(_utf8mb4 0xD0B1), _utf8mb4 0xD0B1, _utf8mb4 X'D0B1' = 'б'
SELECT _utf16 X'00E4', _utf16 X'E4', HEX(_utf16 X'E4'), _ucs2 X'0041', _utf32 X'41', _utf16le X'E400'
SELECT CONVERT(X'E4' USING latin1), CONVERT('ж' USING latin1), HEX(CONVERT('ж' USING latin1))
SELECT CAST('ä' AS CHAR CHARACTER SET latin1), HEX(CAST('ä' AS CHAR(1) CHARACTER SET latin1))
SELECT _latin1'abc', _ascii'abc', _cp1251 X'E6', HEX(UPPER(CONVERT('ä' USING latin1))), MD5(_latin1 X'E4')
SELECT HEX(CONCAT(_latin1 X'E4', _latin1 X'E4')), HEX(CONCAT(_latin1 X'E4', 'ä')), HEX(CAST(CONVERT('ä' USING utf16) AS BINARY))
SELECT 'ä' = _latin1 X'E4', _latin1 X'C4' = _latin1 X'E4', ASCII(_latin1 X'E4'), ORD(CONVERT('ä' USING latin1))
SELECT CONVERT(NULL USING latin1), CONVERT(12 USING utf16), HEX(CONVERT(12 USING utf16)), HEX(CONVERT(12 USING latin1))
SELECT _utf8mb4 X'E4'
SET NAMES utf16
SET NAMES latin1
SELECT @@character_set_client, @@character_set_results, @@character_set_connection
SET NAMES utf8mb4
CREATE TABLE texts (id INT PRIMARY KEY, a VARCHAR(10), b VARBINARY(10)) CHARSET utf8mb4
INSERT INTO texts VALUES (1, _latin1 X'E4', _latin1 X'E4'), (2, CONVERT(X'F6' USING latin1), 'ö')
SELECT id, a, HEX(a), HEX(b) FROM texts ORDER BY id
SELECT id FROM texts WHERE a = _latin1 X'C4' ORDER BY id
