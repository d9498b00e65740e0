//! Instrumentation levels and sampling.

/// The levels at which a handler is active, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    /// The lowest one.
    pub from: i32,
    /// The highest one.
    pub to: i32,
}

impl Levels {
    /// Every level.
    pub const ALL: Self = Self { from: i32::MIN, to: i32::MAX };

    /// Reads `a..b` (either end may be missing), one of `= < > <= >=` with a number, or a number, which means that level or
    /// higher. Blanks are ignored; an empty text means every level.
    ///
    /// # Errors
    /// What is wrong with the text, for a message.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text: String = text.split_whitespace().collect();
        if text.is_empty() {
            return Ok(Self::ALL);
        }
        let number = |digits: &str| digits.parse::<i32>().map_err(|_| format!("`{digits}` is no number"));
        let end = |digits: &str, missing: i32| if digits.is_empty() { Ok(missing) } else { number(digits) };
        // Wider than the numbers, so that `> 2147483647` is seen to be empty.
        let (from, to) = if let Some((from, to)) = text.split_once("..") {
            (i64::from(end(from, i32::MIN)?), i64::from(end(to, i32::MAX)?))
        } else if let Some(rest) = text.strip_prefix("<=") {
            (i64::from(i32::MIN), i64::from(number(rest)?))
        } else if let Some(rest) = text.strip_prefix('<') {
            (i64::from(i32::MIN), i64::from(number(rest)?) - 1)
        } else if let Some(rest) = text.strip_prefix(">=") {
            (i64::from(number(rest)?), i64::from(i32::MAX))
        } else if let Some(rest) = text.strip_prefix('>') {
            (i64::from(number(rest)?) + 1, i64::from(i32::MAX))
        } else if let Some(rest) = text.strip_prefix('=') {
            let level = i64::from(number(rest)?);
            (level, level)
        } else {
            (i64::from(number(&text)?), i64::from(i32::MAX))
        };
        match (i32::try_from(from), i32::try_from(to)) {
            (Ok(from), Ok(to)) if from <= to => Ok(Self { from, to }),
            _ => Err("it holds no level".to_owned()),
        }
    }

    /// Whether a handler is active at this level.
    pub fn contains(self, level: i32) -> bool {
        (self.from..=self.to).contains(&level)
    }
}

/// How a handler is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// One of `mean` events on average.
    Const {
        /// At least 1.
        mean: u32,
    },
    /// So that the time between samples is `mean` nanoseconds on average or more.
    Adaptive {
        /// At least 1.
        mean: u32,
    },
}

impl Sampling {
    /// What a probe means that names no mean.
    pub const DEFAULT_MEAN: u32 = 10;

    /// From kind and mean as a probe gives them; `None` for the kind `None`.
    ///
    /// # Errors
    /// What is wrong, for a message.
    pub fn new(kind: &str, mean: i64) -> Result<Option<Self>, String> {
        let mean = u32::try_from(mean).ok().filter(|&m| m > 0);
        let mean = mean.ok_or_else(|| "the mean of `@Sampled` is at least 1".to_owned())?;
        match kind {
            "None" => Ok(None),
            "Const" => Ok(Some(Self::Const { mean })),
            "Adaptive" => Ok(Some(Self::Adaptive { mean })),
            other => Err(format!("`@Sampled` knows no kind `{other}`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Levels, Sampling};

    #[test]
    fn levels_are_read() {
        let (min, max) = (i32::MIN, i32::MAX);
        for (text, from, to) in [
            ("", min, max),
            ("1", 1, max),
            ("1..3", 1, 3),
            (" 1 .. 3 ", 1, 3),
            ("..3", min, 3),
            ("2..", 2, max),
            ("..", min, max),
            ("=2", 2, 2),
            ("< 2", min, 1),
            ("<=2", min, 2),
            (">2", 3, max),
            (">= 2", 2, max),
            ("-1..1", -1, 1),
        ] {
            assert_eq!(Levels::parse(text), Ok(Levels { from, to }), "{text}");
        }
        for text in ["a", "3..1", "> 2147483647", "< -2147483648", "==2", "1..2..3", "=", "99999999999"] {
            assert!(Levels::parse(text).is_err(), "{text}");
        }
    }

    /// A range holds exactly what its operator says.
    #[test]
    fn operators_agree_with_comparison() {
        for bound in [-2, 0, 1, 5, 1000] {
            for level in -3..7 {
                let holds = |text: String| Levels::parse(&text).unwrap().contains(level);
                assert_eq!(holds(format!("<{bound}")), level < bound);
                assert_eq!(holds(format!("<={bound}")), level <= bound);
                assert_eq!(holds(format!(">{bound}")), level > bound);
                assert_eq!(holds(format!(">={bound}")), level >= bound);
                assert_eq!(holds(format!("={bound}")), level == bound);
                assert_eq!(holds(format!("{bound}")), level >= bound);
                assert_eq!(holds(format!("{bound}..{}", bound + 2)), level >= bound && level <= bound + 2);
            }
        }
    }

    #[test]
    fn sampling_is_checked() {
        assert_eq!(Sampling::new("None", 10), Ok(None));
        assert_eq!(Sampling::new("Const", 1), Ok(Some(Sampling::Const { mean: 1 })));
        assert_eq!(Sampling::new("Adaptive", 500), Ok(Some(Sampling::Adaptive { mean: 500 })));
        for (kind, mean) in [("Const", 0), ("Const", -1), ("Some", 1), ("Const", 1 << 40)] {
            assert!(Sampling::new(kind, mean).is_err(), "{kind} {mean}");
        }
    }
}
