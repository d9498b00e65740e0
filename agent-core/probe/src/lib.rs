//! Probes: what a probe class asks for, which methods that means, and how the class is prepared for the target JVM.
//!
//! - [`read`] turns the bytes of a precompiled probe class into a [`Probe`]; what the language does not allow is refused by
//!   name, never ignored. [`Probe::unsupported`] says what this version's agent does not run.
//! - [`Matcher`] answers for all submitted probes at once which classes they want. For a class it is a
//!   [`Planner`](weaving::Planner): which calls go to entry and exits of a method and to the places in it.
//! - [`Counts`] tells how many methods each probe asks for.
//! - [`prepare`] rewrites the probe class so that its handlers can be linked.
//!
//! # Plain parameters
//!
//! Parameters without annotation receive, by kind:
//!
//! | kind | values |
//! |---|---|
//! | `ENTRY`, `RETURN` | the arguments of the method |
//! | `ERROR` | the exception; or else the arguments of the method, which are also what `AnyType[]` takes |
//! | `CALL` | the arguments of the method called |
//! | `LINE` | the line, an `int` |
//! | `FIELD_GET` | none (`@Return` takes the value) |
//! | `FIELD_SET` | the value to be set |
//! | `ARRAY_GET` | index; or array and index |
//! | `ARRAY_SET` | index and value; or array, index and value |
//! | `CHECKCAST`, `INSTANCEOF`, `NEW` | the Java name of the type asked for or made, a `String` |
//! | `NEWARRAY` | the Java name of the innermost element type, a `String`, and the number of dimensions of the array, an `int` |
//! | `THROW`, `CATCH` | the exception |
//! | `SYNC_ENTRY`, `SYNC_EXIT` | the lock |
//!
//! A handler without plain parameters takes a place with any values; otherwise all of them must fit, or it is not called
//! there. `AnyType` takes everything. Unless `exactTypeMatch` is set, a parameter also takes the subtypes of its type, and
//! a reference parameter those primitives whose box is one. Types are those that the code declares, not those of the values
//! that come along: elements of a reference array are `Object`, and what is thrown is a `Throwable`. Where it depends on a class
//! whose supertypes are not known yet, the call is woven and its name holds the [`Condition`]s: they are asked for behind the
//! call, until they can be answered. Before its class is known there is no value of a type, so nothing is missed.
//!
//! `@TargetMethodOrField` of an array access is the type of the array, as an array has no name. With `fqn = true` a method
//! reads `void a.B#place(java.lang.String, int)` and a field `int a.B#count`.
//!
//! Probes are trusted: nothing here checks what a handler does.

mod condition;
mod error;
mod fit;
mod hierarchy;
mod kind;
mod level;
mod matcher;
mod model;
mod name;
mod prepare;
mod read;
pub mod weaving;

pub use condition::Condition;
pub use error::Error;
pub use hierarchy::{Hierarchy, NoHierarchy};
pub use kind::{Kind, Where};
pub use level::{Levels, Sampling};
pub use matcher::{ClassMatcher, Counts, Matcher, is_refused, needs_direct_calls};
pub use model::{
    ClassPattern, Handler, Injected, Location, MethodPattern, Missing, Parameter, Pattern, Probe, ValueType,
};
pub use name::NamePattern;
pub use prepare::prepare;
pub use read::{read, uses_parameter};
