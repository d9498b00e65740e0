//! `java -jar agent.jar …`: attaches this jar to a running JVM.

use crate::jar::Jar;
use crate::log::chain;
use std::io::Write;
use std::path::{Path, PathBuf};

const USAGE: &str = "usage: java -jar agent.jar PID [ARGUMENTS]   attach to a JVM, with agent arguments (k=v,…)
       java -jar agent.jar off PID           take all probes off a JVM
       java -jar agent.jar extract [FOLDER]  write the native core out, for -agentpath
       java -jar agent.jar --version | --help
";

/// Runs a command line; returns the exit code.
pub(crate) fn run(jar: &str, arguments: &[String]) -> i32 {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["--help" | "-h"] => print(USAGE),
        ["--version"] => version(jar),
        ["off", pid] => attach(jar, pid, "off"),
        ["extract"] => extract(jar, Path::new(".")),
        ["extract", folder] => extract(jar, Path::new(folder)),
        [pid] if is_number(pid) => attach(jar, pid, ""),
        [pid, rest] if is_number(pid) => attach(jar, pid, rest),
        _ => {
            eprint(&format!("error: not understood: {}\n{USAGE}", words.join(" ")));
            return 2;
        }
    };
    match done {
        Ok(()) => 0,
        Err(text) => {
            eprint(&format!("error: {text}\n"));
            1
        }
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn attach(jar: &str, pid: &str, arguments: &str) -> Result<(), String> {
    let number: u32 = pid.parse().map_err(|_| format!("not a process id: {pid}"))?;
    let path = std::path::absolute(jar).map_err(|e| e.to_string())?;
    let done = client::attach(number).and_then(|session| session.load_jar(&path, &client::signed(arguments)));
    done.map_err(|e| {
        let hint = e.hint();
        chain(&format!("cannot attach to {pid}"), &e, hint).replace("; hint: ", "\nhint: ")
    })
}

fn version(jar: &str) -> Result<(), String> {
    let opened = Jar::open(Path::new(jar)).map_err(|e| format!("{jar}: {e}"))?;
    let part = |name| opened.attribute(name).unwrap_or("unknown");
    print(&format!(
        "{} {} (build {})\n",
        part("Implementation-Title"),
        part("Implementation-Version"),
        part("BTrace-Build-Id")
    ))
}

/// Writes the core of the running system, which is the one that this code came from.
fn extract(jar: &str, folder: &Path) -> Result<(), String> {
    let opened = Jar::open(Path::new(jar)).map_err(|e| format!("{jar}: {e}"))?;
    let target = crate::jar::target();
    let entry = format!("META-INF/btrace/native/{target}/libagent_core.so");
    let bytes = opened
        .entry(&entry)
        .map_err(|e| format!("{jar}: {e}"))?
        .ok_or_else(|| format!("{jar} holds no core for {target}"))?;
    fs_err::create_dir_all(folder).map_err(|e| e.to_string())?;
    let file: PathBuf = folder.join("libagent_core.so");
    let part = folder.join(format!(".libagent_core.so.{}", std::process::id()));
    let written = fs_err::write(&part, bytes).and_then(|()| fs_err::rename(&part, &file));
    if let Err(e) = written {
        let _ = fs_err::remove_file(&part);
        return Err(e.to_string());
    }
    print(&format!("{}\n", file.display()))
}

fn print(text: &str) -> Result<(), String> {
    std::io::stdout().write_all(text.as_bytes()).map_err(|e| e.to_string())
}

fn eprint(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
