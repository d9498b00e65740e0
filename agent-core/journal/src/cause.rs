//! One line for each cause in a minute.

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// How long a cause is silent after a line.
const PAUSE: Duration = Duration::from_mins(1);
/// Causes that are told apart; all further ones share one.
const CAUSES: usize = 512;

/// What was said when, and how often it was not.
#[derive(Debug, Default)]
pub(crate) struct Causes(HashMap<Box<str>, Said>);

#[derive(Debug)]
struct Said {
    at: Instant,
    silenced: u64,
}

impl Causes {
    /// Whether a line may be written at this time: if so, how many of its cause were not since the last one.
    pub(crate) fn admit(&mut self, cause: &str, now: Instant) -> Option<u64> {
        let is_over = |said: &Said| now.saturating_duration_since(said.at) >= PAUSE;
        let mut cause = cause;
        if !self.0.contains_key(cause) && self.0.len() >= CAUSES {
            // One that was silenced has still to say how often.
            self.0.retain(|_, said| !is_over(said) || said.silenced > 0);
            if self.0.len() >= CAUSES {
                cause = "";
            }
        }
        match self.0.get_mut(cause) {
            None => {
                self.0.insert(cause.into(), Said { at: now, silenced: 0 });
                Some(0)
            }
            Some(said) if is_over(said) => {
                said.at = now;
                Some(std::mem::take(&mut said.silenced))
            }
            Some(said) => {
                said.silenced += 1;
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_heard_once_a_minute_and_counts_what_was_not() {
        let (mut causes, start) = (Causes::default(), Instant::now());
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        assert_eq!(causes.admit("a", at(0)), Some(0));
        assert_eq!(causes.admit("b", at(1)), Some(0));
        assert_eq!(causes.admit("a", at(1)), None);
        assert_eq!(causes.admit("a", at(59)), None);
        assert_eq!(causes.admit("a", at(60)), Some(2));
        assert_eq!(causes.admit("a", at(61)), None);
        assert_eq!(causes.admit("a", at(200)), Some(1));
        // A clock that goes back silences, it does not fail.
        assert_eq!(causes.admit("a", at(0)), None);
    }

    #[test]
    fn causes_beyond_the_limit_share_one_until_others_are_over() {
        let (mut causes, start) = (Causes::default(), Instant::now());
        for cause in 0..CAUSES {
            assert_eq!(causes.admit(&cause.to_string(), start), Some(0));
        }
        assert_eq!(causes.admit("more", start), Some(0));
        assert_eq!(causes.admit("yet more", start), None);
        assert!(causes.0.len() <= CAUSES + 1);
        let later = start + PAUSE;
        assert_eq!(causes.admit("yet more", later), Some(0));
        assert!(causes.0.len() < CAUSES);
    }
}
