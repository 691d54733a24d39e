//! The table of flights: the 93 columns of the US Bureau of Transportation Statistics, by their
//! names, and the indexes that the source documents made.
//!
//! Not here: what is in them (`flights`).

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// A number of up to 127.
    Tiny,
    /// A number of up to 32,767.
    Small,
    /// A larger number.
    Int,
    /// A day.
    Date,
    /// Text of up to so many characters.
    Text(u16),
}

/// Columns in order, before those of diverted flights.
const FIRST: [(&str, Type); 58] = [
    ("Year", Type::Small),
    ("Quarter", Type::Tiny),
    ("Month", Type::Tiny),
    ("DayofMonth", Type::Tiny),
    ("DayOfWeek", Type::Tiny),
    ("FlightDate", Type::Date),
    ("UniqueCarrier", Type::Text(7)),
    ("AirlineID", Type::Int),
    ("Carrier", Type::Text(2)),
    ("TailNum", Type::Text(50)),
    ("FlightNum", Type::Text(10)),
    ("Origin", Type::Text(5)),
    ("OriginCityName", Type::Text(100)),
    ("OriginState", Type::Text(2)),
    ("OriginStateFips", Type::Text(10)),
    ("OriginStateName", Type::Text(100)),
    ("OriginWac", Type::Int),
    ("Dest", Type::Text(5)),
    ("DestCityName", Type::Text(100)),
    ("DestState", Type::Text(2)),
    ("DestStateFips", Type::Text(10)),
    ("DestStateName", Type::Text(100)),
    ("DestWac", Type::Int),
    ("CRSDepTime", Type::Int),
    ("DepTime", Type::Int),
    ("DepDelay", Type::Int),
    ("DepDelayMinutes", Type::Int),
    ("DepDel15", Type::Int),
    ("DepartureDelayGroups", Type::Int),
    ("DepTimeBlk", Type::Text(20)),
    ("TaxiOut", Type::Int),
    ("WheelsOff", Type::Int),
    ("WheelsOn", Type::Int),
    ("TaxiIn", Type::Int),
    ("CRSArrTime", Type::Int),
    ("ArrTime", Type::Int),
    ("ArrDelay", Type::Int),
    ("ArrDelayMinutes", Type::Int),
    ("ArrDel15", Type::Int),
    ("ArrivalDelayGroups", Type::Int),
    ("ArrTimeBlk", Type::Text(20)),
    ("Cancelled", Type::Tiny),
    ("CancellationCode", Type::Text(1)),
    ("Diverted", Type::Tiny),
    ("CRSElapsedTime", Type::Int),
    ("ActualElapsedTime", Type::Int),
    ("AirTime", Type::Int),
    ("Flights", Type::Int),
    ("Distance", Type::Int),
    ("DistanceGroup", Type::Tiny),
    ("CarrierDelay", Type::Int),
    ("WeatherDelay", Type::Int),
    ("NASDelay", Type::Int),
    ("SecurityDelay", Type::Int),
    ("LateAircraftDelay", Type::Int),
    ("FirstDepTime", Type::Text(10)),
    ("TotalAddGTime", Type::Text(10)),
    ("LongestAddGTime", Type::Text(10)),
];

/// Of a diverted flight.
const DIVERTED: [&str; 5] =
    ["DivAirportLandings", "DivReachedDest", "DivActualElapsedTime", "DivArrDelay", "DivDistance"];
/// Of each airport that it was diverted to.
const AIRPORTS: usize = 5;
const AT_AIRPORT: [&str; 6] =
    ["Airport", "WheelsOn", "TotalGTime", "LongestGTime", "WheelsOff", "TailNum"];

/// Columns that flights that arrive leave empty.
pub const EMPTY: usize = DIVERTED.len() + AIRPORTS * AT_AIRPORT.len();

/// Columns of a flight that arrives where it should.
pub const FILLED: usize = FIRST.len();

/// The indexes of the documents.
const INDEXES: [&str; 7] = [
    "KEY (Year)",
    "KEY (Carrier)",
    "KEY (DayOfWeek)",
    "KEY (DepDelay)",
    "KEY (Year, DayOfWeek)",
    "KEY (Year, Carrier)",
    "KEY (Origin)",
];

/// The statement that makes `ontime`, with the documents' indexes or none, and a word for its
/// engine.
pub fn create(engine: &str, indexed: bool) -> String {
    let mut parts: Vec<String> = FIRST
        .iter()
        .map(|(name, ty)| {
            let ty = match ty {
                Type::Tiny => "TINYINT".to_owned(),
                Type::Small => "SMALLINT".to_owned(),
                Type::Int => "INT".to_owned(),
                Type::Date => "DATE".to_owned(),
                Type::Text(characters) => format!("VARCHAR({characters})"),
            };
            format!("{name} {ty}")
        })
        .collect();
    parts.extend(DIVERTED.iter().map(|name| format!("{name} VARCHAR(10)")));
    for airport in 1..=AIRPORTS {
        parts.extend(AT_AIRPORT.iter().map(|name| format!("Div{airport}{name} VARCHAR(10)")));
    }
    if indexed {
        parts.extend(INDEXES.iter().map(|index| (*index).to_owned()));
    }
    format!("CREATE TABLE ontime ({}){engine}", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_93_columns() {
        assert_eq!(FILLED + EMPTY, 93);
        assert_eq!(create("", false).matches(',').count(), 92);
    }
}
