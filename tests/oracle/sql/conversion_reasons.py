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


def is_approximate(name):
    return name in ("FLOAT", "DOUBLE")


REASONS = (
    ("refused by both, with another number of the error", both_refuse),
    ("JSON has the digits that it came with, and a number of it is one to every column", is_json),
    ("a TIME before midnight is of yesterday; MySQL takes it for today's where a DATE is wanted", time_to_day),
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
        "positions in an ENUM are cut from a DECIMAL, too; MySQL's ALTER finds none",
        lambda cell, right, given: cell.source.startswith("DECIMAL") and cell.target.startswith("ENUM"),
    ),
    (
        "the zeros that fill a BINARY up are no part of a word here; MySQL's newer collations pass over them",
        lambda cell, right, given: cell.source.startswith("BINARY") and cell.target.startswith(("ENUM", "SET")),
    ),
    (
        "the day of a moment is its day",
        lambda cell, right, given: has_day(cell.source) and cell.target == "DATE",
    ),
    (
        "the years of numbers with a fraction are cut, as MySQL's INSERT cuts them; its ALTER rounds",
        lambda cell, right, given: is_approximate(cell.source) and cell.target == "YEAR",
    ),
    (
        "a FLOAT of many digits is written without an exponent, so that ALTER's text of it is no small time",
        lambda cell, right, given: cell.source == "FLOAT" and has_no_day(cell.target) and cell.way == "alter",
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
        "bytes that are no UTF-8 are question marks in a text; MySQL ends the text there",
        lambda cell, right, given: cell.source.startswith("BIT") and "?" in given and given.startswith(right),
    ),
    (
        "the year of a moment is its year, of a column as of a constant; MySQL takes that of a column for its digits",
        lambda cell, right, given: has_day(cell.source) and cell.target == "YEAR",
    ),
)
