# judges: mysql
# Regular expressions: classes of letters by name are those of all of Unicode
SELECT 'ü' REGEXP '^[[:alpha:]]+$', 'Ü' REGEXP '^[[:upper:]]$' COLLATE utf8mb4_bin, 'ü' REGEXP '^[[:lower:]]$' COLLATE utf8mb4_bin, '٣' REGEXP '[[:digit:]]', 'é' REGEXP '[[:alnum:]]'
SELECT ' ' REGEXP '[[:space:]]', '—' REGEXP '[[:punct:]]', '+' REGEXP '[[:punct:]]', 'ü' REGEXP '\\w', '٣' REGEXP '\\d'
SELECT 'x' REGEXP '[^[:alpha:]]', 'ü' REGEXP '[^[:alpha:]]', 'ü' REGEXP '[[:alpha:][:digit:]]', '3' REGEXP '[_[:digit:]]', '-' REGEXP '[[:alpha:]-]'
SELECT 'F' REGEXP '[[:xdigit:]]', 'g' REGEXP '[[:xdigit:]]', '\t' REGEXP '[[:blank:]]', '\n' REGEXP '[[:blank:]]', '\n' REGEXP '[[:cntrl:]]', 'ü' REGEXP '[[:graph:]]', ' ' REGEXP '[[:graph:]]', ' ' REGEXP '[[:print:]]'
SELECT REGEXP_REPLACE('Straße 12, Köln', '[[:alpha:]]+', 'x'), REGEXP_SUBSTR('12 Äpfel', '[[:alpha:]]+'), REGEXP_INSTR('12 Äpfel', '[[:upper:]]')
SELECT 'a[b' REGEXP '\\[[[:alpha:]]', 'a]' REGEXP '[]a]]', 'ab' REGEXP '[[:ALPHA:]]{2}'
