//! Where the rows of a look-up's result come from.
//!
//! Invariants
//! 1. All pieces are read from one view.
//!
//! Not here: choosing the view (`session::select`), reading pieces (`executor::gather`).

use std::sync::Arc;

use expression::limits::Room;
use expression::{Environment, ExecutionMemo, Limits, Node, RowView, Scope, fit};
use resources::budget::Share;
use resources::turn_limits::TurnLimits;
use rows::engine::Engine;
use rows::store::Read;
use values::SqlMode;
use values::datum::{Datum, Value};
use values::row::RowRef;
use values::temporal::Zone;

use executor::{Filter, GatheredRows, Gatherer, PieceLimits};
use plan::context::SqlContext;
use plan::tree::{PointSelect, ResultOutput};
use results::{ExecutionMode, Pace, Result, RowSource, Sink, SqlError};

/// How much is read at a time.
const PIECE: PieceLimits = PieceLimits { bytes_max: 256 << 10, rows_max: 8192, ..PieceLimits::ALL };
/// The same in an event loop, where others wait meanwhile: some 150 us.
const LOOP_PIECE: PieceLimits = PieceLimits {
    bytes_max: TurnLimits::LOOP.bytes,
    rows_max: TurnLimits::LOOP.rows_given,
    seen_max: 2 * TurnLimits::LOOP.rows_given as u32,
};

/// How much is read at a time.
pub(super) fn piece_for(how: ExecutionMode) -> PieceLimits {
    if how.may_wait { PIECE } else { LOOP_PIECE }
}

/// The same at first, where what is not read at once costs a copy of the transaction's writes.
pub(super) fn first_piece_for(how: ExecutionMode) -> PieceLimits {
    PieceLimits { seen_max: piece_for(how).seen_max, ..PIECE }
}

/// Whether a row meets all terms.
pub(super) fn holds_all(terms: &[Node], row: RowRef<'_>, scope: &Scope<'_>) -> Result<bool> {
    let scope = scope.with_row(RowView::Stored(&row));
    for term in terms {
        if !term.holds(&scope)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Rows that are there already.
pub(crate) struct ValueRows {
    rows: Vec<Vec<Value>>,
    /// The next one.
    at: usize,
    /// Memory of large values among them.
    _room: Room,
}

impl ValueRows {
    /// A source of these rows, for whose values this memory was taken.
    pub fn new(rows: Vec<Vec<Value>>, room: Room) -> Box<ValueRows> {
        Box::new(ValueRows { rows, at: 0, _room: room })
    }
}

/// Bytes of a value that are counted, for it and for the packet that it is written to.
pub(super) fn value_bytes(value: &Value) -> usize {
    match value {
        Value::Bytes(bytes) => 2 * bytes.len(),
        _ => 0,
    }
}

impl RowSource for ValueRows {
    fn next(&mut self, _how: ExecutionMode, sink: &mut Sink<'_>) -> Result<bool> {
        let mut line: Vec<Datum<'_>> = Vec::new();
        while let Some(row) = self.rows.get(self.at) {
            self.at += 1;
            line.clear();
            line.extend(row.iter().map(Value::as_datum));
            if sink(&line)? == Pace::Pause {
                return Ok(self.at < self.rows.len());
            }
        }
        Ok(false)
    }

    fn is_gathered(&self) -> bool {
        true
    }
}

/// What the pieces behind the first are read from.
pub(super) struct Rest {
    engine: Arc<Engine>,
    view: Arc<dyn Read>,
    /// Memory for the transaction's own writes that the view has copies of.
    frozen: Share,
}

/// Rows of a table by an access path.
pub(super) struct TableSource {
    /// Where further pieces come from; `None` once everything is gathered.
    pub(super) rest: Option<Rest>,
    pub(super) gatherer: Gatherer,
    pub(super) gathered: GatheredRows,
    pub(super) at: usize,
    pub(super) pieces_in_loop: u32,
    pub(super) all_terms: bool,
    /// Kept only while expressions need them.
    pub(super) parameters: Vec<Value>,
    pub(super) facts: Option<Arc<SqlContext>>,
    pub(super) limits: Arc<Limits>,
    pub(super) zone: Zone,
    pub(super) mode: SqlMode,
    pub(super) plan: Arc<PointSelect>,
    /// What is the same for all rows, as the parameters are.
    pub(super) known: ExecutionMemo,
}

impl TableSource {
    /// Of nothing yet: the gatherer has all that is to be read.
    pub(super) fn new(
        plan: &Arc<PointSelect>,
        gatherer: Gatherer,
        facts: Option<&Arc<SqlContext>>,
        limits: &Arc<Limits>,
        scope: &Scope<'_>,
    ) -> TableSource {
        TableSource {
            rest: None,
            gatherer,
            gathered: GatheredRows::default(),
            at: 0,
            pieces_in_loop: 0,
            all_terms: false,
            parameters: Vec::new(),
            facts: facts.cloned(),
            limits: Arc::clone(limits),
            zone: scope.zone,
            mode: scope.mode,
            plan: Arc::clone(plan),
            known: ExecutionMemo::default(),
        }
    }

    pub(super) fn fill(
        &mut self,
        engine: &Engine,
        view: &dyn Read,
        how: ExecutionMode,
        scope: &Scope<'_>,
        piece: PieceLimits,
    ) -> Result<()> {
        let Some(from) = &self.plan.from else { return Ok(()) };
        let takes_all = from.access.takes_all(self.all_terms);
        let mut filter = |row: RowView<'_>, candidate| {
            from.access.takes(&scope.with_row(row), candidate, self.all_terms)
        };
        let filter: Option<&mut Filter<'_>> = if takes_all { None } else { Some(&mut filter) };
        let (reach, out) = (how.reach, &mut self.gathered);
        self.gatherer.fill(engine, &from.table, view, reach, piece, filter, out)
    }

    /// Keeps what further pieces are read from, if there are some; so many bytes of it are copies
    /// of a transaction's own writes.
    ///
    /// # Errors
    /// 1041 when there is no memory for these.
    pub(super) fn keep_rest(
        &mut self,
        engine: &Arc<Engine>,
        view: Arc<dyn Read>,
        bytes: usize,
    ) -> Result<()> {
        if !self.gatherer.is_done() {
            let mut frozen = engine.budget().share();
            frozen.keep_up_with(bytes)?;
            self.rest = Some(Rest { engine: Arc::clone(engine), view, frozen });
        }
        Ok(())
    }

    /// Applies OFFSET and LIMIT to sorted rows; how many OFFSET passes over.
    pub(super) fn cut(&mut self, offset: u64, limit: u64) -> u64 {
        let count = self.gathered.len();
        let from = usize::try_from(offset).unwrap_or(usize::MAX).min(count);
        let take = usize::try_from(limit).unwrap_or(usize::MAX).min(count - from);
        let kept: Vec<usize> = (from..from + take).collect();
        self.gathered.reorder(&kept);
        from as u64
    }

    pub(super) fn keep_parameters(&mut self, parameters: &[Datum<'_>]) {
        let expressions =
            self.plan.outputs.iter().any(|output| matches!(output, ResultOutput::Node(_)));
        if expressions || !self.gatherer.is_done() {
            self.parameters = parameters.iter().map(Datum::to_value).collect();
        }
    }
}

impl RowSource for TableSource {
    fn passed(&self) -> u64 {
        self.gatherer.passed()
    }

    fn next(&mut self, how: ExecutionMode, sink: &mut Sink<'_>) -> Result<bool> {
        let parameters = std::mem::take(&mut self.parameters);
        let datums: Vec<Datum<'_>> = parameters.iter().map(Value::as_datum).collect();
        let facts = self.facts.clone();
        let (limits, known) = (Arc::clone(&self.limits), std::mem::take(&mut self.known));
        limits.set_in_loop(!how.may_wait);
        let environment = Environment {
            mode: self.mode,
            context: facts.as_deref().map(|facts| &facts.statement),
            limits: &limits,
            known: Some(&known),
            ..Environment::bare(&datums, self.zone)
        };
        let result = self.give(how, sink, &environment.scope());
        drop(datums);
        (self.parameters, self.known) = (parameters, known);
        result
    }

    fn drawn_bytes(&self) -> usize {
        self.gathered.drawn_bytes() + self.rest.as_ref().map_or(0, |rest| rest.frozen.bytes())
    }

    fn is_gathered(&self) -> bool {
        self.gatherer.is_done()
    }
}

impl TableSource {
    fn give(&mut self, how: ExecutionMode, sink: &mut Sink<'_>, scope: &Scope<'_>) -> Result<bool> {
        loop {
            let pace = self.give_gathered(sink, scope)?;
            let rest = self.at < self.gathered.len() || !self.gatherer.is_done();
            if pace == Pace::Pause || !rest {
                return Ok(rest);
            }
            let Some(rest) = &self.rest else { return Ok(false) };
            let (engine, view) = (Arc::clone(&rest.engine), Arc::clone(&rest.view));
            if !how.may_wait {
                self.pieces_in_loop += 1;
                // The rest of it is read where nobody waits.
                if self.pieces_in_loop >= TurnLimits::LOOP.pieces {
                    return Err(SqlError::WouldWait);
                }
            }
            self.gathered.clear();
            self.at = 0;
            self.fill(&engine, &*view, how, scope, piece_for(how))?;
        }
    }

    fn give_gathered(&mut self, sink: &mut Sink<'_>, scope: &Scope<'_>) -> Result<Pace> {
        let plan = &*self.plan;
        let Some(from) = &plan.from else { return Ok(Pace::More) };
        let mut line: Vec<Datum<'_>> = Vec::with_capacity(plan.outputs.len());
        let plain = plan.outputs.iter().all(|output| matches!(output, ResultOutput::Column(_)));
        while self.at < self.gathered.len() {
            let row = self.gathered.row(&from.table, self.at)?;
            line.clear();
            let pace = if plain {
                for output in &plan.outputs {
                    if let ResultOutput::Column(position) = output {
                        line.push(row.column(*position)?);
                    }
                }
                sink(&line)?
            } else {
                let scope = scope.with_row(RowView::Stored(&row));
                let mut values = Vec::with_capacity(plan.outputs.len());
                let mut held = scope.limits.hold();
                for (output, column) in plan.outputs.iter().zip(plan.columns.iter()) {
                    values.push(match output {
                        ResultOutput::Column(position) => row.column(*position)?.to_value(),
                        ResultOutput::Node(node) => {
                            fit(&column.ty, node.evaluate(&scope)?, &node.ty, &scope)
                        }
                    });
                    held.add(values.last().map_or(0, value_bytes))?;
                }
                let computed: Vec<Datum<'_>> = values.iter().map(Value::as_datum).collect();
                sink(&computed)?
            };
            self.at += 1;
            if pace == Pace::Pause {
                return Ok(Pace::Pause);
            }
        }
        Ok(Pace::More)
    }
}
