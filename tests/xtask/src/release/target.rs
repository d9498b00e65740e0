//! What a release is built for.

use anyhow::{Result, bail};
use clap::ValueEnum;

/// A processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Arch {
    /// 64-bit x86
    #[value(name = "x86_64")]
    X86_64,
    /// 64-bit ARM
    Aarch64,
}

/// A C library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Libc {
    Gnu,
    Musl,
}

/// A processor with a C library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) arch: Arch,
    pub(crate) libc: Libc,
}

/// The newest glibc that a core may need: that of the oldest systems that JDKs of today run on.
pub(crate) const GLIBC: (u32, u32) = (2, 17);

impl Arch {
    /// Those of a release.
    pub(crate) const ALL: [Self; 2] = [Self::X86_64, Self::Aarch64];

    /// Its name in triples and in our own.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::X86_64 => "x86_64",
            Self::Aarch64 => "aarch64",
        }
    }

    /// That of this computer.
    pub(crate) fn host() -> Result<Self> {
        match std::env::consts::ARCH {
            "x86_64" => Ok(Self::X86_64),
            "aarch64" => Ok(Self::Aarch64),
            other => bail!("a release is built on x86_64 or aarch64, not on `{other}`"),
        }
    }
}

impl Target {
    /// Those that the base has cores for.
    pub(crate) fn cores() -> Vec<Self> {
        let libcs = [Libc::Gnu, Libc::Musl];
        Arch::ALL.iter().flat_map(|arch| libcs.map(|libc| Self { arch: *arch, libc })).collect()
    }

    /// The target of the static program.
    pub(crate) fn program(arch: Arch) -> Self {
        Self { arch, libc: Libc::Musl }
    }

    /// As rustc calls it.
    pub(crate) fn triple(self) -> String {
        let libc = if self.libc == Libc::Gnu { "gnu" } else { "musl" };
        format!("{}-unknown-linux-{libc}", self.arch.name())
    }

    /// As cargo-zigbuild calls it, with the version of glibc to link against.
    pub(crate) fn zig(self) -> String {
        match self.libc {
            Libc::Gnu => format!("{}.{}.{}", self.triple(), GLIBC.0, GLIBC.1),
            Libc::Musl => self.triple(),
        }
    }

    /// As its folder in a jar is called.
    pub(crate) fn name(self) -> String {
        let libc = if self.libc == Libc::Gnu { "gnu" } else { "musl" };
        format!("linux-{}-{libc}", self.arch.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_have_three_names() {
        let names: Vec<String> = Target::cores().iter().map(|target| target.name()).collect();
        assert_eq!(names, ["linux-x86_64-gnu", "linux-x86_64-musl", "linux-aarch64-gnu", "linux-aarch64-musl"]);
        let gnu = Target { arch: Arch::Aarch64, libc: Libc::Gnu };
        assert_eq!(
            (gnu.triple(), gnu.zig()),
            ("aarch64-unknown-linux-gnu".into(), "aarch64-unknown-linux-gnu.2.17".into())
        );
        assert_eq!(Target::program(Arch::X86_64).zig(), "x86_64-unknown-linux-musl");
    }
}
