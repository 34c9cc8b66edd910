// SPDX-License-Identifier: MIT
//! The Rust worker; what it is asked and what it answers is told in worker.hpp of the driver.

mod direct;
mod keyed;
mod row;
mod sample;

use std::io::{stdin, stdout, BufRead, Write};

use row::Row;
use sample::How;

fn answer(rows: &[Row], cores: &[usize], request: &str) -> Option<String> {
    let words: Vec<&str> = request.split(' ').collect();
    let [name, demand, threads, decisions, told] = words[..] else {
        return None;
    };
    let row = rows
        .iter()
        .find(|row| row.name == name && row.demands.contains(&demand))?;
    let threads: usize = threads.parse().ok()?;
    let how = How {
        cores: cores.get(..threads)?.to_vec(),
        decisions: decisions.parse().ok()?,
        tail: told == "p99.99",
    };
    let s = (row.ask)(demand, &how);
    Some(format!(
        "{} {} {} {}",
        s.ns, s.asked, s.admitted, s.switches
    ))
}

fn main() {
    let numbers: Vec<usize> = std::env::args()
        .skip(1)
        .map(|n| n.parse().unwrap())
        .collect();
    let [keys, ref cores @ ..] = numbers[..] else {
        panic!("usage: rust <keys> <core> [<core>]")
    };
    let mut rows = direct::rows();
    rows.extend(keyed::rows(keys));
    for row in &rows {
        println!(
            "row {} {} {} {}",
            row.name,
            row.bytes,
            row.demands.join(","),
            row.title
        );
    }
    println!("ready");
    for line in stdin().lock().lines() {
        let request = line.unwrap();
        let told = answer(&rows, cores, &request);
        println!(
            "{}",
            told.unwrap_or_else(|| format!("error: cannot do: {request}"))
        );
        stdout().flush().unwrap();
    }
}
