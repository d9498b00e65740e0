//! Files that stay below a size.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// When a file is rolled, and what is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all parts together.
    total: Option<u64>,
    /// Older parts that are kept, at least one.
    rolls: u32,
    /// How long one part is written to.
    age: Option<Duration>,
}

impl Limits {
    /// One file without an end.
    pub const NONE: Self = Self { total: None, rolls: 1, age: None };

    /// A file that is rolled so often that it and its `rolls` older parts stay below `total` bytes together.
    pub fn sized(total: u64, rolls: u32) -> Self {
        Self { total: Some(total), rolls: rolls.max(1), age: None }
    }

    /// Limits as they are given: any of them may be missing.
    pub fn new(total: Option<u64>, rolls: u32, age: Option<Duration>) -> Self {
        Self { total, rolls: rolls.max(1), age: age.filter(|age| !age.is_zero()) }
    }

    /// Bytes of one part.
    fn part(&self) -> Option<u64> {
        self.total.map(|total| (total / (u64::from(self.rolls) + 1)).max(1))
    }
}

/// A file that texts are appended to, each by one call of the system, so that those of several threads and processes never
/// mix. When it is full or old enough, `x` becomes `x.1`, what was `x.1` becomes `x.2`, and what is too much is removed.
///
/// Several processes may have the same file: whoever finds it full first rolls it, and the others go on in the new one.
/// Which part a text of another process goes to in that moment is left open.
#[derive(Debug)]
pub struct RollingFile {
    path: PathBuf,
    limits: Limits,
    open: Mutex<Open>,
}

#[derive(Debug)]
struct Open {
    file: File,
    since: Instant,
}

impl Open {
    fn new(path: &Path) -> io::Result<Self> {
        Ok(Self { file: OpenOptions::new().create(true).append(true).open(path)?, since: Instant::now() })
    }
}

impl RollingFile {
    /// Opens a file for appending, and makes it where there is none.
    pub fn open(path: &Path, limits: Limits) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), limits, open: Mutex::new(Open::new(path)?) })
    }

    /// The path of the newest part.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a text whole; one that is larger than a part has a part of its own.
    ///
    /// Fails where the text cannot be written, or would not fit and the file cannot be rolled.
    pub fn append(&self, text: &str) -> io::Result<()> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_full(&open, text)? {
            self.roll(&mut open)?;
        } else if self.limits.age.is_some_and(|age| open.since.elapsed() >= age) {
            // A part that becomes older than asked for is better than a text that is lost, and an empty one is none.
            if open.file.metadata()?.len() == 0 || self.roll(&mut open).is_err() {
                open.since = Instant::now();
            }
        }
        (&open.file).write_all(text.as_bytes())
    }

    /// Asks the system, since other processes may append, too.
    fn is_full(&self, open: &Open, text: &str) -> io::Result<bool> {
        let Some(part) = self.limits.part() else { return Ok(false) };
        let length = open.file.metadata()?.len();
        Ok(length > 0 && length.saturating_add(text.len() as u64) > part)
    }

    fn roll(&self, open: &mut Open) -> io::Result<()> {
        match open.file.try_lock() {
            // Another process is about to roll it. The next text will find the new file.
            Err(TryLockError::WouldBlock) => return Ok(()),
            // A file system may have no locks; those who share a file there are few.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let rolled = self.is_current(open).and_then(|current| if current { self.shift() } else { Ok(()) });
        match rolled.and_then(|()| Open::new(&self.path)) {
            Ok(new) => {
                *open = new;
                Ok(())
            }
            Err(e) => {
                // Closing would do so, too, but the file stays open.
                let _ = open.file.unlock();
                Err(e)
            }
        }
    }

    /// Whether the open file is the one at the path, or another process has rolled it.
    fn is_current(&self, open: &Open) -> io::Result<bool> {
        let own = open.file.metadata()?;
        match fs_err::metadata(&self.path) {
            Ok(there) => Ok((there.dev(), there.ino()) == (own.dev(), own.ino())),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(e) => Err(e),
        }
    }

    /// Gives each part the number of the next older one, and removes what is too much.
    fn shift(&self) -> io::Result<()> {
        for number in (0..self.limits.rolls).rev() {
            match fs_err::rename(self.part(number), self.part(number + 1)) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
                _ => {}
            }
        }
        let (Some(total), Some(part)) = (self.limits.total, self.limits.part()) else { return Ok(()) };
        // Parts that an earlier process left may be larger.
        let mut left = total.saturating_sub(part);
        for number in 1..=self.limits.rolls {
            let path = self.part(number);
            let Ok(there) = fs_err::metadata(&path) else { continue };
            match left.checked_sub(there.len()) {
                Some(rest) => left = rest,
                None if number == 1 => left = 0,
                None => fs_err::remove_file(&path)?,
            }
        }
        Ok(())
    }

    fn part(&self, number: u32) -> PathBuf {
        if number == 0 {
            return self.path.clone();
        }
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{number}"));
        name.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(path: &Path) -> String {
        fs_err::read_to_string(path).unwrap_or_default()
    }

    fn sizes(folder: &Path) -> u64 {
        fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum()
    }

    #[test]
    fn a_file_without_limits_grows_on_behind_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs_err::write(&path, "old\n").unwrap();
        let file = RollingFile::open(&path, Limits::NONE).unwrap();
        for line in 0..100 {
            file.append(&format!("{line}\n")).unwrap();
        }
        assert_eq!(text(&path).lines().count(), 101);
        assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn all_parts_together_stay_below_the_size_and_the_newest_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let file = RollingFile::open(&path, Limits::sized(100, 3)).unwrap();
        for line in 0..50 {
            file.append(&format!("line {line:04}\n")).unwrap();
            assert!(sizes(folder.path()) <= 100);
        }
        let parts: Vec<String> = (0..4).rev().map(|number| text(&file.part(number))).collect();
        let expected: Vec<String> = (42..50).map(|line| format!("line {line:04}\n")).collect();
        assert_eq!(parts.concat(), expected.concat(), "two lines fit into a part");
        assert!(!file.part(4).exists());
    }

    #[test]
    fn a_text_is_never_cut_and_older_parts_make_room_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let file = RollingFile::open(&path, Limits::sized(40, 3)).unwrap();
        for line in ["one\n", &"x".repeat(30), "two\n", "three\n"] {
            file.append(line).unwrap();
        }
        assert_eq!(text(&path), "two\nthree\n");
        assert_eq!(text(&file.part(1)), "x".repeat(30));
        assert!(!file.part(2).exists(), "the first line had to go: with it there would be too much");
    }

    #[test]
    fn a_part_is_rolled_when_it_is_old() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let file = RollingFile::open(&path, Limits::new(None, 2, Some(Duration::from_millis(1)))).unwrap();
        let parts = || [0, 1, 2, 3].map(|number| text(&file.part(number)));
        let append = |line: &str| {
            std::thread::sleep(Duration::from_millis(5));
            file.append(line).unwrap();
        };
        append("one");
        append("two");
        assert_eq!(parts(), ["two", "one", "", ""]);
        append("three");
        append("four");
        assert_eq!(parts(), ["four", "three", "two", ""]);
        assert!(!file.part(3).exists());
    }

    #[test]
    fn processes_that_share_a_file_follow_whoever_rolls_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let limits = Limits::sized(4_000, 9);
        let files = [0; 4].map(|_| RollingFile::open(&path, limits).unwrap());
        std::thread::scope(|scope| {
            for (number, file) in files.iter().enumerate() {
                scope.spawn(move || (0..60).for_each(|line| file.append(&format!("{number} {line:03}\n")).unwrap()));
            }
        });
        let all: String = (0..10).map(|number| text(&files[0].part(number))).collect();
        assert_eq!(all.lines().count(), 240, "nothing is lost, as it all fits");
        assert!(all.lines().all(|line| line.len() == 5), "nothing is mixed");
        assert!(files[0].part(1).exists());
    }

    #[test]
    fn where_the_file_cannot_be_rolled_the_size_still_holds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let file = RollingFile::open(&path, Limits::sized(20, 1)).unwrap();
        file.append("12345678\n").unwrap();
        // A folder with something in it stands where the older part has to go.
        fs_err::create_dir_all(file.part(1).join("x")).unwrap();
        assert!(file.append("12345678\n").is_err());
        assert_eq!(text(&path), "12345678\n");
        fs_err::remove_dir_all(file.part(1)).unwrap();
        file.append("again\n").unwrap();
        assert_eq!((text(&path).as_str(), text(&file.part(1)).as_str()), ("again\n", "12345678\n"));
    }

    #[test]
    fn a_file_that_was_taken_away_is_made_again_once_it_is_full() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let file = RollingFile::open(&path, Limits::sized(20, 1)).unwrap();
        file.append("12345678\n").unwrap();
        fs_err::remove_file(&path).unwrap();
        file.append("next\n").unwrap();
        assert_eq!(text(&path), "next\n");
    }
}
