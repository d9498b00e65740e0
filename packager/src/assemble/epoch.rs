//! The one time that every entry of an output carries.

use std::env::{self, VarError};
use std::time::{SystemTime, UNIX_EPOCH};

use zip::DateTime;

use crate::error::{Error, Result};

/// Name of the environment variable of the reproducible-builds convention: seconds since 1970-01-01 UTC.
const VARIABLE: &str = "SOURCE_DATE_EPOCH";

/// The first moment a zip can express, 1980-01-01 00:00 UTC, in seconds since 1970.
const FIRST: u64 = 315_532_800;

/// The last second a zip can express, 2107-12-31 23:59:59 UTC, in seconds since 1970.
const LAST: u64 = 4_354_819_199;

/// The time of all entries, in UTC and without a time zone, so that the output does not depend on one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryTime(DateTime);

impl Default for EntryTime {
    /// 1980-01-01 00:00, the first moment a zip can express.
    fn default() -> Self {
        Self(DateTime::default())
    }
}

impl EntryTime {
    /// The time of the environment's `SOURCE_DATE_EPOCH`, or the default when it is not set.
    ///
    /// # Errors
    /// The variable is not a number of seconds, or lies after 2107, which a zip cannot express.
    pub fn from_environment() -> Result<Self> {
        variable()?.map_or_else(|| Ok(Self::default()), |text| Self::parse(&text))
    }

    /// The time that `text`, seconds since 1970-01-01 UTC, stands for. A time before 1980 becomes 1980-01-01, since a
    /// zip can express nothing earlier and 0 is a common setting.
    ///
    /// # Errors
    /// As [`EntryTime::from_environment`].
    pub fn parse(text: &str) -> Result<Self> {
        let moment = Moment::of(seconds(text)?.max(FIRST));
        let Moment { month, day, hour, minute, second, .. } = moment;
        let time = u16::try_from(moment.year)
            .ok()
            .and_then(|year| DateTime::from_date_and_time(year, month, day, hour, minute, second).ok());
        time.map(Self).ok_or_else(|| malformed(text))
    }

    /// The time as the `zip` crate wants it.
    pub(crate) fn zip(self) -> DateTime {
        self.0
    }
}

/// A moment in UTC, to the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) year: u64,
    pub(crate) month: u8,
    pub(crate) day: u8,
    pub(crate) hour: u8,
    pub(crate) minute: u8,
    pub(crate) second: u8,
}

impl Moment {
    /// The one so many seconds after 1970.
    pub(crate) fn of(seconds: u64) -> Self {
        let (year, month, day) = civil(seconds / 86_400);
        let of_day = seconds % 86_400;
        let [hour, minute, second] = [of_day / 3600, of_day / 60 % 60, of_day % 60].map(|n| n as u8);
        Self { year, month, day, hour, minute, second }
    }

    /// The environment's `SOURCE_DATE_EPOCH`, or now where it is not set.
    ///
    /// # Errors
    /// As [`EntryTime::from_environment`].
    pub(crate) fn from_environment() -> Result<Self> {
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Ok(Self::of(variable()?.map_or_else(|| Ok(now()), |text| seconds(&text))?))
    }
}

/// The value of the variable, where it is set.
fn variable() -> Result<Option<String>> {
    match env::var(VARIABLE) {
        Ok(text) => Ok(Some(text)),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(text)) => Err(malformed(&text.to_string_lossy())),
    }
}

fn seconds(text: &str) -> Result<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let seconds = text.parse().ok().filter(|seconds| digits && *seconds <= LAST);
    seconds.ok_or_else(|| malformed(text))
}

fn malformed(text: &str) -> Error {
    Error::Epoch { value: text.to_owned() }
}

/// Year, month and day of the `days`-th day after 1970-01-01, in the proleptic Gregorian calendar.
fn civil(days: u64) -> (u64, u8, u8) {
    let mut year = 1970;
    let mut rest = days;
    loop {
        let length = if leap(year) { 366 } else { 365 };
        if rest < length {
            break;
        }
        rest -= length;
        year += 1;
    }
    let february = if leap(year) { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if rest < length {
            break;
        }
        rest -= length;
        month += 1;
    }
    (year, month, rest as u8 + 1)
}

fn leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let t = EntryTime::parse(text).unwrap().zip();
        format!("{}-{:02}-{:02} {:02}:{:02}:{:02}", t.year(), t.month(), t.day(), t.hour(), t.minute(), t.second())
    }

    #[test]
    fn known_moments() {
        // The right-hand sides are what `date -u -d @N` prints, seconds rounded down to even ones.
        assert_eq!(shown("315532800"), "1980-01-01 00:00:00");
        assert_eq!(shown("951782399"), "2000-02-28 23:59:58");
        assert_eq!(shown("951782400"), "2000-02-29 00:00:00");
        assert_eq!(shown("1709210096"), "2024-02-29 12:34:56");
        assert_eq!(shown("4107542399"), "2100-02-28 23:59:58");
        assert_eq!(shown("4107542400"), "2100-03-01 00:00:00");
        assert_eq!(shown("4354819198"), "2107-12-31 23:59:58");
    }

    #[test]
    fn earlier_times_become_the_first_one() {
        assert_eq!(shown("0"), "1980-01-01 00:00:00");
        assert_eq!(EntryTime::parse("1").unwrap(), EntryTime::default());
    }

    #[test]
    fn malformed_values_are_errors() {
        for text in ["", " 1", "-1", "+5", "1.5", "now", "4354819200", "99999999999999999999", "18446744073709551615"] {
            let error = EntryTime::parse(text).unwrap_err();
            assert!(error.to_string().ends_with(&format!("`{text}`")), "{error}");
        }
    }
}
