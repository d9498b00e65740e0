//! What installed files were found to be, kept from one JVM to the next.
//!
//! An answer counts as long as path, size, both times and inode of each file that it came from are the same. The file of the
//! cache is a list of records, one line a field; it is believed only if the user of this process owns it and nobody else may
//! write to it, and is replaced by rename. Whatever is wrong with it, the files themselves are read.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use manifests::properties::Properties;

use crate::bundle::{self, Bundle, Files};
use crate::host::Host;

/// First line: magic and version.
const HEADER: &str = "fatagent-extensions 1";
/// A larger file is none of ours.
const LIMIT: u64 = 16 << 20;

/// The states of some files, by which a change of one is seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watch(Vec<Option<Stamp>>);

impl Watch {
    /// As they are now; where one is not there, that it is not.
    pub(crate) fn now<'p>(files: impl IntoIterator<Item = &'p Path>) -> Self {
        Self(files.into_iter().map(Stamp::of).collect())
    }

    /// As [`Self::now`], but blind to what changes a file's owner, mode and names only.
    pub(crate) fn of_contents<'p>(files: impl IntoIterator<Item = &'p Path>) -> Self {
        let stamps = files.into_iter().map(|path| Some(Stamp { changed: 0, ..Stamp::of(path)? }));
        Self(stamps.collect())
    }
}

/// What tells one state of a file from another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamp {
    path: PathBuf,
    size: u64,
    modified: i128,
    changed: i128,
    inode: u64,
}

impl Stamp {
    /// The state of a file or folder; nothing where it is not there.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let metadata = fs_err::metadata(path).ok()?;
        #[cfg(unix)]
        let (modified, changed, inode) = {
            use std::os::unix::fs::MetadataExt as _;
            let nanos = |seconds: i64, nanos: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
            let modified = nanos(metadata.mtime(), metadata.mtime_nsec());
            (modified, nanos(metadata.ctime(), metadata.ctime_nsec()), metadata.ino())
        };
        #[cfg(not(unix))]
        let (modified, changed, inode) = {
            let since = metadata.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
            (i128::try_from(since.as_nanos()).ok()?, 0, 0)
        };
        Some(Self { path: path.to_owned(), size: metadata.len(), modified, changed, inode })
    }
}

/// What a folder, zip or jar was found to be.
#[derive(Debug)]
struct Record {
    stamps: Vec<Stamp>,
    /// Empty once they were taken.
    bundles: Vec<Bundle>,
    /// What the file has, or is to have.
    text: String,
}

/// The cache of one user.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    file: Option<PathBuf>,
    known: HashMap<OsString, Record>,
    /// What this run asked for, in order.
    used: Vec<OsString>,
    changed: bool,
}

impl Cache {
    /// Opens the cache below the user's home; an empty one that is not kept where there is no home.
    pub(crate) fn open(host: &Host) -> Self {
        let file = host.home().map(|home| home.join(".btrace").join("cache").join("extensions"));
        let known = file.as_deref().filter(|file| is_trusted(file, host)).and_then(|file| fs_err::read(file).ok());
        let known = known.and_then(|bytes| parse(std::str::from_utf8(&bytes).ok()?)).unwrap_or_default();
        Self { file, known, used: Vec::new(), changed: false }
    }

    /// What is known of a folder, zip or jar, if it and its parts are as they were. It is told once.
    pub(crate) fn get(&mut self, path: &Path) -> Option<Vec<Bundle>> {
        let record = self.known.get_mut(path.as_os_str())?;
        if !record.stamps.iter().all(|stamp| Stamp::of(&stamp.path).as_ref() == Some(stamp)) {
            return None;
        }
        self.used.push(path.as_os_str().to_owned());
        Some(std::mem::take(&mut record.bundles))
    }

    /// Keeps what was found; `stamps` are those from before the files were read.
    pub(crate) fn put(&mut self, path: &Path, stamps: Vec<Stamp>, bundles: &[Bundle]) {
        let text = text(path, &stamps, bundles).unwrap_or_default();
        self.known.insert(path.as_os_str().to_owned(), Record { stamps, bundles: Vec::new(), text });
        self.used.push(path.as_os_str().to_owned());
        self.changed = true;
    }

    /// Writes the cache if it changed. That it cannot be written is no news: the next JVM reads the files again.
    pub(crate) fn save(&self) {
        let Some(file) = self.file.as_deref().filter(|_| self.changed) else { return };
        let mut text = format!("{HEADER}\n");
        // What another JVM looked for in other places stays as long as it is true.
        let used: HashSet<&OsString> = self.used.iter().collect();
        let others = self.known.iter().filter(|(path, record)| {
            !used.contains(path) && record.stamps.iter().all(|stamp| Stamp::of(&stamp.path).as_ref() == Some(stamp))
        });
        let used = self.used.iter().filter_map(|path| self.known.get(path));
        for record in used.chain(others.map(|(_, record)| record)) {
            text.push_str(&record.text);
        }
        let _ = replace(file, text.as_bytes());
    }
}

fn replace(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs_err::create_dir_all(folder)?;
    let part = folder.join(format!(".extensions.{}", std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written =
        options.open(&part).and_then(|mut out| out.write_all(bytes)).and_then(|()| fs_err::rename(&part, file));
    if written.is_err() {
        let _ = fs_err::remove_file(&part);
    }
    written
}

/// Whether nobody but the user of this process can have written a file.
fn is_trusted(file: &Path, host: &Host) -> bool {
    let Ok(metadata) = fs_err::symlink_metadata(file) else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        metadata.is_file()
            && metadata.len() <= LIMIT
            && host.user == Some(metadata.uid())
            && metadata.mode() & 0o022 == 0
    }
    #[cfg(not(unix))]
    {
        let _ = host;
        metadata.is_file() && metadata.len() <= LIMIT
    }
}

/// What the file has of a folder, zip or jar; nothing where a path is no text, so that it is read each time.
fn text(path: &Path, stamps: &[Stamp], bundles: &[Bundle]) -> Option<String> {
    let mut text = String::new();
    let _ = writeln!(text, "R{}", escape(path.to_str()?));
    for Stamp { path, size, modified, changed, inode } in stamps {
        let _ = writeln!(text, "S{size} {modified} {changed} {inode} {}", escape(path.to_str()?));
    }
    for Bundle { metadata, files, unreadable, legacy, signature } in bundles {
        let _ = match files {
            Files::Embedded { .. } => return None,
            Files::Pair { api, implementation } => {
                writeln!(text, "P{}\n+{}", escape(&api.to_string_lossy()), escape(&implementation.to_string_lossy()))
            }
            Files::Zip { zip, api, implementation } => {
                writeln!(text, "Z{}\n+{}\n+{}", escape(&zip.to_string_lossy()), escape(api), escape(implementation))
            }
            Files::Flat { jar } => writeln!(text, "F{}", escape(&jar.to_string_lossy())),
        };
        if *legacy {
            text.push_str("L\n");
        }
        if let Some(why) = signature {
            let _ = writeln!(text, "B{}", escape(why));
        }
        for (key, value) in metadata.to_properties().iter() {
            let _ = writeln!(text, "K{}\n+{}", escape(key), escape(value));
        }
        if let Some((_, raw)) = unreadable {
            let _ = writeln!(text, "Kpermissions\n+{}", escape(raw));
        }
        text.push_str("E\n");
    }
    Some(text)
}

/// Reads the whole file; nothing where it is malformed in any way.
fn parse(text: &str) -> Option<HashMap<OsString, Record>> {
    let mut rest = text.strip_prefix(HEADER)?.strip_prefix('\n')?;
    let mut known = HashMap::new();
    while !rest.is_empty() {
        let end = rest.find("\nR").map_or(rest.len(), |at| at + 1);
        let (path, record) = parse_record(&rest[..end])?;
        known.insert(path, record);
        rest = &rest[end..];
    }
    Some(known)
}

fn parse_record(text: &str) -> Option<(OsString, Record)> {
    let mut lines = text.lines();
    let path = OsString::from(&*unescape(lines.next()?.strip_prefix('R')?)?);
    let mut record = Record { stamps: Vec::new(), bundles: Vec::new(), text: text.to_owned() };
    while let Some(line) = lines.next() {
        let (kind, rest) = line.split_at_checked(1)?;
        if kind == "S" {
            let mut fields = rest.splitn(5, ' ');
            let mut field = || fields.next();
            record.stamps.push(Stamp {
                size: field()?.parse().ok()?,
                modified: field()?.parse().ok()?,
                changed: field()?.parse().ok()?,
                inode: field()?.parse().ok()?,
                path: PathBuf::from(&*unescape(field()?)?),
            });
            continue;
        }
        let first = unescape(rest)?;
        let files = match kind {
            "P" => Files::Pair { api: PathBuf::from(&*first), implementation: PathBuf::from(&*more(&mut lines)?) },
            "Z" => Files::Zip {
                zip: PathBuf::from(&*first),
                api: more(&mut lines)?.into_owned(),
                implementation: more(&mut lines)?.into_owned(),
            },
            "F" => Files::Flat { jar: PathBuf::from(&*first) },
            _ => return None,
        };
        let (mut legacy, mut signature, mut properties) = (false, None, Properties::default());
        loop {
            let (kind, rest) = lines.next()?.split_at_checked(1)?;
            match kind {
                "L" => legacy = true,
                "B" => signature = Some(unescape(rest)?.into_owned()),
                "K" => properties.set(&unescape(rest)?, &more(&mut lines)?),
                "E" => break,
                _ => return None,
            }
        }
        let (metadata, unreadable) = bundle::of_properties(&properties, "").ok()?;
        record.bundles.push(Bundle { metadata, files, unreadable, legacy, signature });
    }
    Some((path, record))
}

/// The next part of what the line before began.
fn more<'t>(lines: &mut std::str::Lines<'t>) -> Option<Cow<'t, str>> {
    unescape(lines.next()?.strip_prefix('+')?)
}

fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(['%', '\n', '\r']) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace('%', "%25").replace('\n', "%0A").replace('\r', "%0D"))
}

fn unescape(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        out.push(match rest.get(at + 1..at + 3)? {
            "25" => '%',
            "0A" => '\n',
            "0D" => '\r',
            _ => return None,
        });
        rest = &rest[at + 3..];
    }
    out.push_str(rest);
    Some(Cow::Owned(out))
}
