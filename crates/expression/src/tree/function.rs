//! The functions there are, as names in the code.
//!
//! Not here: what is true of them (`function_table`,
//! `functions::registry`), what they compute (the folders of
//! families).

use crate::tree::function_table::each_function;

macro_rules! functions {
    ($($family:ident {
        $($variant:ident [$($name:literal),+] $arity:expr, $shape:expr, $evaluation:expr $(, $facts:expr)?;)+
    })+) => {
        /// A function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Function {
            $($(
                #[doc = concat!("`", $($name, " "),+, "`")]
                $variant,
            )+)+
        }
    };
}

each_function!(functions);
