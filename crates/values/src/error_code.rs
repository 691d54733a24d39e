//! The errors that clients see: MySQL's numbers, with the SQLSTATE of each and whether IGNORE
//! forgives it.
//!
//! A name is MySQL's own (`ER_DUP_ENTRY` is `DupEntry`), so that its manual explains it; where
//! MySQL has no such error, name and number are MariaDB's. The words are made where the error is
//! found.
//!
//! Invariants
//! 1. A number stands in this table only: everything else names its error, and nothing decides by a
//!    number what to do. What the server itself reacts to is a variant of `SqlError`, which is made
//!    for that.
//! 2. Numbers ascend, so that each is there once.
//!
//! Not here: words, and what the server does about an error (`results::SqlError`).

/// Makes the table: a name, MySQL's number, the SQLSTATE, and `forgiven` where INSERT IGNORE and
/// its like make a warning of it.
macro_rules! table {
    ($($name:ident $number:literal $state:literal $($forgiven:ident)?;)*) => {
        /// An error that a client can see.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u16)]
        pub enum ErrorCode {
            $(
                #[doc = concat!("Error ", $number, ".")]
                $name = $number,
            )*
        }

        impl ErrorCode {
            /// All of them, in the order of their numbers.
            pub const ALL: &'static [ErrorCode] = &[$(ErrorCode::$name),*];

            /// MySQL's number.
            #[must_use]
            pub const fn number(self) -> u16 {
                self as u16
            }

            /// Five characters of SQLSTATE.
            #[must_use]
            pub const fn sqlstate(self) -> &'static [u8; 5] {
                match self {
                    $(ErrorCode::$name => $state,)*
                }
            }

            /// Whether a statement with IGNORE goes on with the next row, and warns.
            #[must_use]
            pub const fn is_forgiven(self) -> bool {
                match self {
                    $(ErrorCode::$name => table!(@ $($forgiven)?),)*
                }
            }
        }
    };
    (@ forgiven) => { true };
    (@) => { false };
}

table! {
    CantCreateFile 1 b"HY000";
    CantStat 13 b"HY000";
    DbCreateExists 1007 b"HY000";
    DbDropExists 1008 b"HY000";
    DiskFull 1021 b"HY000";
    ErrorOnRead 1024 b"HY000";
    ErrorOnWrite 1026 b"HY000";
    GetErrno 1030 b"HY000";
    IllegalHandler 1031 b"HY000";
    OpenAsReadonly 1036 b"HY000";
    OutOfSortmemory 1038 b"HY001";
    ConCount 1040 b"08004";
    OutOfResources 1041 b"HY000";
    Handshake 1043 b"08S01";
    DbaccessDenied 1044 b"42000";
    AccessDenied 1045 b"28000";
    NoDb 1046 b"3D000";
    UnknownCom 1047 b"08S01";
    BadNull 1048 b"23000" forgiven;
    BadDb 1049 b"42000";
    TableExists 1050 b"42S01";
    BadTable 1051 b"42S02";
    NonUniq 1052 b"23000";
    BadField 1054 b"42S22";
    WrongFieldWithGroup 1055 b"42000";
    WrongGroupField 1056 b"42000";
    TooLongIdent 1059 b"42000";
    DupFieldname 1060 b"42S21";
    DupKeyname 1061 b"42000";
    DupEntry 1062 b"23000" forgiven;
    WrongFieldSpec 1063 b"42000";
    ParseError 1064 b"42000";
    EmptyQuery 1065 b"42000";
    NonuniqTable 1066 b"42000";
    InvalidDefault 1067 b"42000";
    MultiplePriKey 1068 b"42000";
    TooManyKeys 1069 b"42000";
    TooManyKeyParts 1070 b"42000";
    TooLongKey 1071 b"42000";
    KeyColumnDoesNotExist 1072 b"42000";
    TooBigFieldlength 1074 b"42000";
    WrongAutoKey 1075 b"42000";
    TextfileNotReadable 1085 b"HY000";
    FileExists 1086 b"HY000";
    WrongSubKey 1089 b"HY000";
    CantRemoveAllFields 1090 b"42000";
    CantDropFieldOrKey 1091 b"42000";
    UpdateTableUsed 1093 b"HY000";
    NoSuchThread 1094 b"HY000";
    KillDenied 1095 b"HY000";
    NoTablesUsed 1096 b"HY000";
    TooBigSet 1097 b"HY000";
    TableNotLockedForWrite 1099 b"HY000";
    TableNotLocked 1100 b"HY000";
    WrongDbName 1102 b"42000";
    WrongTableName 1103 b"42000";
    UnknownError 1105 b"HY000";
    UnknownTable 1109 b"42S02";
    FieldSpecifiedTwice 1110 b"42000";
    InvalidGroupFuncUse 1111 b"HY000";
    TableMustHaveColumns 1113 b"42000";
    UnknownCharacterSet 1115 b"42000";
    TooManyTables 1116 b"HY000";
    TooManyFields 1117 b"HY000";
    TooBigRowsize 1118 b"42000";
    FunctionNotDefined 1128 b"HY000";
    PasswordNoMatch 1133 b"42000";
    CantCreateThread 1135 b"HY000";
    WrongValueCountOnRow 1136 b"21S01";
    InvalidUseOfNull 1138 b"02200";
    MixOfGroupFuncAndFields 1140 b"42000";
    NonexistingGrant 1141 b"42000";
    TableaccessDenied 1142 b"42000";
    ColumnaccessDenied 1143 b"42000";
    IllegalGrantForTable 1144 b"42000";
    NoSuchTable 1146 b"42S02";
    NonexistingTableGrant 1147 b"42000";
    SyntaxError 1149 b"42000";
    NetPacketTooLarge 1153 b"08S01";
    NetPacketsOutOfOrder 1156 b"08S01";
    WrongColumnName 1166 b"42000";
    BlobKeyWithoutLength 1170 b"42000";
    PrimaryCantHaveNull 1171 b"42000";
    TooManyRows 1172 b"42000";
    UpdateWithoutKeyInSafeMode 1175 b"HY000";
    KeyDoesNotExist 1176 b"42000";
    BinlogClosed 1186 b"HY000";
    FtMatchingKeyNotFound 1191 b"HY000";
    LockOrActiveTransaction 1192 b"HY000";
    UnknownSystemVariable 1193 b"HY000";
    TooManyUserConnections 1203 b"42000";
    LockWaitTimeout 1205 b"HY000";
    LockTableFull 1206 b"HY000";
    WrongArguments 1210 b"HY000";
    LockDeadlock 1213 b"40001";
    TableCantHandleFt 1214 b"HY000";
    CannotAddForeign 1215 b"HY000";
    WrongUsage 1221 b"HY000";
    WrongNumberOfColumns 1222 b"21000";
    CantUpdateWithReadlock 1223 b"HY000";
    DupArgument 1225 b"HY000";
    UserLimitReached 1226 b"42000";
    SpecificAccessDenied 1227 b"42000";
    LocalVariable 1228 b"HY000";
    GlobalVariable 1229 b"HY000";
    WrongValueForVar 1231 b"42000";
    WrongTypeForVar 1232 b"42000";
    NotSupportedYet 1235 b"42000";
    IncorrectGlobalLocalVar 1238 b"HY000";
    WrongFkDef 1239 b"42000";
    OperandColumns 1241 b"21000";
    SubqueryNo1Row 1242 b"21000";
    UnknownStatementHandler 1243 b"HY000";
    IllegalReference 1247 b"42S22";
    DerivedMustHaveAlias 1248 b"42000";
    CollationCharsetMismatch 1253 b"42000";
    TooBigForUncompress 1256 b"HY000";
    ZlibZMem 1257 b"HY000";
    ZlibZBuf 1258 b"HY000";
    ZlibZData 1259 b"HY000";
    CutValueGroupConcat 1260 b"HY000";
    WarnTooFewRecords 1261 b"01000";
    WarnTooManyRecords 1262 b"01000";
    WarnNullToNotnull 1263 b"22004";
    WarnDataOutOfRange 1264 b"22003" forgiven;
    DataTruncated 1265 b"01000" forgiven;
    UsingOtherHandler 1266 b"HY000";
    CantAggregate2collations 1267 b"HY000";
    RevokeGrants 1269 b"HY000";
    CantAggregate3collations 1270 b"HY000";
    CantAggregateNcollations 1271 b"HY000";
    UnknownCollation 1273 b"HY000";
    WrongNameForIndex 1280 b"42000";
    BadFtColumn 1283 b"HY000";
    UnknownStorageEngine 1286 b"42000";
    NonUpdatableTable 1288 b"HY000";
    OptionPreventsStatement 1290 b"HY000";
    DuplicatedValueInType 1291 b"HY000";
    TruncatedWrongValue 1292 b"22007" forgiven;
    InvalidOnUpdate 1294 b"HY000";
    UnsupportedPs 1295 b"HY000";
    UnknownTimeZone 1298 b"HY000";
    WarnInvalidTimestamp 1299 b"HY000";
    InvalidCharacterString 1300 b"HY000";
    WarnAllowedPacketOverflowed 1301 b"HY000";
    SpDoesNotExist 1305 b"42000";
    SpBadstatement 1314 b"0A000";
    QueryInterrupted 1317 b"70100";
    SpWrongNoOfArgs 1318 b"42000";
    SpCondMismatch 1319 b"42000";
    SpUndeclaredVar 1327 b"42000";
    SpFetchNoData 1329 b"02000";
    ViewNoExplain 1345 b"HY000";
    WrongObject 1347 b"HY000";
    NonupdateableColumn 1348 b"HY000";
    ViewSelectClause 1350 b"HY000";
    ViewSelectVariable 1351 b"HY000";
    ViewSelectTmptable 1352 b"HY000";
    ViewWrongList 1353 b"HY000";
    ViewInvalid 1356 b"HY000";
    NoDefaultForField 1364 b"HY000" forgiven;
    DivisionByZero 1365 b"22012" forgiven;
    TruncatedWrongValueForField 1366 b"HY000" forgiven;
    IllegalValueForType 1367 b"22007";
    ViewNonupdCheck 1368 b"HY000";
    ViewCheckFailed 1369 b"HY000" forgiven;
    NoBinaryLogging 1381 b"HY000";
    KeyPart0 1391 b"HY000";
    ViewMultiupdate 1393 b"HY000";
    ViewNoInsertFieldList 1394 b"HY000";
    ViewDeleteMergeView 1395 b"HY000";
    CannotUser 1396 b"HY000";
    XaerNota 1397 b"XAE04";
    XaerInval 1398 b"XAE05";
    XaerRmfail 1399 b"XAE07";
    XaerOutside 1400 b"XAE09";
    XaerRmerr 1401 b"XAE03";
    XaRbrollback 1402 b"XA100";
    DataTooLong 1406 b"22001" forgiven;
    SpBadSqlstate 1407 b"42000";
    CantCreateUserWithGrant 1410 b"42000";
    WrongValueForType 1411 b"HY000";
    TableDefinitionChanged 1412 b"HY000";
    StatementHasNoOpenCursor 1421 b"HY000";
    NoDefaultForViewField 1423 b"HY000" forgiven;
    TooBigScale 1425 b"42000";
    TooBigPrecision 1426 b"42000";
    MBiggerThanD 1427 b"42000";
    StackOverrun 1436 b"HY000";
    TooLongBody 1437 b"42000";
    TooBigDisplaywidth 1439 b"42000";
    XaerDupid 1440 b"XAE08";
    DatetimeFunctionOverflow 1441 b"22008";
    NoSuchUser 1449 b"HY000";
    ForbidSchemaChange 1450 b"HY000";
    RowIsReferenced2 1451 b"23000" forgiven;
    NoReferencedRow2 1452 b"23000" forgiven;
    SpWrongName 1458 b"42000";
    PreparedStatementCount 1461 b"42000";
    ViewRecursive 1462 b"HY000";
    AutoincReadFailed 1467 b"HY000";
    WrongStringLength 1470 b"HY000";
    NonInsertableTable 1471 b"HY000";
    TooHighLevelOfNesting 1473 b"HY000";
    PartitionWrongValues 1480 b"HY000";
    PartitionMaxvalue 1481 b"HY000";
    WrongExprInPartitionFunc 1486 b"HY000";
    FieldNotFoundPart 1488 b"HY000";
    PartitionsMustBeDefined 1492 b"HY000";
    RangeNotIncreasing 1493 b"HY000";
    MultipleDefConstInListPart 1495 b"HY000";
    MixHandler 1497 b"HY000";
    TooManyPartitions 1499 b"HY000";
    Subpartition 1500 b"HY000";
    BlobFieldInPartFunc 1502 b"HY000";
    UniqueKeyNeedAllFieldsInPf 1503 b"HY000";
    NoParts 1504 b"HY000";
    PartitionMgmtOnNonpartitioned 1505 b"HY000";
    ForeignKeyOnPartitioned 1506 b"HY000";
    DropPartitionNonExistent 1507 b"HY000";
    DropLastPartition 1508 b"HY000";
    CoalesceOnlyOnHashPartition 1509 b"HY000";
    ReorgHashOnlyOnSameNo 1510 b"HY000";
    ReorgNoParam 1511 b"HY000";
    OnlyOnRangeListPartition 1512 b"HY000";
    AddPartitionNoNewPartition 1514 b"HY000";
    CoalescePartitionNoPartition 1515 b"HY000";
    SameNamePartition 1517 b"HY000";
    ConsecutiveReorgPartitions 1519 b"HY000";
    ReorgOutsideRange 1520 b"HY000";
    PluginIsNotLoaded 1524 b"HY000";
    WrongValue 1525 b"HY000";
    NoPartitionForValue 1526 b"HY000" forgiven;
    EventAlreadyExists 1537 b"HY000";
    EventDoesNotExist 1539 b"HY000";
    EventInterval 1542 b"HY000";
    EventEndsBeforeStarts 1543 b"HY000";
    EventExecTimeInThePast 1544 b"HY000";
    EventSameName 1551 b"HY000";
    DropIndexFk 1553 b"HY000";
    PartitionNoTemporary 1562 b"HY000";
    PartitionConstDomain 1563 b"HY000";
    PartitionFunctionIsNotAllowed 1564 b"HY000";
    NullInValuesLessThan 1566 b"HY000";
    WrongPartitionName 1567 b"HY000";
    CantChangeTxCharacteristics 1568 b"25001";
    EventRecursionForbidden 1576 b"HY000";
    WrongParamcountToNativeFct 1582 b"42000";
    WrongParametersToNativeFct 1583 b"42000";
    EventCannotCreateInThePast 1588 b"HY000";
    EventCannotAlterInThePast 1589 b"HY000";
    XaRbdeadlock 1614 b"XA102";
    WarnOptionIgnored 1618 b"HY000";
    VariableIsReadonly 1621 b"HY000";
    TooLongTableComment 1628 b"HY000";
    TooLongFieldComment 1629 b"HY000";
    DupSignalSet 1641 b"42000";
    SignalWarn 1642 b"01000";
    SignalNotFound 1643 b"02000";
    SignalException 1644 b"HY000";
    ResignalWithoutActiveHandler 1645 b"0K000";
    WarnCondItemTruncated 1647 b"HY000";
    CondItemTooLong 1648 b"HY000";
    UnknownLocale 1649 b"HY000";
    SameNamePartitionField 1652 b"HY000";
    PartitionColumnList 1653 b"HY000";
    WrongTypeColumnValue 1654 b"HY000";
    FieldTypeNotAllowedAsPartitionField 1659 b"HY000";
    WrongPerfschemaUsage 1683 b"HY000";
    TooLongIndexComment 1688 b"HY000";
    DataOutOfRange 1690 b"22003";
    ValuesIsNotIntType 1697 b"HY000";
    AccessDeniedNoPasswordError 1698 b"28000";
    TruncateIllegalFk 1701 b"42000";
    PartitionExchangeDifferentOption 1731 b"HY000";
    PartitionExchangePartTable 1732 b"HY000";
    PartitionExchangeTempTable 1733 b"HY000";
    UnknownPartition 1735 b"HY000";
    TablesDifferentMetadata 1736 b"HY000";
    RowDoesNotMatchPartition 1737 b"HY000";
    PartitionExchangeForeignKey 1740 b"HY000";
    PartitionClauseOnNonpartitioned 1747 b"HY000";
    RowDoesNotMatchGivenPartitionSet 1748 b"HY000" forgiven;
    CreatedTempTableNotRolledBack 1751 b"HY000";
    DroppedTempTableNotRolledBack 1752 b"HY000";
    DaInvalidConditionNumber 1758 b"35000";
    ForeignDuplicateKeyWithChildInfo 1761 b"23000" forgiven;
    UnknownExplainFormat 1791 b"HY000";
    CantExecuteInReadOnlyTransaction 1792 b"25006";
    TooLongTablePartitionComment 1793 b"HY000";
    InnodbNoFtTempTable 1796 b"HY000";
    UnknownAlterAlgorithm 1800 b"HY000";
    UnknownAlterLock 1801 b"HY000";
    InternalError 1815 b"HY000";
    InvalidYearColumnLength 1818 b"HY000";
    MustChangePassword 1820 b"HY000";
    FkCannotOpenParent 1824 b"HY000";
    DupConstraintName 1826 b"HY000";
    PasswordFormat 1827 b"HY000";
    FkColumnCannotDrop 1828 b"HY000";
    FkColumnCannotDropChild 1829 b"HY000";
    FkColumnNotNull 1830 b"HY000";
    FkColumnCannotChange 1832 b"HY000";
    FkColumnCannotChangeChild 1833 b"HY000";
    MalformedPacket 1835 b"HY000";
    AlterOperationNotSupported 1846 b"0A000";
    MustChangePasswordLogin 1862 b"HY000";
    AesInvalidIv 1882 b"HY000";
    ExpressionNotAllowed 1901 b"HY000";
    ValueForGeneratedColumn 1906 b"HY000";
    StatementTimeout 1969 b"70100";
    SubqueriesNotSupported 1970 b"42000";
    SetStatementNotSupported 1971 b"42000";
    FileCorrupt 3000 b"HY000";
    GetStackedDaWithoutActiveHandler 3004 b"0Z002";
    FkDepthExceeded 3008 b"HY000";
    ExplainNotSupported 3012 b"HY000";
    InvalidFieldSize 3013 b"HY000";
    InvalidArgumentForLogarithm 3020 b"2201E";
    QueryTimeout 3024 b"HY000";
    AggregateOrderForUnion 3028 b"HY000";
    AggregateOrderNonAggQuery 3029 b"HY000";
    InvalidArgument 3047 b"HY000";
    IncorrectType 3064 b"HY000";
    FieldInOrderNotSelect 3065 b"HY000";
    AggregateInOrderNotSelect 3066 b"HY000";
    WrongFkOptionForGeneratedColumn 3104 b"HY000";
    NonDefaultValueForGeneratedColumn 3105 b"HY000";
    UnsupportedActionOnGeneratedColumn 3106 b"HY000";
    GeneratedColumnNonPrior 3107 b"HY000";
    DependentByGeneratedColumn 3108 b"HY000";
    GeneratedColumnRefAutoInc 3109 b"HY000";
    AccountHasBeenLocked 3118 b"HY000";
    InvalidJsonText 3140 b"22032";
    InvalidJsonTextInParam 3141 b"22032";
    InvalidJsonPath 3143 b"42000";
    InvalidJsonCharset 3144 b"22032";
    InvalidTypeForJson 3146 b"22032";
    InvalidJsonPathWildcard 3149 b"42000";
    JsonUsedAsKey 3152 b"42000";
    JsonVacuousPath 3153 b"42000";
    JsonBadOneOrAllArg 3154 b"42000";
    InvalidJsonValueForCast 3156 b"22018";
    JsonDocumentTooDeep 3157 b"22032";
    JsonDocumentNullKey 3158 b"22032";
    SecureTransportRequired 3159 b"HY000";
    UserDoesNotExist 3162 b"HY000";
    UserAlreadyExists 3163 b"HY000";
    AuditApiAbort 3164 b"HY000";
    InvalidJsonPathArrayCell 3165 b"42000";
    CapacityExceeded 3170 b"HY000";
    AesInvalidKdfName 3235 b"HY000";
    AesInvalidKdfIterations 3236 b"HY000";
    WarnAesKeySize 3237 b"HY000";
    AesInvalidKdfOptionSize 3238 b"HY000";
    TooLongSetEnumValue 3505 b"HY000";
    InvalidBitwiseOperandsSize 3513 b"HY000";
    InvalidBitwiseAggregateOperandsSize 3514 b"HY000";
    PkIndexCantBeInvisible 3522 b"HY000";
    UnknownAuthid 3523 b"HY000";
    RoleNotGranted 3530 b"HY000";
    NoSystemSchemaAccess 3552 b"HY000";
    UnresolvedTableLock 3568 b"HY000";
    DuplicateTableLock 3569 b"HY000";
    LockNowait 3572 b"HY000";
    CteRecursiveRequiresUnion 3573 b"HY000";
    CteRecursiveRequiresNonrecursive 3574 b"HY000";
    CteRecursiveForbidsAggregation 3575 b"HY000";
    WindowNoSuchWindow 3579 b"HY000";
    WindowCircularityInWindowGraph 3580 b"HY000";
    WindowNoChildPartitioning 3581 b"HY000";
    WindowNoInheritFrame 3582 b"HY000";
    WindowNoRedefineOrderBy 3583 b"HY000";
    WindowFrameStartIllegal 3584 b"HY000";
    WindowFrameEndIllegal 3585 b"HY000";
    WindowFrameIllegal 3586 b"HY000";
    WindowRangeFrameOrderType 3587 b"HY000";
    WindowRangeFrameTemporalType 3588 b"HY000";
    WindowRangeFrameNumericType 3589 b"HY000";
    WindowIllegalOrderBy 3592 b"HY000";
    WindowInvalidWindowFuncUse 3593 b"HY000";
    WindowInvalidWindowFuncAliasUse 3594 b"HY000";
    FieldInGroupingNotGroupBy 3602 b"HY000";
    IllegalPrivilegeLevel 3619 b"HY000";
    MandatoryRole 3628 b"HY000";
    CteMaxRecursionDepth 3636 b"HY000";
    CredentialsContradictToHistory 3638 b"HY000";
    MissingJsonTableValue 3665 b"22035";
    JsonTableScalarExpected 3666 b"2203F";
    TableFunctionMustHaveAlias 3667 b"42000";
    JsonTableValueOutOfRange 3669 b"22003";
    ParseErrorInDigestFn 3676 b"HY000";
    RegexpIllegalArgument 3685 b"HY000";
    RegexpIndexOutofbounds 3686 b"HY000";
    RegexpRuleSyntax 3688 b"HY000";
    RegexpBadEscapeSequence 3689 b"HY000";
    RegexpUnimplemented 3690 b"HY000";
    RegexpMismatchedParen 3691 b"HY000";
    RegexpBadInterval 3692 b"HY000";
    RegexpMaxLtMin 3693 b"HY000";
    RegexpMissingCloseBracket 3696 b"HY000";
    RegexpInvalidRange 3697 b"HY000";
    RegexpTimeOut 3699 b"HY000";
    RegexpPatternTooBig 3700 b"HY000";
    FkCannotDropParent 3730 b"HY000";
    FkCannotUseVirtualColumn 3733 b"HY000";
    FkNoColumnParent 3734 b"HY000";
    TableWithoutPk 3750 b"HY000";
    WarnDataTruncatedFunctionalIndex 3751 b"01000";
    WarnDataOutOfRangeFunctionalIndex 3752 b"22003";
    FunctionalIndexOnJsonOrGeometry 3753 b"42000";
    FunctionalIndexRefAutoIncrement 3754 b"HY000";
    FunctionalIndexPrimaryKey 3756 b"HY000";
    FunctionalIndexOnLob 3757 b"HY000";
    FunctionalIndexFunctionNotAllowed 3758 b"HY000";
    FulltextFunctionalIndex 3759 b"HY000";
    FunctionalIndexOnField 3762 b"HY000";
    GeneratedColumnNamedFunctionIsNotAllowed 3763 b"HY000";
    DependentByDefaultGeneratedValue 3766 b"HY000";
    DefaultExpressionNotPrior 3767 b"HY000";
    DefaultExpressionOfAutoIncrement 3768 b"HY000";
    DefaultExpressionSubquery 3769 b"HY000";
    DefaultExpressionFunction 3770 b"HY000";
    DefaultValExprVariables 3772 b"HY000";
    FkIncompatibleColumns 3780 b"HY000";
    NonBooleanExprForCheckConstraint 3812 b"HY000";
    ColumnCheckConstraintReferencesOtherColumn 3813 b"HY000";
    CheckConstraintNamedFunctionIsNotAllowed 3814 b"HY000";
    CheckConstraintFunctionIsNotAllowed 3815 b"HY000";
    CheckConstraintVariables 3816 b"HY000";
    CheckConstraintRefersAutoIncrementColumn 3818 b"HY000";
    CheckConstraintViolated 3819 b"HY000" forgiven;
    CheckConstraintRefersUnknownColumn 3820 b"HY000";
    CheckConstraintNotFound 3821 b"HY000";
    CheckConstraintDupName 3822 b"HY000";
    DependentByFunctionalIndex 3837 b"HY000";
    InvalidJsonType 3853 b"22032";
    CannotConvertString 3854 b"HY000";
    DependentByPartitionFunction 3855 b"HY000";
    PasswordCannotBeRetained 3878 b"HY000";
    AuthidIsSystemUser 3880 b"HY000";
    IncorrectCurrentPassword 3891 b"HY000";
    MissingCurrentPassword 3892 b"HY000";
    CurrentPasswordNotRequired 3893 b"HY000";
    PasswordCannotBeRetainedOnPluginChange 3894 b"HY000";
    CurrentPasswordCannotBeRetained 3895 b"HY000";
    InvalidJsonValueForFuncIndex 3903 b"22018";
    JsonValueOutOfRangeForFuncIndex 3904 b"22003";
    ExceededMvKeysNum 3905 b"HY000";
    ExceededMvKeysSpace 3906 b"HY000";
    FunctionalIndexDataIsTooLong 3907 b"22001";
    WrongMviValue 3908 b"HY000";
    MultipleConstraintsWithSameName 3939 b"HY000";
    ConstraintNotFound 3940 b"HY000";
    ValuesClauseEmptyRow 3942 b"HY000";
    ValuesClauseDefault 3943 b"HY000";
    ClientLocalFilesDisabled 3948 b"42000";
    UserAccessDeniedForUserAccountBlockedByPasswordLock 3955 b"HY000";
    DependentByCheckConstraint 3959 b"HY000";
    MissingJsonValue 3966 b"22035";
    MultipleJsonValues 3967 b"22034";
    InvalidUserAttributeJson 3982 b"HY000";
    UserReferencedAsDefiner 4005 b"HY000";
    CannotUserReferencedAsDefiner 4006 b"HY000";
    RegexpNumberTooBig 4007 b"HY000";
    RoleGrantedToItself 4027 b"HY000";
    NoVisibleColumn 4028 b"HY000";
    JsonEndOfText 4037 b"HY000";
    JsonSyntax 4038 b"HY000";
    JsonDepth 4040 b"HY000";
    XaTempTable 4091 b"HY000";
    SetPasswordAuthPlugin 4102 b"HY000";
    LimitWithTies 4180 b"HY000";
    ExplainIntoImplicitFormat 6006 b"0A000";
    ExplainIntoFormat 6007 b"0A000";
    FkNoUniqueIndexParent 6125 b"HY000";
    ExplainAnalyzeJsonVersion 6412 b"0A000";
    TemporalOutOfRange 6527 b"22008" forgiven;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_ascend() {
        assert!(ErrorCode::ALL.is_sorted_by(|one, next| one.number() < next.number()));
    }

    #[test]
    fn states_are_of_classes_that_sql_knows() {
        for code in ErrorCode::ALL {
            let state = code.sqlstate();
            assert!(state.iter().all(|c| c.is_ascii_digit() || c.is_ascii_uppercase()), "{code:?}");
            assert_ne!(&state[..2], b"00", "{code:?} is no success");
        }
    }

    #[test]
    fn ignore_forgives_what_is_wrong_with_a_row_alone() {
        let forgiven = |code: ErrorCode| code.is_forgiven();
        assert!(forgiven(ErrorCode::DupEntry) && forgiven(ErrorCode::DataTooLong));
        assert!(!forgiven(ErrorCode::LockDeadlock) && !forgiven(ErrorCode::DiskFull));
    }
}
