//! Times as texts.

use std::time::{SystemTime, UNIX_EPOCH};

/// A time in UTC as RFC 3339 with milliseconds, `2026-12-01T11:05:00.123Z`; one before 1970 reads as 1970.
pub fn timestamp(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (seconds, millis) = (since.as_secs(), since.subsec_millis());
    let (days, in_day) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (in_day / 3_600, in_day / 60 % 60, in_day % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// Year, month and day of a day since 1970. Counts in years that begin in March, so that a leap day comes last.
fn date(days: u64) -> (u64, u64, u64) {
    // Days from March 1st of the year 0 to 1970, and in 400 years.
    const BEFORE: u64 = 719_468;
    const CYCLE: u64 = 146_097;
    let days = days + BEFORE;
    let (cycle, in_cycle) = (days / CYCLE, days % CYCLE);
    let year = (in_cycle - in_cycle / 1_460 + in_cycle / 36_524 - in_cycle / (CYCLE - 1)) / 365;
    let in_year = in_cycle - (365 * year + year / 4 - year / 100);
    let from_march = (5 * in_year + 2) / 153;
    let day = in_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (cycle * 400 + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn times_are_those_of_the_calendar() {
        let at = |millis: u64| timestamp(UNIX_EPOCH + Duration::from_millis(millis));
        assert_eq!(at(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(at(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(at(951_868_799_999), "2000-02-29T23:59:59.999Z");
        assert_eq!(at(1_709_251_200_000), "2024-03-01T00:00:00.000Z");
        assert_eq!(at(1_798_761_599_001), "2026-12-31T23:59:59.001Z");
        assert_eq!(at(4_107_542_400_000), "2100-03-01T00:00:00.000Z");
        assert_eq!(timestamp(UNIX_EPOCH - Duration::from_secs(1)), "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn days_follow_each_other_for_four_centuries() {
        let mut last = date(0);
        for day in 1..146_097 {
            let now = date(day);
            let next = (last.0, last.1, last.2 + 1);
            let next_month = (last.0, last.1 + 1, 1);
            assert!(now == next || now == next_month || now == (last.0 + 1, 1, 1), "{last:?} {now:?}");
            last = now;
        }
        assert_eq!(last, (2369, 12, 31));
    }
}
