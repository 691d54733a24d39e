//! IF and its kin: they look at no operand behind the one they choose, so they become
//! DataFusion's CASE.

use datafusion::logical_expr::Operator;

use super::super::Binder;
use super::super::cast::{condition, value_form};
use super::super::comparison::compare;
use super::super::scope::Scope;
use super::super::typed::Typed;
use super::call::{FunctionCall, argument_expr};
use crate::error::{Result, SqlError};

impl Binder<'_> {
    /// IF, IFNULL, COALESCE, NULLIF.
    pub(super) fn control_function(
        &self,
        scope: &Scope<'_>,
        call: &FunctionCall<'_>,
        depth: usize,
    ) -> Result<Option<Typed>> {
        let name = call.name.as_str();
        if !matches!(name, "IF" | "IFNULL" | "NVL" | "COALESCE" | "NULLIF") {
            return Ok(None);
        }
        let arguments = call
            .arguments()
            .map(|argument| self.nested(scope, argument_expr(name, argument)?, depth))
            .collect::<Result<Vec<Typed>>>()?;
        let wrong = || SqlError::parameter_count(name);
        Ok(Some(match (name, arguments.as_slice()) {
            ("IF", [test, then, otherwise]) => {
                let test = condition(test, self.zone());
                self.choose(vec![test.expr], vec![then.clone()], otherwise.clone())
            }
            ("NULLIF", [value, other]) => {
                let equal = compare(Operator::Eq, value, other, self.zone());
                let value = value_form(value);
                self.choose(vec![equal.expr], vec![Typed::null()], value)
            }
            ("IFNULL" | "NVL", [_, _]) | ("COALESCE", [_, ..]) => self.first_known(&arguments),
            _ => return Err(wrong()),
        }))
    }

    fn first_known(&self, arguments: &[Typed]) -> Typed {
        let mut known: Vec<&Typed> = arguments.iter().filter(|typed| !typed.is_null()).collect();
        // Behind one that is never NULL nothing is looked at, but its type counts.
        if let Some(at) = known.iter().position(|typed| typed.constant.is_some()) {
            known.truncate(at + 1);
        }
        let Some((last, before)) = known.split_last() else { return Typed::null() };
        let whens = before.iter().map(|typed| typed.expr.clone().is_not_null()).collect();
        let values = before.iter().map(|typed| (*typed).clone()).collect();
        let mut chosen = self.choose(whens, values, (*last).clone());
        chosen.nullable = arguments.iter().all(|typed| typed.nullable);
        chosen
    }
}
