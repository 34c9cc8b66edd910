// SPDX-License-Identifier: MIT
//! What this worker can be asked.

use crate::sample::{How, Sample};

pub struct Row {
    pub name: &'static str,
    pub title: &'static str,
    pub bytes: Box<dyn Fn() -> f64>, // of the heap, for each limiter or key; 0: it has none
    pub demands: &'static [&'static str],
    pub ask: Box<dyn Fn(&str, &How) -> Sample>,
    pub tell: Box<dyn Fn(&str, &[u64]) -> String>, // the answer to a demand with these numbers
}

/// A burst that no row exhausts.
pub const PLENTY: u32 = 50_000_000;
pub const PER_SECOND: u32 = 1_000_000;
