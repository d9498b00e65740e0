//! Location kinds, and the one table of what is legal at each.

use std::fmt;

/// The kinds of places at which a handler can be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// At the start of the method.
    Entry,
    /// Before each return.
    Return,
    /// When an exception leaves the method.
    Error,
    /// At a call of a method.
    Call,
    /// At the first instruction of a source line.
    Line,
    /// At a read of a field.
    FieldGet,
    /// At a write of a field.
    FieldSet,
    /// At a read of an array element.
    ArrayGet,
    /// At a write of an array element.
    ArraySet,
    /// At a cast.
    CheckCast,
    /// At a test for a type.
    InstanceOf,
    /// At a throw statement.
    Throw,
    /// At the start of an exception handler.
    Catch,
    /// At the creation of an object.
    New,
    /// At the creation of an array.
    NewArray,
    /// At the entry of a monitor; on a synchronized method, its entry.
    SyncEntry,
    /// At the exit of a monitor; on a synchronized method, its return.
    SyncExit,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::Entry,
        Self::Return,
        Self::Error,
        Self::Call,
        Self::Line,
        Self::FieldGet,
        Self::FieldSet,
        Self::ArrayGet,
        Self::ArraySet,
        Self::CheckCast,
        Self::InstanceOf,
        Self::Throw,
        Self::Catch,
        Self::New,
        Self::NewArray,
        Self::SyncEntry,
        Self::SyncExit,
    ];

    /// The name of the enum constant in probes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Entry => "ENTRY",
            Self::Return => "RETURN",
            Self::Error => "ERROR",
            Self::Call => "CALL",
            Self::Line => "LINE",
            Self::FieldGet => "FIELD_GET",
            Self::FieldSet => "FIELD_SET",
            Self::ArrayGet => "ARRAY_GET",
            Self::ArraySet => "ARRAY_SET",
            Self::CheckCast => "CHECKCAST",
            Self::InstanceOf => "INSTANCEOF",
            Self::Throw => "THROW",
            Self::Catch => "CATCH",
            Self::New => "NEW",
            Self::NewArray => "NEWARRAY",
            Self::SyncEntry => "SYNC_ENTRY",
            Self::SyncExit => "SYNC_EXIT",
        }
    }

    /// The kind of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether it means the method as a whole and not one instruction of it.
    pub fn is_of_method(self) -> bool {
        matches!(self, Self::Entry | Self::Return | Self::Error)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// On which side of the place a handler runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Where {
    /// Before it is executed; what a probe means that does not say.
    #[default]
    Before,
    /// After it was executed without an exception.
    After,
}

/// What a handler can ask for besides plain parameters, as far as it depends on the place. `@Self`, `@ProbeClassName` and
/// `@ProbeMethodName` are legal everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feature {
    /// `where = AFTER`
    After,
    /// `@Return`
    Return,
    /// `@TargetInstance`
    TargetInstance,
    /// `@TargetMethodOrField`
    TargetMethodOrField,
    /// `@Duration`
    Duration,
    /// `@Sampled` on the handler
    Sampled,
    /// `@Location(clazz)`
    Clazz,
    /// `@Location(method)`
    Method,
    /// `@Location(field)`
    Field,
    /// `@Location(type)`
    Type,
    /// `@Location(line)`
    Line,
}

use Feature as F;
use Kind as K;

/// What each kind has; the last column only with `where = AFTER`, which every other one ignores.
const LEGAL: [(Kind, &[Feature], &[Feature]); 17] = [
    (K::Entry, &[F::Sampled], &[]),
    (K::Return, &[F::Return, F::Duration, F::Sampled], &[]),
    (K::Error, &[F::TargetInstance, F::Duration, F::Sampled], &[]),
    (
        K::Call,
        &[F::After, F::TargetInstance, F::TargetMethodOrField, F::Sampled, F::Clazz, F::Method, F::Type],
        &[F::Return, F::Duration],
    ),
    (K::Line, &[F::After, F::Line], &[]),
    (K::FieldGet, &[F::After, F::TargetInstance, F::TargetMethodOrField, F::Clazz, F::Field, F::Type], &[F::Return]),
    (K::FieldSet, &[F::After, F::TargetInstance, F::TargetMethodOrField, F::Clazz, F::Field, F::Type], &[]),
    (K::ArrayGet, &[F::After, F::TargetInstance, F::TargetMethodOrField, F::Type], &[F::Return]),
    (K::ArraySet, &[F::After, F::TargetInstance, F::TargetMethodOrField, F::Type], &[]),
    (K::CheckCast, &[F::After, F::TargetInstance, F::Clazz], &[]),
    (K::InstanceOf, &[F::After, F::TargetInstance, F::Clazz], &[]),
    (K::Throw, &[F::TargetInstance], &[]),
    (K::Catch, &[F::TargetInstance, F::Clazz], &[]),
    (K::New, &[F::After, F::Clazz], &[F::Return]),
    (K::NewArray, &[F::After, F::Clazz], &[F::Return]),
    (K::SyncEntry, &[F::After, F::TargetInstance], &[]),
    (K::SyncExit, &[F::After, F::TargetInstance], &[]),
];

/// Whether the feature has a meaning at this place.
pub(crate) fn is_legal(feature: Feature, kind: Kind, place: Where) -> bool {
    LEGAL.iter().any(|(k, always, after)| {
        *k == kind && (always.contains(&feature) || place == Where::After && after.contains(&feature))
    })
}

/// The places at which the feature has a meaning, for messages: `RETURN, CALL with where=AFTER`.
pub(crate) fn legal_places(feature: Feature) -> String {
    let places: Vec<String> = LEGAL
        .iter()
        .filter_map(|(kind, always, after)| {
            if always.contains(&feature) {
                Some(kind.to_string())
            } else if after.contains(&feature) {
                Some(format!("{kind} with where=AFTER"))
            } else {
                None
            }
        })
        .collect();
    match places.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => places.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_both_ways_and_the_table_has_every_kind_once() {
        for kind in Kind::ALL {
            assert_eq!(Kind::named(kind.name()), Some(kind));
            assert_eq!(LEGAL.iter().filter(|(k, ..)| *k == kind).count(), 1, "{kind}");
        }
        assert_eq!(Kind::named("RETURNS"), None);
    }

    /// The facts of the probe language, written down a second time the other way round.
    #[test]
    fn special_parameters_are_legal_where_the_language_says() {
        use Where::{After, Before};
        let places = |feature| -> Vec<(Kind, Where)> {
            Kind::ALL
                .into_iter()
                .flat_map(|k| [(k, Before), (k, After)])
                .filter(|&(k, w)| (w == Before || is_legal(F::After, k, Before)) && is_legal(feature, k, w))
                .collect()
        };
        assert_eq!(
            places(F::Return),
            [
                (K::Return, Before),
                (K::Call, After),
                (K::FieldGet, After),
                (K::ArrayGet, After),
                (K::New, After),
                (K::NewArray, After)
            ]
        );
        assert_eq!(places(F::Duration), [(K::Return, Before), (K::Error, Before), (K::Call, After)]);
        let both = |kinds: &[Kind]| kinds.iter().flat_map(|&k| [(k, Before), (k, After)]).collect::<Vec<_>>();
        let named = [K::Call, K::FieldGet, K::FieldSet, K::ArrayGet, K::ArraySet];
        assert_eq!(places(F::TargetMethodOrField), both(&named));
        let mut instance = vec![(K::Error, Before)];
        instance.extend(both(&named));
        instance.extend(both(&[K::CheckCast, K::InstanceOf]));
        instance.extend([(K::Throw, Before), (K::Catch, Before)]);
        instance.extend(both(&[K::SyncEntry, K::SyncExit]));
        assert_eq!(places(F::TargetInstance), instance);
        assert_eq!(legal_places(F::Duration), "RETURN, ERROR and CALL with where=AFTER");
        assert_eq!(legal_places(F::Line), "LINE");
    }
}
