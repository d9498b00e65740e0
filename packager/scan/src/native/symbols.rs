//! Which imported functions need which permission.

use crate::permissions::Permissions;
use manifests::permission::Permission::{self, Exec, FileRead, FileWrite, Network, Threads};

/// Functions of the C library and of Windows, by permission. Opening a file may read or write it.
const TABLE: [(&[Permission], &[&str]); 6] = [
    (
        &[Network],
        &[
            "accept", "accept4", "bind", "connect", "getaddrinfo", "gethostbyaddr", "gethostbyname", "gethostbyname_r",
            "getnameinfo", "listen", "recvfrom", "recvmmsg", "recvmsg", "recv", "res_query", "send", "sendmmsg",
            "sendmsg", "sendto", "socket", "socketpair", "CFSocketCreate", "nw_connection_create",
        ],
    ),
    (
        &[Exec],
        &[
            "execl", "execle", "execlp", "execv", "execve", "execveat", "execvp", "execvpe", "fexecve", "fork", "vfork",
            "kill", "killpg", "popen", "posix_spawn", "posix_spawnp", "system", "CreateProcessA", "CreateProcessW",
            "CreateProcessAsUserW", "ShellExecuteA", "ShellExecuteW", "ShellExecuteExW", "TerminateProcess", "WinExec",
            "_popen", "_wpopen", "_wsystem",
        ],
    ),
    (
        &[FileRead, FileWrite],
        &[
            "fopen", "fopen64", "freopen", "freopen64", "open", "open64", "openat", "openat64", "CreateFileA",
            "CreateFileW", "CreateFile2", "_open", "_wfopen", "_wopen", "fopen_s", "_wfopen_s", "copy_file_range",
            "copyfile", "CopyFileA", "CopyFileW", "CopyFileExW",
        ],
    ),
    (
        &[FileRead],
        &[
            "access", "faccessat", "fstatat", "fstatat64", "fts_open", "glob", "lstat", "lstat64", "nftw", "opendir",
            "readdir", "readdir64", "readlink", "readlinkat", "realpath", "scandir", "stat", "stat64", "statx",
            "__xstat", "__xstat64", "__lxstat", "__lxstat64", "inotify_add_watch", "FindFirstFileA", "FindFirstFileW",
            "FindFirstFileExW", "GetFileAttributesA", "GetFileAttributesW", "GetFileAttributesExW",
        ],
    ),
    (
        &[FileWrite],
        &[
            "chmod", "chown", "creat", "creat64", "fchmodat", "fchownat", "lchown", "link", "linkat", "mkdir",
            "mkdirat", "mkdtemp", "mkfifo", "mknod", "mkostemp", "mkostemp64", "mkstemp", "mkstemp64", "mount",
            "remove", "rename", "renameat", "renameat2", "rmdir", "symlink", "symlinkat", "tmpfile", "truncate",
            "truncate64", "umount", "unlink", "unlinkat", "utimensat", "utimes", "CreateDirectoryA",
            "CreateDirectoryW", "DeleteFileA", "DeleteFileW", "MoveFileA", "MoveFileW", "MoveFileExA", "MoveFileExW",
            "RemoveDirectoryA", "RemoveDirectoryW", "SetFileAttributesW", "_wremove", "_wrename", "_wunlink",
        ],
    ),
    (
        &[Threads],
        &[
            "clone", "clone3", "pthread_create", "pthread_kill", "pthread_cancel", "thrd_create", "CreateThread",
            "CreateRemoteThread", "CreateThreadpoolWork", "QueueUserWorkItem", "_beginthread", "_beginthreadex",
            "dispatch_async", "dispatch_async_f",
        ],
    ),
];

/// Functions after which anything may run.
pub(super) const LOADING: [&str; 9] = [
    "dlopen", "dlmopen", "dlsym", "syscall", "LoadLibraryA", "LoadLibraryW", "LoadLibraryExA", "LoadLibraryExW",
    "ptrace",
];

/// What a function needs.
pub(super) fn permissions_of(name: &str) -> Permissions {
    let rows = TABLE.iter().filter(|(_, names)| names.contains(&name));
    rows.fold(Permissions::default(), |set, (permissions, _)| set | Permissions::of(permissions))
}
