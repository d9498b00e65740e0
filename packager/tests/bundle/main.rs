//! `fatagent extension build` on real sources, and agents that embed what it makes.

mod api;
mod build;
mod embed;
mod work;
