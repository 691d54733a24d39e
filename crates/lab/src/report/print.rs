//! Tables for people.

use std::io::{self, Write};

use super::{Layout, Measurement, Report};
use crate::spread::Spread;

impl Report {
    /// Writes head, one table per mode, ratios, and what did not run.
    pub fn print(&self, layout: Layout, out: &mut impl Write) -> io::Result<()> {
        self.print_head(out)?;
        for mode in self.modes() {
            match layout {
                Layout::Requests => self.print_requests(&mode, out)?,
                Layout::Rows => self.print_rows(&mode, out)?,
            }
        }
        self.print_ratios(out)?;
        self.print_rest(out)
    }

    fn print_head(&self, out: &mut impl Write) -> io::Result<()> {
        let machine = &self.machine;
        writeln!(out, "{} at {} on commit {}", self.experiment, machine.started, machine.commit)?;
        writeln!(
            out,
            "{}, {} cores, {} GiB, Linux {}, load {}",
            machine.cpu, machine.cores, machine.memory_gib, machine.kernel, machine.load_at_start
        )?;
        for (name, value) in &self.settings {
            writeln!(out, "  {name}: {value}")?;
        }
        for (name, version) in &self.versions {
            writeln!(out, "  {name}: {version}")?;
        }
        Ok(())
    }

    fn print_requests(&self, mode: &str, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "\n{mode}")?;
        writeln!(
            out,
            "{:<28} {:>9} {:>19} {:>9} {:>8} {:>10} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>6}",
            "",
            "req/s",
            "(min..max)",
            "rows/s",
            "cpu us",
            "req/cpu s",
            "p50 us",
            "p99 us",
            "p99.9",
            "max",
            "pause",
            "read KiB",
            "bad"
        )?;
        for contender in self.contenders(mode) {
            let of = |figure: fn(&Measurement) -> f64| self.spread(mode, &contender, figure);
            let rate = of(|window| window.rate);
            writeln!(
                out,
                "{contender:<28} {:>9} {:>19} {:>9} {:>8.2} {:>10} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8.2} {:>6}",
                thousands(rate.median),
                format!("({}..{})", thousands(rate.min), thousands(rate.max)),
                thousands(of(|window| window.rows_rate).median),
                of(|window| window.server_us).median,
                thousands(of(|window| window.per_cpu_second).median),
                micros(of(|window| window.p50_us).median),
                micros(of(|window| window.p99_us).median),
                micros(of(|window| window.p999_us).median),
                micros(of(|window| window.max_us).max),
                micros(of(|window| window.pause_us).max),
                of(|window| window.disk_read_kib).median,
                self.windows(mode, &contender).map(Measurement::bad).sum::<u64>(),
            )?;
        }
        Ok(())
    }

    fn print_rows(&self, mode: &str, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "\n{mode}")?;
        writeln!(
            out,
            "{:<28} {:>9} {:>19} {:>10} {:>10} {:>10} {:>13} {:>9} {:>6}",
            "",
            "rows/s",
            "(min..max)",
            "cpu us/row",
            "rows/cpu s",
            "read B/row",
            "written B/row",
            "peak MiB",
            "bad"
        )?;
        for contender in self.contenders(mode) {
            let of = |figure: fn(&Measurement) -> f64| self.spread(mode, &contender, figure);
            let rate = of(|window| window.rows_rate);
            writeln!(
                out,
                "{contender:<28} {:>9} {:>19} {:>10.2} {:>10} {:>10.0} {:>13.0} {:>9.0} {:>6}",
                thousands(rate.median),
                format!("({}..{})", thousands(rate.min), thousands(rate.max)),
                of(|window| window.per_row(window.server_us)).median,
                thousands(of(Measurement::rows_per_cpu_second).median),
                of(|window| window.per_row(window.disk_read_kib) * 1024.0).median,
                of(|window| window.per_row(window.disk_written_kib) * 1024.0).median,
                of(|window| window.server_mib).max,
                self.windows(mode, &contender).map(Measurement::bad).sum::<u64>(),
            )?;
        }
        Ok(())
    }

    fn print_ratios(&self, out: &mut impl Write) -> io::Result<()> {
        let mut last = "";
        for ratio in &self.ratios {
            if ratio.mode != last {
                writeln!(out, "\nratios, {} (min..max over rounds)", ratio.mode)?;
                last = &ratio.mode;
            }
            writeln!(
                out,
                "{:<28} / {:<26} throughput {:<20} per cpu s {:<20} p99 {:<20}",
                ratio.ours,
                ratio.peer,
                times(ratio.throughput),
                times(ratio.per_cpu_second),
                times(ratio.p99),
            )?;
        }
        Ok(())
    }

    fn print_rest(&self, out: &mut impl Write) -> io::Result<()> {
        for measurement in &self.measurements {
            if let Some(bad) = &measurement.first_bad {
                let (mode, contender) = (&measurement.mode, &measurement.contender);
                writeln!(out, "\nBAD {contender}, {mode}, round {}: {bad}", measurement.round)?;
            }
        }
        let others = Spread::of(self.measurements.iter().map(|window| window.others * 100.0));
        if others.max > 0.0 {
            let (median, max) = (others.median, others.max);
            writeln!(
                out,
                "\nothers took {median:.0}% of the machine's CPU time, at most {max:.0}%"
            )?;
        }
        if !self.figures.is_empty() {
            writeln!(out)?;
        }
        for (name, value) in &self.figures {
            writeln!(out, "{name}: {value}")?;
        }
        if !self.not_run.is_empty() {
            writeln!(out)?;
        }
        for (name, why) in &self.not_run {
            writeln!(out, "not run: {name}: {why}")?;
        }
        Ok(())
    }
}

/// A count in a few characters: 950, 12.3K, 456K, 1.23M.
pub fn thousands(count: f64) -> String {
    match count {
        c if c >= 1e6 => format!("{:.2}M", c / 1e6),
        c if c >= 1e5 => format!("{:.0}K", c / 1e3),
        c if c >= 1e4 => format!("{:.1}K", c / 1e3),
        c => format!("{c:.0}"),
    }
}

fn micros(us: f64) -> String {
    match us {
        us if us >= 1e6 => format!("{:.2}s", us / 1e6),
        us if us >= 1e5 => format!("{:.0}ms", us / 1e3),
        us if us >= 1e4 => format!("{:.1}ms", us / 1e3),
        us => format!("{us:.0}"),
    }
}

fn times(ratio: Spread) -> String {
    format!("{:.2}x ({:.2}..{:.2})", ratio.median, ratio.min, ratio.max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_short() {
        assert_eq!(thousands(950.4), "950");
        assert_eq!(thousands(12_345.0), "12.3K");
        assert_eq!(thousands(456_789.0), "457K");
        assert_eq!(thousands(1_234_567.0), "1.23M");
    }
}
