//! How much memory the process may use, and how much it uses.
//!
//! Three things limit it: what the machine has, the control group that the process is in (a
//! container), and `ulimit -v`. Where the operating system does not tell, there is no limit.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The limits of the process, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Of the machine or the control group, whichever is less.
    pub resident: Option<u64>,
    /// Of `ulimit -v`: what is reserved counts, used or not.
    pub reserved: Option<u64>,
}

/// The memory that the process uses, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    pub resident: u64,
    pub reserved: u64,
}

impl Limits {
    /// The limits of this process, as they were when it was first asked.
    pub fn get() -> Limits {
        static LIMITS: OnceLock<Limits> = OnceLock::new();
        *LIMITS.get_or_init(|| {
            let machine = field(&read("/proc/meminfo"), "MemTotal:");
            let group = group_limits(&read("/proc/self/cgroup"), Path::new("/sys/fs/cgroup"));
            Limits {
                resident: machine.into_iter().chain(group).min(),
                reserved: address_space(&read("/proc/self/limits")),
            }
        })
    }

    /// The least of them.
    pub fn least(self) -> Option<u64> {
        self.resident.into_iter().chain(self.reserved).min()
    }

    /// Is more than this part of one of the limits used?
    pub fn exceeded(self, usage: Usage, part: f64) -> bool {
        let over = |used: u64, limit: Option<u64>| {
            limit.is_some_and(|limit| used as f64 > limit as f64 * part)
        };
        over(usage.resident, self.resident) || over(usage.reserved, self.reserved)
    }
}

impl Usage {
    pub fn now() -> Usage {
        let status = read("/proc/self/status");
        Usage {
            resident: field(&status, "VmRSS:").unwrap_or(0),
            reserved: field(&status, "VmSize:").unwrap_or(0),
        }
    }
}

/// The memory budget of one piece of work: half of the free memory at its start. The other half is
/// for the work on its result.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    most: Limits,
}

impl Allowance {
    pub fn new() -> Allowance {
        Allowance::of(Limits::get(), Usage::now())
    }

    fn of(limits: Limits, usage: Usage) -> Allowance {
        let half = |limit: Option<u64>, used: u64| {
            limit.map(|limit| used.saturating_add(limit.saturating_sub(used) / 2))
        };
        Allowance {
            most: Limits {
                resident: half(limits.resident, usage.resident),
                reserved: half(limits.reserved, usage.reserved),
            },
        }
    }

    /// Would so many bytes more be too much?
    pub fn is_exceeded_by(&self, more: u64) -> bool {
        let Usage { resident, reserved } = Usage::now();
        let usage = Usage {
            resident: resident.saturating_add(more),
            reserved: reserved.saturating_add(more),
        };
        self.most.exceeded(usage, 1.0)
    }
}

impl Default for Allowance {
    fn default() -> Allowance {
        Allowance::new()
    }
}

/// Nothing if the file is not there.
fn read(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// A line of a file in `/proc`: a name and a number of kilobytes.
fn field(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = rest.split_whitespace().next()?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// The soft limit, unless it is "unlimited".
fn address_space(limits: &str) -> Option<u64> {
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The limits of the control groups of a process, of both versions, and of those above.
fn group_limits(groups: &str, root: &Path) -> Vec<u64> {
    let mut limits = Vec::new();
    for line in groups.lines() {
        // A number, controllers, and a path: `0::/user.slice`, `4:memory:/docker/12ab`.
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
            continue;
        };
        let (top, file) = match controllers {
            "" => (root.to_owned(), "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                (root.join("memory"), "memory.limit_in_bytes")
            }
            _ => continue,
        };
        let mut folder: PathBuf = top.join(path.trim_start_matches('/'));
        while folder.starts_with(&top) {
            limits.extend(read(folder.join(file)).trim().parse::<u64>().ok());
            if !folder.pop() {
                break;
            }
        }
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read() {
        let status = "Name:\tkindred\nVmSize:\t  2048 kB\nVmRSS:\t 12 kB\n";
        assert_eq!(field(status, "VmSize:"), Some(2048 << 10));
        assert_eq!(field(status, "VmRSS:"), Some(12 << 10));
        assert_eq!(field("", "VmRSS:"), None);
        let limits = "Max data size             unlimited  unlimited bytes\n\
                      Max address space         3072000000 unlimited bytes\n";
        assert_eq!(address_space(limits), Some(3_072_000_000));
        assert_eq!(
            address_space("Max address space  unlimited unlimited bytes"),
            None
        );
    }

    #[test]
    fn groups_above_count() {
        let root = std::env::temp_dir().join(format!("kindred-groups-{}", std::process::id()));
        let inner = root.join("a/b");
        std::fs::create_dir_all(&inner).expect("a folder");
        std::fs::create_dir_all(root.join("memory/c")).expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(root.join(name), text);
        write("a/memory.max", "1000\n").expect("a file");
        write("a/b/memory.max", "max\n").expect("a file");
        write("memory/c/memory.limit_in_bytes", "500\n").expect("a file");
        let found = group_limits("0::/a/b\n", &root);
        let old = group_limits("3:cpu,memory:/c\n1:cpuset:/a\n", &root);
        std::fs::remove_dir_all(&root).expect("it is there");
        assert_eq!(found, [1000]);
        assert_eq!(old, [500]);
    }

    #[test]
    fn half_of_the_rest_is_allowed() {
        let limits = Limits {
            resident: Some(1000),
            reserved: None,
        };
        let usage = |resident| Usage {
            resident,
            reserved: 1 << 40,
        };
        let allowance = Allowance::of(limits, usage(200));
        assert_eq!(allowance.most.resident, Some(600));
        assert!(!allowance.most.exceeded(usage(600), 1.0));
        assert!(allowance.most.exceeded(usage(601), 1.0));
        assert!(limits.exceeded(usage(901), 0.9));
    }
}
