//! Operations with consecutive numbers: those of one partition, or of one key (driver.proto, Workloads).

use crate::contract::Start;

/// The partition of a record that the library chooses a partition for.
pub const NO_PARTITION: i32 = -1;

const CONTINUOUS: &str = "continuous";
const PIPELINED: &str = "pipelined";
const KEYED: &str = "keyed";

/// Operations of one partition or key.
pub(crate) struct Series {
    pub partition: i32,
    /// The first sequence number, and the difference between two.
    pub first: i64,
    pub step: i64,
    /// Operations that begin together.
    pub batch: usize,
}

/// The partition and the sequence number of a record.
pub struct Place {
    pub partition: i32,
    pub sequence: i64,
}

/// Returns why a role, or this driver, does not have the workload of an instance.
pub(crate) fn missing_workload(start: &Start, missing: &[(&str, &str)]) -> Option<String> {
    let workload = if start.workload.is_empty() { CONTINUOUS } else { start.workload.as_str() };
    if let Some((_, reason)) = missing.iter().find(|(name, _)| *name == workload) {
        return Some(format!("no workload {workload}: {reason}"));
    }
    let roles: &[&str] = match workload {
        CONTINUOUS => &["producer", "consumer", "group", "transactional", "admin"],
        PIPELINED => &["producer", "consumer", "group", "transactional"],
        KEYED => &["producer", "transactional"],
        _ => &[],
    };
    let has = roles.contains(&start.role.as_str());
    (!has).then(|| format!("no workload {workload:?} for the role {:?}", start.role))
}

/// Whether the library chooses the partition of a record by its key.
pub fn is_keyed(start: &Start) -> bool {
    start.workload == KEYED && !start.keys.is_empty()
}

/// The key of a record.
pub fn key(start: &Start, sequence: i64) -> Option<&str> {
    let number = usize::try_from(sequence).ok().filter(|_| is_keyed(start))?;
    Some(&start.keys[number % start.keys.len()])
}

pub(crate) fn series_of(start: &Start) -> Vec<Series> {
    if is_keyed(start) {
        let step = i64::try_from(start.keys.len()).unwrap_or(i64::MAX);
        return (0..step).map(|first| Series { partition: NO_PARTITION, first, step, batch: 1 }).collect();
    }
    let batch = batch_of(start);
    start.partitions.iter().map(|&partition| Series { partition, first: 0, step: 1, batch }).collect()
}

fn batch_of(start: &Start) -> usize {
    if start.workload == PIPELINED { usize::try_from(start.batch).unwrap_or(1).max(1) } else { 1 }
}

/// Lists the records of a transaction, by its number.
pub fn in_transaction(start: &Start, number: i64) -> Vec<Place> {
    let each = series_of(start);
    let batch = batch_of(start);
    let members = 0..i64::try_from(batch).unwrap_or(1);
    let size = i64::try_from(batch).unwrap_or(1);
    members
        .flat_map(|member| {
            each.iter().map(move |s| {
                let of_series = if s.batch == 1 { number } else { number * size + member };
                Place { partition: s.partition, sequence: s.first + of_series * s.step }
            })
        })
        .collect()
}
