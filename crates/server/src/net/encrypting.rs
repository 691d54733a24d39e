//! Where a connection becomes an encrypted one: its conversation goes on inside another, which has
//! sealed bytes on its outer side. Loops and pool serve both alike.
//!
//! Not here: TLS itself (crate `tls`), what it does to a conversation (`doors::encrypted`).

use doors::{Conversation, EncryptedConversation};

use super::connection::{Door, DoorTls};
use super::event_loop::EventLoop;
use super::poller::{Poller, Token};

impl Door {
    /// A conversation inside TLS, where the door speaks that.
    pub fn inside_tls(
        &self,
        conversation: Box<dyn Conversation>,
        tls: &DoorTls,
    ) -> Option<Box<dyn Conversation>> {
        let DoorTls { acceptor, from_first_byte } = tls;
        let bytes_max = self.input_bytes_max;
        match EncryptedConversation::new(conversation, acceptor, *from_first_byte, bytes_max) {
            Ok(encrypted) => Some(Box::new(encrypted)),
            Err(error) => {
                tracing::error!(door = self.name, %error, "cannot speak TLS");
                None
            }
        }
    }
}

impl<P: Poller> EventLoop<P> {
    /// What the client sends from now on is TLS.
    pub(super) fn encrypt(&mut self, token: Token) {
        let Some(connection) = self.slots.get(token) else {
            return;
        };
        let door = &self.shared.doors[connection.door];
        let conversation = connection.conversation.take().zip(door.tls.as_ref());
        connection.conversation =
            conversation.and_then(|(conversation, tls)| door.inside_tls(conversation, tls));
        match connection.conversation.is_some() {
            true => self.go_on(token),
            false => self.close(token),
        }
    }
}
