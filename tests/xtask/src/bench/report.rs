//! Figures beside their goals.

use crate::tool::say;

/// What a figure should be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Goal {
    AtMost(f64),
    AtLeast(f64),
    /// There is none.
    Told,
}

impl Goal {
    fn met(self, value: f64) -> Option<bool> {
        match self {
            Self::AtMost(limit) => Some(value <= limit),
            Self::AtLeast(limit) => Some(value >= limit),
            Self::Told => None,
        }
    }
}

/// One measured figure.
#[derive(Debug)]
pub(super) struct Figure {
    what: String,
    value: f64,
    unit: &'static str,
    goal: Goal,
}

/// All figures so far.
#[derive(Debug, Default)]
pub(super) struct Report(Vec<Figure>);

impl Report {
    /// Adds a figure.
    pub(super) fn add(&mut self, what: impl Into<String>, value: f64, unit: &'static str, goal: Goal) {
        self.0.push(Figure { what: what.into(), value, unit, goal });
    }

    /// Prints all of them, the goals and whether they are met.
    pub(super) fn print(&self) {
        say("");
        for figure in &self.0 {
            say(&figure.line());
        }
    }
}

impl Figure {
    fn line(&self) -> String {
        let Self { what, value, unit, goal } = self;
        // Three digits that count, whether it is a ratio or a speed.
        let number = |value: f64| match value.abs() {
            size if size >= 100.0 => format!("{value:.0}"),
            size if size >= 10.0 => format!("{value:.1}"),
            _ => format!("{value:.2}"),
        };
        let goal_text = match goal {
            Goal::AtMost(limit) => format!("at most {}", number(*limit)),
            Goal::AtLeast(limit) => format!("at least {}", number(*limit)),
            Goal::Told => String::new(),
        };
        let verdict = match goal.met(*value) {
            Some(true) => "met",
            Some(false) => "missed",
            None => "",
        };
        format!("{what:<58} {:>6} {unit:<5} {goal_text:<15} {verdict}", number(*value)).trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_figure_stands_beside_its_goal() {
        let line = |value, goal| Figure { what: "a".into(), value, unit: "s", goal }.line();
        let words = |text: String| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
        assert_eq!(words(line(0.9, Goal::AtMost(0.9))), "a 0.90 s at most 0.90 met");
        assert_eq!(words(line(17.9, Goal::AtLeast(18.0))), "a 17.9 s at least 18.0 missed");
        assert_eq!(words(line(1500.2, Goal::Told)), "a 1500 s");
    }
}
