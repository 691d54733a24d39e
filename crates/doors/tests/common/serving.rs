//! A loop and a pool around one conversation, as the server has them, without sockets.
//!
//! Not here: what clients send (each door's tests).

#[path = "reads.rs"]
mod reads;

use std::sync::Arc;

use doors::{Conversation, Input, Next, Turn};
use reads::Reads;
use rows::{Engine, Group};

/// Turns after which a conversation is taken for one that never comes to rest.
const TURNS_MAX: usize = 100_000;

/// Serves what has come in; `told` is given what each turn answers. Whether the connection ended.
pub fn serve(
    engine: &Arc<Engine>,
    conversation: &mut dyn Conversation,
    input: &mut Input,
    told: &mut dyn FnMut(&[u8]),
) -> bool {
    let mut in_pool = false;
    let mut reads = Reads::of(engine);
    for _ in 0..TURNS_MAX {
        let mut group = Group::new();
        let mut turn = match in_pool {
            true => Turn::in_pool(engine, &mut group),
            false => Turn::in_loop(engine, &mut group),
        };
        let mut out = Vec::new();
        let mut next = Next::Close;
        let mut take_turn = || next = conversation.turn(input, &mut out, &mut turn);
        match in_pool {
            true => take_turn(),
            false => reads.lend(engine, &mut take_turn),
        }
        assert!(!in_pool || next != Next::Offload, "a pool thread may wait");
        assert!(next == Next::Commit || group.is_empty(), "writes left behind by {next:?}");
        if let Some((transaction, durability)) = group.take() {
            transaction.commit(durability).expect("memory takes every commit");
        }
        told(&out);
        in_pool = !reads.make(next) && next == Next::Offload;
        match next {
            Next::Input => return false,
            Next::Close => return true,
            Next::Again | Next::Offload | Next::Commit | Next::Encrypt | Next::Later(_) => {}
        }
    }
    panic!("the conversation does not come to rest");
}
