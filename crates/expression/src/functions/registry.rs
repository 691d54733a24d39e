//! The definitions of all functions, found by name or by function.
//!
//! Not here: their table (`tree::function_table`), what the words of a row mean (`definition`).

use std::collections::HashMap;
use std::sync::LazyLock;

use values::types::ColumnType;

use crate::evaluation::common::common_type;
use crate::functions::call::Call;
use crate::functions::call::Evaluation::{Lazy, NotNull, Values};
use crate::functions::definition::Shape::{
    By, Bytes, Date, Double, Int, Json, Name, Short, Truth, UInt,
};
use crate::functions::definition::{
    AS_LITERAL, ASKS, ASKS_ALONE, Definition, Facts, Family, NEVER_NULL, NULL_FOR_NULL, NUMBER_0,
    NUMBER_1, NUMBER_2, NUMBER_3, NUMBER_4, NUMBERS, NUMBERS_UNLESS_TEXTS, SEES_BYTES, VOLATILE,
    WAITS, between, exactly, from, number_at, pairs_after,
};
use crate::functions::time::digits;
use crate::functions::{
    address, cipher, control, full_text, json, number, regular, result, session, sys, text, time,
};
use crate::row::scope::Scope;
use crate::statement::error::{Error, Result};
use crate::tree::function::Function;
use crate::tree::function_table::each_function;
use crate::tree::node::Node;
use crate::value::cell::Cell;
use crate::value::types::RESULT_CHARS_MAX;

macro_rules! definitions {
    ($($family:ident {
        $($variant:ident [$($name:literal),+] $arity:expr, $shape:expr, $evaluation:expr $(, $facts:expr)?;)+
    })+) => {
        /// One for each function, in the order of the enum.
        static DEFINITIONS: &[Definition] = &[
            $($(Definition {
                function: Function::$variant,
                names: &[$($name),+],
                family: Family::$family,
                arity: $arity,
                shape: $shape,
                evaluation: $evaluation,
                facts: 0 $(| $facts)?,
            },)+)+
        ];
    };
}

each_function!(definitions);

static BY_NAME: LazyLock<HashMap<String, &'static Definition>> = LazyLock::new(|| {
    let names = |definition: &'static Definition| {
        definition.names.iter().map(move |name| (name.to_ascii_uppercase(), definition))
    };
    DEFINITIONS.iter().flat_map(names).collect()
});

impl Function {
    #[inline]
    pub(crate) fn definition(self) -> &'static Definition {
        &DEFINITIONS[self as usize]
    }

    /// The function by name, with its number of arguments checked.
    pub fn find(name: &str, arguments: usize) -> Option<Result<Function>> {
        let definition = BY_NAME.get(name.to_ascii_uppercase().as_str())?;
        Some(match definition.arity.takes(arguments) {
            true => Ok(definition.function),
            false if definition.family == Family::Sys => {
                let name = name.to_ascii_lowercase();
                Err(Error::argument_count(&name, definition.arity.min(), arguments))
            }
            false => Err(Error::parameter_count(name)),
        })
    }

    /// The names of a family's functions, in the order of the table.
    pub fn names_of(family: Family) -> impl Iterator<Item = &'static [&'static str]> {
        let own = move |definition: &&Definition| definition.family == family;
        DEFINITIONS.iter().filter(own).map(|definition| definition.names)
    }

    /// Its first name.
    pub fn name(self) -> &'static str {
        self.definition().names[0]
    }

    /// The value of a call.
    #[inline]
    pub(crate) fn call<'a>(
        self,
        node: &'a Node,
        arguments: &'a [Node],
        scope: &Scope<'a>,
    ) -> Result<Cell<'a>> {
        self.definition().evaluation.value(&Call { function: self, node, arguments, scope })
    }

    /// Type and nullability of the result.
    pub(crate) fn result(self, arguments: &[Node]) -> (ColumnType, bool) {
        let definition = self.definition();
        let mut nullables = arguments.iter().map(|node| node.nullable);
        let nullable = match self {
            // The first that is known.
            Function::IfNull | Function::Coalesce => nullables.all(|nullable| nullable),
            // Of those that are chosen from.
            Function::If | Function::IfNotNull => nullables.skip(1).any(|nullable| nullable),
            _ => nullables.any(|nullable| nullable),
        };
        let may_be_null = nullable || !definition.has(NULL_FOR_NULL);
        (definition.shape.of(arguments), !definition.has(NEVER_NULL) && may_be_null)
    }

    /// Whether a fact is true of it.
    pub(crate) fn has(self, fact: Facts) -> bool {
        self.definition().has(fact)
    }

    /// Whether two evaluations within one statement can differ.
    pub fn is_volatile(self) -> bool {
        self.has(VOLATILE)
    }

    /// Whether it may take long, so that it must not run where nobody may wait.
    pub fn waits(self) -> bool {
        self.has(WAITS)
    }

    /// Whether it asks for more than so many arguments: the session, the time or chance.
    pub fn asks_more_than(self, arguments: usize) -> bool {
        self.has(VOLATILE | WAITS | ASKS) || self.has(ASKS_ALONE) && arguments == 0
    }

    /// Whether its text is as a literal's, whatever collations its arguments have.
    pub fn gives_text_as_literal(self) -> bool {
        self.has(AS_LITERAL)
    }

    /// Whether it wants a number as the argument at a place, of `arguments`.
    pub(crate) fn wants_number(self, at: usize, arguments: &[Node]) -> bool {
        match self.has(NUMBERS_UNLESS_TEXTS) {
            true => !arguments.iter().all(Node::is_text),
            false => self.has(number_at(at)),
        }
    }

    /// Whether it is LAST_INSERT_ID(expr), which sets what LAST_INSERT_ID() gives.
    pub fn sets_insert_id(self, arguments: &[Node]) -> bool {
        self == Function::LastInsertId && !arguments.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_definition_stands_at_its_function_and_every_name_is_one_functions() {
        let mut names = 0;
        for (at, definition) in DEFINITIONS.iter().enumerate() {
            assert_eq!(definition.function as usize, at);
            names += definition.names.len();
        }
        assert_eq!(BY_NAME.len(), names, "a name stands in two rows");
    }

    #[test]
    fn names_are_found_in_either_case_and_their_arguments_counted() {
        assert_eq!(Function::find("substr", 3).and_then(Result::ok), Some(Function::Substring));
        assert!(Function::find("nothing", 1).is_none());
        for (name, counts) in
            [("JSON_OBJECT", [0, 2, 1]), ("JSON_SET", [3, 5, 4]), ("CONCAT", [1, 70, 0])]
        {
            let takes = counts.map(|count| Function::find(name, count).is_some_and(|f| f.is_ok()));
            assert_eq!(takes, [true, true, false], "{name}");
        }
    }
}
