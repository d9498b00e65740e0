//! The order that `requires` asks for, and what cannot be satisfied.

use crate::resolve::{Extension, Status};

/// Makes unusable what requires something that is absent, unusable, or in the end itself; sorts what is required before what
/// requires it, and else by id.
pub(crate) fn order(extensions: &mut Vec<Extension>) {
    extensions.sort_by(|one, other| one.metadata.id.cmp(&other.metadata.id));
    let mut order: Vec<usize> = Vec::with_capacity(extensions.len());
    let mut state = vec![State::New; extensions.len()];
    for at in 0..extensions.len() {
        visit(at, extensions, &mut state, &mut Vec::new(), &mut order);
    }
    let mut sorted: Vec<Option<Extension>> = extensions.drain(..).map(Some).collect();
    extensions.extend(order.into_iter().filter_map(|at| sorted[at].take()));
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    Done,
}

fn visit(at: usize, all: &mut [Extension], state: &mut [State], path: &mut Vec<usize>, order: &mut Vec<usize>) {
    if state[at] != State::New {
        return;
    }
    state[at] = State::Open;
    path.push(at);
    for required in all[at].metadata.requires.clone() {
        match all.iter().position(|extension| extension.metadata.id == required) {
            None => unusable(&mut all[at], format!("it requires the extension `{required}`, which is not there")),
            Some(next) if state[next] == State::Open => {
                let from = path.iter().position(|known| *known == next).unwrap_or(0);
                let circle: Vec<usize> = path[from..].to_vec();
                let names: Vec<String> =
                    circle.iter().chain([&next]).map(|at| format!("`{}`", all[*at].metadata.id)).collect();
                let why = format!("extensions require each other in a circle: {}", names.join(" -> "));
                for member in circle {
                    unusable(&mut all[member], why.clone());
                }
            }
            Some(next) => {
                visit(next, all, state, path, order);
                if !all[next].is_usable() {
                    let how = match all[next].status {
                        Status::Disabled { .. } => "disabled",
                        Status::Denied { .. } => "denied",
                        Status::Damaged { .. } | Status::Unusable { .. } | Status::Usable => "not usable",
                    };
                    unusable(&mut all[at], format!("it requires the extension `{required}`, which is {how}"));
                }
            }
        }
    }
    path.pop();
    state[at] = State::Done;
    order.push(at);
}

/// What somebody decided stays the reason.
fn unusable(extension: &mut Extension, why: String) {
    if extension.is_usable() {
        extension.status = Status::Unusable { why };
    }
}
