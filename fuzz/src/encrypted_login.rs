//! Logins at the memcached door inside TLS: before one succeeds nothing is served, and what was
//! changed on its way is not taken for something that was said.

use std::io::{Read as _, Write as _};
use std::sync::Arc;

use doors::memcached::{Memcached, MemcachedOptions, MemcachedShared, prepare};
use doors::{
    Conversation as _, DoorClient, DoorLogins, EncryptedConversation, Input, Next, Turn,
    WithoutLogin,
};
use rows::memory::MemoryStore;
use rows::{Engine, EngineOptions, Group};
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, ClientConnection, RootCertStore};
use tls::{Acceptor, TlsFiles, make_own_certificate};

use crate::login_words::logins;
use crate::memcached_login::SERVED;
use crate::shapes::byte;

/// What a client says at most: one record.
const SAID_BYTES_MAX: usize = 8192;
/// Bytes in front of a record, of which the version means nothing.
const HEADER_BYTES: usize = 5;

/// Tells the input to a conversation inside TLS, in pieces, or with one of its sealed bytes
/// changed.
pub fn check(mut input: &[u8]) {
    thread_local! {
        static PLACE: Place = Place::new();
    }
    let (seed, at) = (byte(&mut input), byte(&mut input));
    let said = &input[..input.len().min(SAID_BYTES_MAX)];
    PLACE.with(|place| place.check(seed, usize::from(at), said));
}

struct Place {
    engine: Arc<Engine>,
    acceptor: Acceptor,
    client: Arc<ClientConfig>,
    shared: Arc<MemcachedShared>,
    logins: Arc<DoorLogins>,
}

impl Place {
    fn new() -> Place {
        let engine = Engine::open(Arc::new(MemoryStore::new()), EngineOptions::default());
        let engine = engine.expect("opens");
        prepare(&engine).expect("an empty catalog");
        let options = MemcachedOptions { item_bytes_max: 4096, ..MemcachedOptions::default() };
        let shared = Arc::new(MemcachedShared::new(&engine, options));
        let directory = tempfile::tempdir().expect("a directory");
        let files = TlsFiles {
            certificate: directory.path().join("c.pem"),
            key: directory.path().join("k.pem"),
            client_ca: None,
        };
        make_own_certificate(&files, "db").expect("made");
        let mut roots = RootCertStore::empty();
        let certificate = CertificateDer::from_pem_file(&files.certificate).expect("readable");
        roots.add(certificate).expect("a certificate");
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let builder = builder.with_safe_default_protocol_versions().expect("known versions");
        let client = builder.with_root_certificates(roots).with_no_client_auth();
        Place {
            engine,
            acceptor: Acceptor::new(files).expect("usable"),
            client: Arc::new(client),
            shared,
            logins: logins("memcached", WithoutLogin::Nobody),
        }
    }

    fn check(&self, seed: u8, at: usize, said: &[u8]) {
        let inside = DoorClient::new(self.logins.clone(), None);
        let inside = Box::new(Memcached::new(self.shared.clone(), inside));
        let server = EncryptedConversation::new(inside, &self.acceptor, false, 1 << 20);
        let name = "localhost".try_into().expect("a name");
        let mut both = Both {
            engine: &self.engine,
            client: ClientConnection::new(self.client.clone(), name).expect("a client"),
            server: server.expect("a server"),
            input: Input::new(),
            heard: Vec::new(),
            is_closed: false,
        };
        let mut is_last = false;
        while !is_last {
            // The last message of the handshake is the client's.
            is_last = !both.client.is_handshaking();
            let sealed = both.sealed();
            both.tell(&sealed);
        }
        both.client.writer().write_all(said).expect("room");
        let mut sealed = both.sealed();
        let is_changed = seed & 1 == 1 && sealed.len() > HEADER_BYTES;
        if is_changed {
            let at = HEADER_BYTES + at % (sealed.len() - HEADER_BYTES);
            sealed[at] ^= seed;
        }
        for piece in sealed.chunks(1 + usize::from(seed / 2) * 16) {
            both.tell(piece);
        }
        if is_changed {
            assert!(both.heard.is_empty(), "answered: {}", both.heard.escape_ascii());
        }
        let knows_password = said.windows(4).any(|four| four == b"pass");
        let heard = &both.heard;
        let is_served = |words: &[u8]| heard.windows(words.len()).any(|part| part == words);
        if !knows_password {
            assert!(!SERVED.iter().any(|words| is_served(words)), "{}", heard.escape_ascii());
        }
    }
}

/// A client, and the server's side of its connection.
struct Both<'a> {
    engine: &'a Arc<Engine>,
    client: ClientConnection,
    server: EncryptedConversation,
    input: Input,
    /// What the client was told.
    heard: Vec<u8>,
    is_closed: bool,
}

impl Both<'_> {
    /// What the client has to send.
    fn sealed(&mut self) -> Vec<u8> {
        let mut sealed = Vec::new();
        while self.client.wants_write() {
            self.client.write_tls(&mut sealed).expect("room");
        }
        sealed
    }

    /// The server takes its turns for that, and the client hears what comes of them.
    fn tell(&mut self, sealed: &[u8]) {
        self.input.extend(sealed);
        let mut next = Next::Again;
        while !self.is_closed && next != Next::Input {
            let (mut group, mut out) = (Group::new(), Vec::new());
            let mut turn = Turn::in_pool(self.engine, &mut group);
            next = self.server.turn(&mut self.input, &mut out, &mut turn);
            if let Some((transaction, durability)) = group.take() {
                transaction.commit(durability).expect("memory does not fail");
            }
            self.is_closed = next == Next::Close;
            self.hear(&out);
        }
    }

    fn hear(&mut self, out: &[u8]) {
        let mut out = out;
        while !out.is_empty() {
            self.client.read_tls(&mut out).expect("readable");
            // What ends the connection is told once.
            let Ok(state) = self.client.process_new_packets() else { return };
            let mut plain = vec![0; state.plaintext_bytes_to_read()];
            self.client.reader().read_exact(&mut plain).expect("that much is there");
            self.heard.extend_from_slice(&plain);
        }
    }
}
