//! Every seed, every input that once broke something, and small changes of them, checked without
//! libFuzzer.

use std::fs;
use std::path::{Path, PathBuf};

/// Changed forms of each seed.
const CHANGES: u64 = 200;

fn seeds(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new("corpus").join(target);
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read(&path).expect("readable"))).collect()
}

/// The next of a row of numbers that is the same in every run.
fn next(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize
}

fn change(seed: &[u8], number: u64) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    let mut state = number;
    for _ in 0..=next(&mut state) % 4 {
        let at = next(&mut state) % (bytes.len() + 1);
        match next(&mut state) % 5 {
            0 if at < bytes.len() => bytes[at] ^= 1 << (next(&mut state) % 8),
            1 if at < bytes.len() => bytes[at] = next(&mut state) as u8,
            2 if at < bytes.len() => drop(bytes.remove(at)),
            3 => bytes.truncate(at),
            _ => bytes.insert(at, b"\t\n\r ',\"\0\x01\xff09-"[next(&mut state) % 13]),
        }
    }
    bytes
}

#[test]
fn seeds_and_changed_seeds_keep_the_properties_of_their_decoders() {
    for (name, check) in fuzz::TARGETS {
        let seeds = seeds(name);
        assert!(!seeds.is_empty(), "{name} has no seeds");
        for (path, seed) in seeds {
            for number in 0..=CHANGES {
                let input = if number == 0 { seed.clone() } else { change(&seed, number) };
                let kept = std::panic::catch_unwind(|| check(&input));
                assert!(kept.is_ok(), "{}: {}", path.display(), input.escape_ascii());
            }
        }
    }
}

#[test]
fn every_target_is_named_after_its_file() {
    let sources = Path::new("src");
    for (name, _) in fuzz::TARGETS {
        assert!(sources.join(format!("{name}.rs")).is_file(), "{name}");
    }
}
