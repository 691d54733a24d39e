"""Why some cells of the matrix of conversions differ from MySQL, each with the test that finds them."""


def reason_for(cell, right, given):
    """A sentence, or `None` for a difference that nobody has explained."""
    for sentence, holds in REASONS:
        if holds(cell, right, given):
            return sentence
    return None


def both_refuse(cell, right, given):
    return right.startswith("error ") and given.startswith("error ")


def is_json(cell, right, given):
    return cell.source == "JSON" or cell.target == "JSON"


def has_no_day(name):
    return name.startswith("TIME") and not name.startswith("TIMESTAMP")


def has_day(name):
    return name.startswith(("DATE", "TIMESTAMP"))


def time_to_day(cell, right, given):
    return has_no_day(cell.source) and cell.target == "DATE" and (cell.value.startswith("'-") or cell.value == "all")


def number_or_text_to_time(cell, right, given):
    texts = ("CHAR", "VARCHAR", "TEXT", "BINARY", "VARBINARY", "BLOB")
    numbers = ("TINYINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL", "BIT")
    is_temporal = has_no_day(cell.target) or has_day(cell.target)
    return is_temporal and cell.source.startswith(texts + numbers)


def is_approximate(name):
    return name in ("FLOAT", "DOUBLE")


REASONS = (
    ("refused by both, with another number of the error", both_refuse),
    ("JSON is kept as the text that came in, and such a text is what other columns are given", is_json),
    ("a TIME before midnight is of yesterday; MySQL takes it for today's where a DATE is wanted", time_to_day),
    (
        "what is no time, or more than one of the calendar, is rounded, refused or cut as in MariaDB 10.11",
        number_or_text_to_time,
    ),
    (
        "24:00:00 of a rounded time of day is the midnight of the next",
        lambda cell, right, given: has_day(cell.source) and has_no_day(cell.target),
    ),
    (
        "a FLOAT or DOUBLE of which no digit fits into a text column is rounded to a whole number",
        lambda cell, right, given: is_approximate(cell.source)
        and (cell.target == "VARCHAR(2)" or cell.target == "BINARY(4)" and cell.value in ("1.17549e-30", "all")),
    ),
    (
        "positions in an ENUM are cut from a FLOAT or DOUBLE by every statement; MySQL's ALTER rounds them",
        lambda cell, right, given: is_approximate(cell.source) and cell.target.startswith("ENUM"),
    ),
    (
        "positions in an ENUM are cut from a DECIMAL, too; MySQL's ALTER finds none and MariaDB's rounds",
        lambda cell, right, given: cell.source.startswith("DECIMAL") and cell.target.startswith("ENUM"),
    ),
    (
        "the zeros that fill a BINARY up are no part of a word to MariaDB 10.11 and here",
        lambda cell, right, given: cell.source.startswith("BINARY") and cell.target.startswith(("ENUM", "SET")),
    ),
    (
        "the day of a moment is its day, as in MariaDB 10.11; MySQL rounds to the next",
        lambda cell, right, given: has_day(cell.source) and cell.target == "DATE",
    ),
    (
        "the years of numbers with a fraction are cut, as in MariaDB 10.11",
        lambda cell, right, given: is_approximate(cell.source) and cell.target == "YEAR",
    ),
    (
        "the empty value of an ENUM or SET is no time, as in MariaDB 10.11",
        lambda cell, right, given: cell.source.startswith(("ENUM", "SET")) and has_no_day(cell.target),
    ),
    (
        "numbers beyond BIGINT end at the limit of their own type",
        lambda cell, right, given: cell.source == "DOUBLE" and cell.target == "BIGINT UNSIGNED",
    ),
    (
        "a DOUBLE beyond BIGINT is the largest in a BIT; MySQL's ALTER refuses it in strict mode",
        lambda cell, right, given: cell.source == "DOUBLE" and cell.target == "BIT(64)" and right == "error 1292",
    ),
    (
        "bytes that are no UTF-8 are question marks in a text, as in MariaDB 10.11; MySQL ends the text there",
        lambda cell, right, given: cell.source.startswith("BIT") and "?" in given and given.startswith(right),
    ),
    (
        "the year of a moment is its year, as in MariaDB 10.11; MySQL has 0000",
        lambda cell, right, given: has_day(cell.source) and cell.target == "YEAR",
    ),
)
