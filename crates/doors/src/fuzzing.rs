//! The decoders of the doors for their fuzz targets, which are another package.
//!
//! memcached's are not here: their targets talk to the door itself.
//!
//! Not here: what must hold (package `fuzz`). Nothing else may use this.

/// Lines of HandlerSocket.
pub mod handlersocket {
    pub use crate::handlersocket::command::{FILTERS_MAX, HandlerSocketCommand, VALUES_MAX};
    pub use crate::handlersocket::decode::{command, unescape};
}

/// Packets of MySQL's protocol.
pub mod mysql {
    pub use crate::mysql::command::MysqlCommand;
    pub use crate::mysql::decode::{command, query};
    pub use crate::mysql::frame::{FrameReader, Packets, StreamPiece};
    pub use crate::mysql::handshake::{Login, Response, change_user, response};
    pub use crate::mysql::numbers::capability;
    pub use crate::mysql::parameters::Statement;
}
