//! How much is said.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// How much a line matters; as a threshold, from which level on lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Level {
    /// Every step.
    Trace,
    /// What was decided and why.
    Debug,
    /// What was done.
    Info,
    /// What was left out, and what to do about it.
    Warn,
    /// What the agent does without from now on.
    Error,
    /// As a threshold: nothing.
    Off,
}

impl Level {
    /// All levels, the lowest first.
    pub const ALL: [Self; 6] = [Self::Trace, Self::Debug, Self::Info, Self::Warn, Self::Error, Self::Off];

    /// The level of a number that was made by `as u8`; anything larger is [`Level::Off`].
    pub fn from_number(number: u8) -> Self {
        Self::ALL.get(usize::from(number)).copied().unwrap_or(Self::Off)
    }

    /// The name as lines have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Trace => "TRACE",
            Self::Debug => "DEBUG",
            Self::Info => "INFO",
            Self::Warn => "WARN",
            Self::Error => "ERROR",
            Self::Off => "OFF",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Level {
    type Err = Error;

    /// Reads a name in any case; `warning` is a second name of `warn`.
    fn from_str(text: &str) -> Result<Self, Error> {
        let name = text.trim();
        let known = Self::ALL.into_iter().find(|level| level.name().eq_ignore_ascii_case(name));
        let known = known.or_else(|| name.eq_ignore_ascii_case("warning").then_some(Self::Warn));
        known.ok_or_else(|| Error::Level(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_case_and_written_back() {
        for level in Level::ALL {
            assert_eq!(level.name().to_lowercase().parse(), Ok(level));
            assert_eq!(level.to_string().parse(), Ok(level));
            assert_eq!(Level::from_number(level as u8), level);
        }
        assert_eq!(" Warning ".parse(), Ok(Level::Warn));
        assert_eq!("loud".parse::<Level>(), Err(Error::Level("loud".to_owned())));
        assert_eq!(Level::from_number(200), Level::Off);
        assert!(Level::ALL.is_sorted());
    }
}
