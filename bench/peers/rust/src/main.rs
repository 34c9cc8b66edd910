// SPDX-License-Identifier: MIT
//! The Rust worker; what it is asked and what it answers is told in worker.hpp of the driver.

mod direct;
mod keyed;
mod row;
mod sample;
mod waiting;

use std::io::{stdin, stdout, BufRead, Write};

use row::Row;
use sample::How;

fn answer(rows: &[Row], cores: &[usize], request: &str) -> Option<String> {
    let words: Vec<&str> = request.split(' ').collect();
    let [name, demand, ref numbers @ ..] = words[..] else {
        return None;
    };
    let row = rows
        .iter()
        .find(|row| row.name == name && row.demands.contains(&demand))?;
    if ["accuracy", "making", "waiting"].contains(&demand) {
        let numbers: Option<Vec<u64>> = numbers.iter().map(|n| n.parse().ok()).collect();
        return Some((row.tell)(demand, &numbers?));
    }
    let [threads, decisions, told] = numbers[..] else {
        return None;
    };
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
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [first, name] = &words[..] {
        if first == "first" {
            let rows = direct::rows();
            let row = rows.iter().find(|row| row.name == name).expect("a limit");
            println!("{}", (row.tell)("first", &[]));
            return;
        }
    }
    let numbers: Vec<usize> = words.iter().map(|n| n.parse().unwrap()).collect();
    let [keys, ref cores @ ..] = numbers[..] else {
        panic!("usage: rust <keys> <core> [<core>], or rust first <name>")
    };
    let mut rows = direct::rows();
    rows.extend(waiting::rows());
    rows.extend(keyed::rows(keys));
    for row in &rows {
        println!(
            "row {} {} {} {}",
            row.name,
            (row.bytes)(),
            row.demands.join(","),
            row.title
        );
    }
    // With versions as the manifest has them.
    let libraries = include_str!("../Cargo.toml").lines().filter_map(|line| {
        let (name, rest) = line.split_once(" = ")?;
        let version = rest.split_once("\"=")?.1.split_once('"')?.0;
        Some(format!(", {name} {version}"))
    });
    let rustc = option_env!("PEERS_RUSTC").unwrap_or("rustc");
    println!("by {rustc}{}", libraries.collect::<String>());
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
