//! The table of functions: one row for each, of which everything else about functions is made.
//!
//! A row is
//! `Variant ["NAME", further names] how many arguments, shape of the result, what computes it, facts;`
//! (`definition` says what the words mean). `function` makes the enum of it, `registry` the
//! definitions.
//!
//! Invariants
//! 1. What is true of a function stands here and nowhere else: a list of functions in other code is
//!    a row's fact that is missing.
//!
//! Not here: aggregates and window functions (crate `sql`, `tree`), forms that the binder takes
//! apart (`DATE_ADD`, `CAST`; crate `sql`, `bind`).

/// Hands all rows to a macro.
macro_rules! each_function {
    ($define:ident) => {
        $define! {
            Text {
                Concat ["CONCAT"] from(1), By(result::text), NotNull(text::calls::call);
                ConcatWs ["CONCAT_WS"] from(2), By(result::joined), Values(text::calls::concat_ws);
                Length ["LENGTH", "OCTET_LENGTH", "LENGTHB"] exactly(1), Int, NotNull(text::calls::call),
                    NULL_FOR_NULL | SEES_BYTES;
                CharLength ["CHAR_LENGTH", "CHARACTER_LENGTH"] exactly(1), Int, NotNull(text::calls::call),
                    NULL_FOR_NULL;
                BitLength ["BIT_LENGTH"] exactly(1), Int, NotNull(text::calls::call), NULL_FOR_NULL | SEES_BYTES;
                Lower ["LOWER", "LCASE"] exactly(1), By(result::text), NotNull(text::calls::call),
                    NULL_FOR_NULL;
                Upper ["UPPER", "UCASE"] exactly(1), By(result::text), NotNull(text::calls::call),
                    NULL_FOR_NULL;
                Left ["LEFT"] exactly(2), By(result::start), NotNull(text::calls::call),
                    NULL_FOR_NULL | NUMBER_1;
                Right ["RIGHT"] exactly(2), By(result::start), NotNull(text::calls::call),
                    NULL_FOR_NULL | NUMBER_1;
                Substring ["SUBSTRING", "SUBSTR", "MID"] between(2, 3), By(result::middle), NotNull(text::calls::call),
                    NULL_FOR_NULL | NUMBER_1 | NUMBER_2;
                SubstringIndex ["SUBSTRING_INDEX"] exactly(3), By(result::text), NotNull(text::calls::call),
                    NULL_FOR_NULL | NUMBER_2;
                Trim ["TRIM"] between(1, 2), By(result::text), NotNull(text::calls::call),
                    NULL_FOR_NULL;
                TrimLeading ["LTRIM"] between(1, 2), By(result::text), NotNull(text::calls::call),
                    NULL_FOR_NULL;
                TrimTrailing ["RTRIM"] between(1, 2), By(result::text), NotNull(text::calls::call),
                    NULL_FOR_NULL;
                Replace ["REPLACE"] exactly(3), By(result::replaced), NotNull(text::calls::call);
                Reverse ["REVERSE"] exactly(1), By(result::text), NotNull(text::calls::call),
                    NULL_FOR_NULL;
                Repeat ["REPEAT"] exactly(2), By(result::repeated), NotNull(text::calls::call),
                    NUMBER_1;
                Space ["SPACE"] exactly(1), By(result::blanks), NotNull(text::calls::call), NUMBER_0;
                PadLeft ["LPAD"] between(2, 3), By(result::padded), NotNull(text::calls::call),
                    NUMBER_1;
                PadRight ["RPAD"] between(2, 3), By(result::padded), NotNull(text::calls::call),
                    NUMBER_1;
                Locate ["LOCATE", "POSITION"] between(2, 3), Int, NotNull(text::calls::call),
                    NULL_FOR_NULL | NUMBER_2;
                Instr ["INSTR"] exactly(2), Int, NotNull(text::calls::call), NULL_FOR_NULL;
                InsertText ["INSERT"] exactly(4), By(result::text), NotNull(text::calls::call),
                    NUMBER_1 | NUMBER_2;
                Hex ["HEX"] exactly(1), By(result::digits_text), NotNull(text::calls::call),
                    NULL_FOR_NULL | SEES_BYTES | AS_LITERAL;
                Unhex ["UNHEX"] exactly(1), Bytes, NotNull(text::calls::call);
                Ascii ["ASCII"] exactly(1), Int, NotNull(text::calls::call), NULL_FOR_NULL | SEES_BYTES;
                Ord ["ORD"] exactly(1), Int, NotNull(text::calls::call), NULL_FOR_NULL;
                Char ["CHAR"] from(1), Bytes, Values(text::calls::char_call), NUMBERS;
                Chr ["CHR"] exactly(1), Short(1), Values(text::calls::chr), NUMBERS | AS_LITERAL;
                Field ["FIELD"] from(2), Int, Values(text::calls::field), NULL_FOR_NULL | NUMBERS_UNLESS_TEXTS;
                FindInSet ["FIND_IN_SET"] exactly(2), Int, NotNull(text::calls::call), NULL_FOR_NULL;
                Elt ["ELT"] from(2), By(result::longest_word), Lazy(control::elt), NUMBER_0;
                Strcmp ["STRCMP"] exactly(2), Int, NotNull(text::calls::call), NULL_FOR_NULL;
                Quote ["QUOTE"] exactly(1), By(result::quoted), Values(text::calls::quote);
                Format ["FORMAT"] between(2, 3), By(result::digits_text), NotNull(text::calls::call),
                    NUMBER_0 | NUMBER_1 | AS_LITERAL;
                WeightString ["WEIGHT_STRING"] exactly(1), Bytes, NotNull(text::calls::call);
                Bin ["BIN"] exactly(1), By(result::digits_text), NotNull(text::calls::call), NULL_FOR_NULL | NUMBERS | AS_LITERAL;
                Oct ["OCT"] exactly(1), By(result::digits_text), NotNull(text::calls::call), NULL_FOR_NULL | NUMBERS | AS_LITERAL;
                Conv ["CONV"] exactly(3), By(result::digits_text), NotNull(text::calls::call), NUMBERS | AS_LITERAL;
                Soundex ["SOUNDEX"] exactly(1), By(result::sound), Values(text::words::call);
                MakeSet ["MAKE_SET"] from(2), By(result::joined), Values(text::words::call), NUMBER_0;
                ExportSet ["EXPORT_SET"] between(3, 5), Short(RESULT_CHARS_MAX), Values(text::words::call), NUMBER_0 | NUMBER_4;
            }
            Regular {
                RegexpLike ["REGEXP_LIKE"] between(2, 3), Truth, NotNull(regular::call), NULL_FOR_NULL;
                RegexpInstr ["REGEXP_INSTR"] between(2, 6), Int, NotNull(regular::call),
                    NULL_FOR_NULL | NUMBER_2 | NUMBER_3 | NUMBER_4;
                RegexpSubstr ["REGEXP_SUBSTR"] between(2, 5), By(result::text), NotNull(regular::call),
                    NUMBER_2 | NUMBER_3;
                RegexpReplace ["REGEXP_REPLACE"] between(3, 6), By(result::any_length), NotNull(regular::call),
                    NUMBER_3 | NUMBER_4;
            }
            Digests {
                Md5 ["MD5"] exactly(1), Short(32), NotNull(cipher::digest::call), NULL_FOR_NULL | SEES_BYTES | AS_LITERAL;
                Sha1 ["SHA1", "SHA"] exactly(1), Short(40), NotNull(cipher::digest::call), NULL_FOR_NULL | SEES_BYTES | AS_LITERAL;
                Sha2 ["SHA2"] exactly(2), Short(128), NotNull(cipher::digest::call), SEES_BYTES | NUMBER_1 | AS_LITERAL;
                Crc32 ["CRC32"] between(1, 2), UInt, NotNull(cipher::digest::call), NULL_FOR_NULL | SEES_BYTES;
                Crc32c ["CRC32C"] between(1, 2), UInt, NotNull(cipher::digest::call), NULL_FOR_NULL | SEES_BYTES;
                AesEncrypt ["AES_ENCRYPT"] between(2, 6), Bytes, Values(cipher::aes::call), SEES_BYTES;
                AesDecrypt ["AES_DECRYPT"] between(2, 6), Bytes, Values(cipher::aes::call), SEES_BYTES;
                Etag ["ETAG"] from(1), Short(32), Values(cipher::etag::call), SEES_BYTES | AS_LITERAL;
                Compress ["COMPRESS"] exactly(1), Bytes, NotNull(cipher::compress::call), SEES_BYTES;
                Uncompress ["UNCOMPRESS"] exactly(1), Bytes, NotNull(cipher::compress::call);
                UncompressedLength ["UNCOMPRESSED_LENGTH"] exactly(1), UInt, NotNull(cipher::compress::call);
                ToBase64 ["TO_BASE64"] exactly(1), By(result::digits_text), NotNull(cipher::digest::call), SEES_BYTES | AS_LITERAL;
                FromBase64 ["FROM_BASE64"] exactly(1), Bytes, NotNull(cipher::digest::call);
                RandomBytes ["RANDOM_BYTES"] exactly(1), Bytes, Lazy(session::call), VOLATILE | NUMBER_0;
            }
            Addresses {
                InetAton ["INET_ATON"] exactly(1), UInt, Values(address::call);
                InetNtoa ["INET_NTOA"] exactly(1), Short(15), Values(address::call), NUMBERS | AS_LITERAL;
                Inet6Aton ["INET6_ATON"] exactly(1), Bytes, Values(address::call);
                Inet6Ntoa ["INET6_NTOA"] exactly(1), Short(45), Values(address::call), AS_LITERAL;
                IsIpv4 ["IS_IPV4"] exactly(1), Int, Values(address::call);
                IsIpv6 ["IS_IPV6"] exactly(1), Int, Values(address::call);
                IsIpv4Compat ["IS_IPV4_COMPAT"] exactly(1), Int, Values(address::call);
                IsIpv4Mapped ["IS_IPV4_MAPPED"] exactly(1), Int, Values(address::call);
                UuidToBin ["UUID_TO_BIN"] between(1, 2), Bytes, NotNull(cipher::digest::call), NUMBER_1;
                BinToUuid ["BIN_TO_UUID"] between(1, 2), Short(36), NotNull(cipher::digest::call), NUMBER_1 | AS_LITERAL;
                IsUuid ["IS_UUID"] exactly(1), Truth, NotNull(cipher::digest::call), NULL_FOR_NULL;
                Uuid ["UUID"] exactly(0), Name(36), Lazy(session::call), VOLATILE | AS_LITERAL;
                SysGuid ["SYS_GUID"] exactly(0), Short(32), Lazy(session::call), NEVER_NULL | VOLATILE | AS_LITERAL;
                UuidShort ["UUID_SHORT"] exactly(0), UInt, Lazy(session::call), NULL_FOR_NULL | VOLATILE;
            }
            Numbers {
                Abs ["ABS"] exactly(1), By(number::same_type), Values(number::of_numbers), NULL_FOR_NULL | NUMBERS;
                Ceiling ["CEILING", "CEIL"] exactly(1), By(number::whole_type), Values(number::of_numbers),
                    NULL_FOR_NULL | NUMBERS;
                Floor ["FLOOR"] exactly(1), By(number::whole_type), Values(number::of_numbers), NULL_FOR_NULL | NUMBERS;
                Round ["ROUND"] between(1, 2), By(number::rounded_type), Values(number::of_numbers),
                    NULL_FOR_NULL | NUMBERS;
                Truncate ["TRUNCATE"] exactly(2), By(number::rounded_type), Values(number::of_numbers),
                    NULL_FOR_NULL | NUMBERS;
                Mod ["MOD"] exactly(2), By(number::same_type), Values(number::of_numbers), NUMBERS;
                Power ["POWER", "POW"] exactly(2), Double, Values(number::of_numbers), NUMBERS;
                Sqrt ["SQRT"] exactly(1), Double, Values(|call, cells| number::of_double(call, cells, f64::sqrt)),
                    NUMBERS;
                Sign ["SIGN"] exactly(1), Int, Values(number::of_numbers), NULL_FOR_NULL | NUMBERS;
                Exp ["EXP"] exactly(1), Double, Values(number::of_numbers), NUMBERS;
                Ln ["LN"] exactly(1), Double, Values(|call, cells| number::log(call, cells, f64::ln)), NUMBERS;
                Log ["LOG"] between(1, 2), Double, Values(|call, cells| number::log(call, cells, f64::ln)), NUMBERS;
                Log2 ["LOG2"] exactly(1), Double, Values(|call, cells| number::log(call, cells, f64::log2)),
                    NUMBERS;
                Log10 ["LOG10"] exactly(1), Double, Values(|call, cells| number::log(call, cells, f64::log10)),
                    NUMBERS;
                Pi ["PI"] exactly(0), By(number::pi_type), Lazy(number::pi), NEVER_NULL | NUMBERS;
                Sin ["SIN"] exactly(1), Double, Values(|call, cells| number::of_double(call, cells, f64::sin)),
                    NUMBERS;
                Cos ["COS"] exactly(1), Double, Values(|call, cells| number::of_double(call, cells, f64::cos)),
                    NUMBERS;
                Tan ["TAN"] exactly(1), Double, Values(|call, cells| number::of_double(call, cells, f64::tan)),
                    NUMBERS;
                Atan ["ATAN", "ATAN2"] between(1, 2), Double, Values(number::atan), NUMBERS;
                Asin ["ASIN"] exactly(1), Double, Values(|call, cells| number::of_double(call, cells, f64::asin)),
                    NUMBERS;
                Acos ["ACOS"] exactly(1), Double, Values(|call, cells| number::of_double(call, cells, f64::acos)),
                    NUMBERS;
                Cot ["COT"] exactly(1), Double, Values(number::of_numbers), NUMBERS;
                Radians ["RADIANS"] exactly(1), Double, Values(|call, cells| number::of_double(call, cells, f64::to_radians)),
                    NUMBERS;
                Degrees ["DEGREES"] exactly(1), Double, Values(|call, cells| number::of_double(call, cells, f64::to_degrees)),
                    NUMBERS;
                Rand ["RAND"] between(0, 1), Double, Values(number::rand), NULL_FOR_NULL | VOLATILE | NUMBERS;
                BitCount ["BIT_COUNT"] exactly(1), Int, Values(number::of_numbers), NULL_FOR_NULL | NUMBERS;
                Greatest ["GREATEST"] from(2), By(result::extreme), Lazy(control::extreme), NULL_FOR_NULL;
                Least ["LEAST"] from(2), By(result::extreme), Lazy(control::extreme), NULL_FOR_NULL;
            }
            Control {
                Interval ["INTERVAL"] from(2), Int, Lazy(control::interval), NEVER_NULL | NUMBERS;
                If ["IF"] exactly(3), By(result::chosen_by_first), Lazy(control::choose), NULL_FOR_NULL;
                IfNotNull ["NVL2"] exactly(3), By(result::chosen_by_first), Lazy(control::choose_by_null),
                    NULL_FOR_NULL;
                IfNull ["IFNULL", "NVL"] exactly(2), By(common_type), Lazy(control::first_known), NULL_FOR_NULL;
                NullIf ["NULLIF"] exactly(2), By(result::chosen_first), Lazy(control::null_if);
                Coalesce ["COALESCE"] from(1), By(common_type), Lazy(control::first_known), NULL_FOR_NULL;
                IsNull ["ISNULL"] exactly(1), Truth, Lazy(control::is_null), NEVER_NULL;
                NameConst ["NAME_CONST"] exactly(2), By(result::first), Lazy(control::named);
            }
            Times {
                Now ["NOW", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP"] between(0, 1), By(digits::asked_moment), Values(time::calls::current),
                    NEVER_NULL | ASKS;
                SysDate ["SYSDATE"] between(0, 1), By(digits::asked_moment), Values(time::calls::current),
                    NEVER_NULL | VOLATILE;
                UtcTimestamp ["UTC_TIMESTAMP"] between(0, 1), By(digits::asked_moment), Values(time::calls::current),
                    NEVER_NULL | ASKS;
                CurrentDate ["CURDATE", "CURRENT_DATE"] exactly(0), Date, Values(time::calls::current),
                    NEVER_NULL | ASKS;
                UtcDate ["UTC_DATE"] exactly(0), Date, Values(time::calls::current), NEVER_NULL | ASKS;
                CurrentTime ["CURTIME", "CURRENT_TIME"] between(0, 1), By(digits::asked_time), Values(time::calls::current),
                    NEVER_NULL | ASKS;
                UtcTime ["UTC_TIME"] between(0, 1), By(digits::asked_time), Values(time::calls::current),
                    NEVER_NULL | ASKS;
                UnixTimestamp ["UNIX_TIMESTAMP"] between(0, 1), By(digits::unix_time), Values(time::calls::unix_timestamp),
                    NULL_FOR_NULL | ASKS_ALONE | NUMBERS;
                FromUnixTime ["FROM_UNIXTIME"] between(1, 2), By(digits::from_unix_time), Values(time::calls::from_unix_time),
                    NUMBER_0;
                DateOf ["DATE"] exactly(1), Date, NotNull(time::calls::of_days);
                TimeOf ["TIME"] exactly(1), By(digits::time), NotNull(time::calls::of_times);
                TimestampOf ["TIMESTAMP"] between(1, 2), By(digits::sum_moment), NotNull(time::calls::of_days);
                Year ["YEAR"] exactly(1), Int, Values(time::calls::part_of_date);
                Month ["MONTH"] exactly(1), Int, Values(time::calls::part_of_date);
                Day ["DAY", "DAYOFMONTH"] exactly(1), Int, Values(time::calls::part_of_date);
                Hour ["HOUR"] exactly(1), Int, NotNull(time::calls::of_times);
                Minute ["MINUTE"] exactly(1), Int, NotNull(time::calls::of_times);
                Second ["SECOND"] exactly(1), Int, NotNull(time::calls::of_times);
                Microsecond ["MICROSECOND"] exactly(1), Int, NotNull(time::calls::of_times);
                Quarter ["QUARTER"] exactly(1), Int, NotNull(time::calls::of_days);
                DayOfWeek ["DAYOFWEEK"] exactly(1), Int, NotNull(time::calls::of_days);
                Weekday ["WEEKDAY"] exactly(1), Int, NotNull(time::calls::of_days);
                DayOfYear ["DAYOFYEAR"] exactly(1), Int, NotNull(time::calls::of_days);
                Week ["WEEK"] between(1, 2), Int, Values(time::calls::week_of), NUMBER_1;
                WeekOfYear ["WEEKOFYEAR"] exactly(1), Int, NotNull(time::calls::of_days);
                YearWeek ["YEARWEEK"] between(1, 2), Int, Values(time::calls::week_of), NUMBER_1;
                DayName ["DAYNAME"] exactly(1), Short(9), NotNull(time::calls::of_days), AS_LITERAL;
                MonthName ["MONTHNAME"] exactly(1), Short(9), NotNull(time::calls::of_days), AS_LITERAL;
                LastDay ["LAST_DAY"] exactly(1), Date, NotNull(time::calls::of_days);
                DateDiff ["DATEDIFF"] exactly(2), Int, NotNull(time::calls::of_days);
                TimeDiff ["TIMEDIFF"] exactly(2), By(digits::difference), NotNull(time::calls::of_times);
                AddTime ["ADDTIME"] exactly(2), By(digits::sum), NotNull(time::sum::call), AS_LITERAL;
                SubTime ["SUBTIME"] exactly(2), By(digits::sum), NotNull(time::sum::call), AS_LITERAL;
                PeriodAdd ["PERIOD_ADD"] exactly(2), Int, NotNull(time::sum::call), NUMBERS;
                PeriodDiff ["PERIOD_DIFF"] exactly(2), Int, NotNull(time::sum::call), NUMBERS;
                ToDays ["TO_DAYS"] exactly(1), Int, NotNull(time::calls::of_days);
                FromDays ["FROM_DAYS"] exactly(1), Date, Values(time::calls::making_days), NUMBER_0;
                ToSeconds ["TO_SECONDS"] exactly(1), Int, NotNull(time::calls::of_days);
                MakeDate ["MAKEDATE"] exactly(2), Date, Values(time::calls::making_days), NUMBERS;
                MakeTime ["MAKETIME"] exactly(3), By(digits::made_time), NotNull(time::calls::of_times), NUMBERS;
                SecToTime ["SEC_TO_TIME"] exactly(1), By(digits::of_seconds), NotNull(time::calls::of_times),
                    NUMBER_0;
                TimeToSec ["TIME_TO_SEC"] exactly(1), Int, NotNull(time::calls::of_times);
                DateFormat ["DATE_FORMAT"] exactly(2), By(result::formatted), NotNull(time::calls::of_days);
                TimeFormat ["TIME_FORMAT"] exactly(2), By(result::formatted), NotNull(time::calls::of_times);
                GetFormat ["GET_FORMAT"] exactly(2), Short(17), NotNull(time::format::get_format), AS_LITERAL;
                StrToDate ["STR_TO_DATE"] exactly(2), By(digits::pattern), Values(time::calls::str_to_date);
                ConvertTz ["CONVERT_TZ"] exactly(3), By(digits::moment), Values(time::calls::convert_tz);
            }
            Session {
                Database ["DATABASE", "SCHEMA"] exactly(0), Name(64), Lazy(session::call), ASKS;
                User ["USER", "SESSION_USER", "SYSTEM_USER"] exactly(0), Name(288), Lazy(session::call), ASKS;
                CurrentUser ["CURRENT_USER"] exactly(0), Name(288), Lazy(session::call), ASKS;
                CurrentRole ["CURRENT_ROLE"] exactly(0), Name(1024), Lazy(session::call), NEVER_NULL | ASKS;
                Version ["VERSION"] exactly(0), Name(60), Lazy(session::call), NEVER_NULL | ASKS;
                ConnectionId ["CONNECTION_ID"] exactly(0), UInt, Lazy(session::call), NEVER_NULL | ASKS;
                LastInsertId ["LAST_INSERT_ID"] between(0, 1), UInt, Lazy(session::call),
                    NULL_FOR_NULL | VOLATILE | NUMBER_0;
                RowCount ["ROW_COUNT"] exactly(0), Int, Lazy(session::call), NEVER_NULL | ASKS;
                FoundRows ["FOUND_ROWS"] exactly(0), Int, Lazy(session::call), NEVER_NULL | ASKS;
                Sleep ["SLEEP"] exactly(1), Int, Lazy(session::call), VOLATILE | WAITS | NUMBER_0;
                GetLock ["GET_LOCK"] exactly(2), Int, Lazy(session::call), VOLATILE | WAITS | NUMBER_1;
                ReleaseLock ["RELEASE_LOCK"] exactly(1), Int, Lazy(session::call), VOLATILE;
                ReleaseAllLocks ["RELEASE_ALL_LOCKS"] exactly(0), Int, Lazy(session::call), VOLATILE;
                IsFreeLock ["IS_FREE_LOCK"] exactly(1), Int, Lazy(session::call), VOLATILE;
                IsUsedLock ["IS_USED_LOCK"] exactly(1), UInt, Lazy(session::call), VOLATILE;
                Charset ["CHARSET"] exactly(1), Name(64), Lazy(session::call);
                CollationOf ["COLLATION"] exactly(1), Name(64), Lazy(session::call);
                Coercibility ["COERCIBILITY"] exactly(1), Int, Lazy(session::call), NEVER_NULL;
                FormatBytes ["FORMAT_BYTES"] exactly(1), Short(11), NotNull(sys::call), NUMBER_0;
                FormatPicoTime ["FORMAT_PICO_TIME"] exactly(1), Short(11), NotNull(sys::call), NUMBER_0;
                PsCurrentThreadId ["PS_CURRENT_THREAD_ID"] exactly(0), UInt, Values(sys::asked), ASKS;
                PsThreadId ["PS_THREAD_ID"] exactly(1), UInt, Values(sys::asked), VOLATILE | NUMBER_0;
                StatementDigest ["STATEMENT_DIGEST"] exactly(1), Short(64), Values(sys::asked), ASKS;
                StatementDigestText ["STATEMENT_DIGEST_TEXT"] exactly(1), By(result::long_text),
                    Values(sys::asked), ASKS;
                Benchmark ["BENCHMARK"] exactly(2), Int, Lazy(session::call), WAITS | NUMBER_0;
            }
            Json {
                JsonValid ["JSON_VALID"] exactly(1), Truth, Values(json::calls::valid);
                JsonExtract ["JSON_EXTRACT"] from(2), Json, Values(json::calls::of_document);
                JsonUnquote ["JSON_UNQUOTE"] exactly(1), By(result::json_text), Values(json::calls::of_text), AS_LITERAL;
                JsonQuote ["JSON_QUOTE"] exactly(1), By(result::json_quoted), Values(json::calls::of_text), AS_LITERAL;
                JsonObject ["JSON_OBJECT"] pairs_after(0), Json, Values(json::calls::object);
                JsonArray ["JSON_ARRAY"] from(0), Json, Values(json::calls::array);
                JsonLength ["JSON_LENGTH"] between(1, 2), Int, Values(json::calls::of_document);
                JsonType ["JSON_TYPE"] exactly(1), By(result::json_text), Values(json::calls::of_document), AS_LITERAL;
                JsonKeys ["JSON_KEYS"] between(1, 2), Json, Values(json::calls::of_document);
                JsonContains ["JSON_CONTAINS"] between(2, 3), Truth, Values(json::calls::of_document);
                JsonContainsPath ["JSON_CONTAINS_PATH"] from(3), Truth, Values(json::calls::of_document);
                JsonSet ["JSON_SET"] pairs_after(1), Json, Values(json::calls::of_document);
                JsonInsert ["JSON_INSERT"] pairs_after(1), Json, Values(json::calls::of_document);
                JsonReplace ["JSON_REPLACE"] pairs_after(1), Json, Values(json::calls::of_document);
                JsonRemove ["JSON_REMOVE"] from(2), Json, Values(json::calls::of_document);
                JsonArrayAppend ["JSON_ARRAY_APPEND"] pairs_after(1), Json, Values(json::calls::of_document);
                JsonArrayInsert ["JSON_ARRAY_INSERT"] pairs_after(1), Json, Values(json::calls::of_document);
                JsonMergePatch ["JSON_MERGE_PATCH"] from(2), Json, Values(json::calls::merged);
                JsonMergePreserve ["JSON_MERGE_PRESERVE", "JSON_MERGE"] from(2), Json, Values(json::calls::merged);
                JsonDepth ["JSON_DEPTH"] exactly(1), Int, Values(json::calls::of_document);
                JsonOverlaps ["JSON_OVERLAPS"] exactly(2), Truth, Values(json::calls::of_document);
                JsonExists ["JSON_EXISTS"] exactly(2), Int, Values(json::calls::of_document);
                JsonQuery ["JSON_QUERY"] exactly(2), Json, Values(json::calls::of_document);
                JsonValue ["JSON_VALUE"] exactly(6), By(result::text), Values(json::single_value::call);
                JsonSchemaValid ["JSON_SCHEMA_VALID"] exactly(2), Truth, Values(json::schema::call);
                JsonSchemaReport ["JSON_SCHEMA_VALIDATION_REPORT"] exactly(2), Json, Values(json::schema::call);
                JsonSearch ["JSON_SEARCH"] from(3), Json, Values(json::calls::of_document);
                JsonCompact ["JSON_COMPACT"] exactly(1), Json, NotNull(json::text::call);
                JsonLoose ["JSON_LOOSE"] exactly(1), Json, NotNull(json::text::call);
                JsonDetailed ["JSON_DETAILED"] between(1, 2), Json, NotNull(json::text::call), NUMBER_1;
                JsonPretty ["JSON_PRETTY"] exactly(1), By(result::json_any_length), Values(json::calls::of_document), AS_LITERAL;
                JsonStorageSize ["JSON_STORAGE_SIZE"] exactly(1), Int, Values(json::calls::of_document);
                JsonStorageFree ["JSON_STORAGE_FREE"] exactly(1), Int, Values(json::calls::of_document);
                JsonMemberOf ["MEMBER OF"] exactly(2), Truth, Values(json::calls::member_of);
                JsonNormalize ["JSON_NORMALIZE"] exactly(1), Json, NotNull(json::text::call);
                JsonEquals ["JSON_EQUALS"] exactly(2), Int, NotNull(json::text::call);
            }
            Sys {
                SysExtractSchema ["sys.extract_schema_from_file_name"] exactly(1), Short(64), NotNull(sys::call);
                SysExtractTable ["sys.extract_table_from_file_name"] exactly(1), Short(64), NotNull(sys::call);
                SysFormatBytes ["sys.format_bytes"] exactly(1), By(result::long_text), NotNull(sys::call), NUMBER_0;
                SysFormatPath ["sys.format_path"] exactly(1), Short(512), NotNull(sys::call), ASKS;
                SysFormatStatement ["sys.format_statement"] exactly(1), By(result::long_text),
                    NotNull(sys::call);
                SysFormatTime ["sys.format_time"] exactly(1), By(result::long_text), NotNull(sys::call);
                SysListAdd ["sys.list_add"] exactly(2), By(result::long_text), Values(sys::list);
                SysListDrop ["sys.list_drop"] exactly(2), By(result::long_text), Values(sys::list);
                SysPsIsAccountEnabled ["sys.ps_is_account_enabled"] exactly(2), Short(3), Values(sys::asked), ASKS;
                SysPsIsConsumerEnabled ["sys.ps_is_consumer_enabled"] exactly(1), Short(3), Values(sys::asked),
                    ASKS;
                SysPsIsInstrumentEnabled ["sys.ps_is_instrument_default_enabled"] exactly(1), Short(3),
                    Values(sys::asked), ASKS;
                SysPsIsInstrumentTimed ["sys.ps_is_instrument_default_timed"] exactly(1), Short(3),
                    Values(sys::asked), ASKS;
                SysPsIsThreadInstrumented ["sys.ps_is_thread_instrumented"] exactly(1), Short(7),
                    Values(sys::asked), VOLATILE;
                SysPsThreadId ["sys.ps_thread_id"] exactly(1), UInt, Values(sys::asked), VOLATILE;
                SysQuoteIdentifier ["sys.quote_identifier"] exactly(1), By(result::long_text), NotNull(sys::call);
                SysGetConfig ["sys.sys_get_config"] exactly(2), Short(128), Values(sys::asked), ASKS;
                SysVersionMajor ["sys.version_major"] exactly(0), By(result::small), Values(sys::asked), ASKS;
                SysVersionMinor ["sys.version_minor"] exactly(0), By(result::small), Values(sys::asked), ASKS;
                SysVersionPatch ["sys.version_patch"] exactly(0), By(result::small), Values(sys::asked), ASKS;
            }
            Internal {
                ReadAs ["<read as>"] exactly(2), By(result::text), Values(text::charset::call);
                MatchAgainst ["MATCH AGAINST"] from(2), Double, Values(full_text::match_against), NEVER_NULL;
                BytesAnd ["<bytes &>"] exactly(2), By(result::first_bytes), NotNull(text::bit_strings::call);
                BytesOr ["<bytes |>"] exactly(2), By(result::first_bytes), NotNull(text::bit_strings::call);
                BytesXor ["<bytes ^>"] exactly(2), By(result::first_bytes), NotNull(text::bit_strings::call);
                BytesNot ["<bytes ~>"] exactly(1), By(result::first_bytes), NotNull(text::bit_strings::call);
                BytesLeft ["<bytes <<>"] exactly(2), By(result::first_bytes), NotNull(text::bit_strings::call);
                BytesRight ["<bytes >>>"] exactly(2), By(result::first_bytes), NotNull(text::bit_strings::call);
                BesideTime ["<beside time>"] exactly(2), By(result::first), Lazy(time::rounded::beside_time);
                BesideYear ["<beside year>"] exactly(1), Int, Values(time::year::beside_year);
                MomentNumber ["<moment number>"] between(1, 2), Double, NotNull(time::carried::moment_number);
                WrittenIn ["<written in>"] exactly(2), Bytes, Values(text::charset::call);
                ArrayOf ["<array of>"] exactly(3), Bytes, Values(json::typed_array::array_of);
                ElementAs ["<element as>"] exactly(2), Bytes, Values(json::typed_array::element_as);
                ElementsAs ["<elements as>"] exactly(2), Bytes, Values(json::typed_array::elements_as);
                SharesElement ["<shares element>"] exactly(2), Truth, Values(json::typed_array::shares_element);
                HasElements ["<has elements>"] exactly(2), Truth, Values(json::typed_array::has_elements);
            }
        }
    };
}

pub(crate) use each_function;
