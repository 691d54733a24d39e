//! Tests of conversations inside TLS, with a client in the same thread.

use std::io::{Read as _, Write as _};
use std::sync::{Arc, Mutex};

use doors::{Conversation, EncryptedConversation, Input, Next, Pending, Turn, Urgency};

use rows::memory::MemoryStore;
use rows::{Engine, EngineOptions, Group};
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, ClientConnection, RootCertStore, version};
use tls::{Acceptor, Encryption, TlsFiles, make_own_certificate};

/// Answers lines: `commit` depends on the group, `again` comes in two turns, `end` is the last.
#[derive(Default)]
struct Lines {
    encryption: Arc<Mutex<Option<Arc<Encryption>>>>,
    rest: bool,
}

impl Conversation for Lines {
    fn greet(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"hello\n");
    }

    fn turn(&mut self, input: &mut Input, out: &mut Vec<u8>, _: &mut Turn<'_>) -> Next {
        if std::mem::take(&mut self.rest) {
            out.extend_from_slice(b"and the rest\n");
        }
        while let Some(end) = input.bytes().iter().position(|byte| *byte == b'\n') {
            let line = input.bytes()[..end].to_vec();
            input.consume(end + 1);
            out.extend_from_slice(&line);
            out.push(b'\n');
            match &line[..] {
                b"commit" => return Next::Commit,
                b"again" => {
                    self.rest = true;
                    return Next::Again;
                }
                b"end" => return Next::Close,
                _ => {}
            }
        }
        Next::Input
    }

    fn note_encryption(&mut self, encryption: &Arc<Encryption>) {
        *self.encryption.lock().unwrap() = Some(Arc::clone(encryption));
    }

    fn commit_failed(&mut self, _: &rows::Error, out: &mut Vec<u8>) {
        out.extend_from_slice(b"failed\n");
    }
}

struct House {
    _directory: tempfile::TempDir,
    acceptor: Acceptor,
    client: Arc<ClientConfig>,
    engine: Arc<Engine>,
}

fn house(versions: &[&'static rustls::SupportedProtocolVersion]) -> House {
    let directory = tempfile::tempdir().unwrap();
    let files = TlsFiles {
        certificate: directory.path().join("c.pem"),
        key: directory.path().join("k.pem"),
        client_ca: None,
    };
    make_own_certificate(&files, "db").unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(&files.certificate).unwrap()).unwrap();
    let client = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let engine = Engine::open(Arc::new(MemoryStore::new()), EngineOptions::default()).unwrap();
    let acceptor = Acceptor::new(files).unwrap();
    House { _directory: directory, acceptor, client: Arc::new(client), engine }
}

/// A client, and the server's side of its connection.
struct Both<'a> {
    house: &'a House,
    client: ClientConnection,
    server: EncryptedConversation,
    /// What the conversation inside knows.
    encryption: Arc<Mutex<Option<Arc<Encryption>>>>,
    input: Input,
    heard: Vec<u8>,
    next: Next,
}

impl House {
    fn connect(&self, inside: Lines) -> Both<'_> {
        let client =
            ClientConnection::new(self.client.clone(), "localhost".try_into().unwrap()).unwrap();
        let encryption = Arc::clone(&inside.encryption);
        let server =
            EncryptedConversation::new(Box::new(inside), &self.acceptor, false, 1 << 20).unwrap();
        let (input, heard) = (Input::new(), Vec::new());
        Both { house: self, client, server, encryption, input, heard, next: Next::Input }
    }
}

impl Both<'_> {
    /// What the client has to send is in the server's input.
    fn send(&mut self) {
        let mut sealed = Vec::new();
        while self.client.wants_write() {
            self.client.write_tls(&mut sealed).unwrap();
        }
        self.input.extend(&sealed);
    }

    /// One turn, in a loop or where it may wait; the client hears what comes of it.
    fn turn(&mut self, may_wait: bool) -> Next {
        let out = self.turn_unheard(may_wait);
        self.hear(&out);
        self.next
    }

    /// The same, with what comes of it.
    fn turn_unheard(&mut self, may_wait: bool) -> Vec<u8> {
        let (mut group, mut out) = (Group::new(), Vec::new());
        let engine = &self.house.engine;
        let mut turn = match may_wait {
            true => Turn::in_pool(engine, &mut group),
            false => Turn::in_loop(engine, &mut group),
        };
        self.next = self.server.turn(&mut self.input, &mut out, &mut turn);
        out
    }

    fn hear(&mut self, out: &[u8]) {
        let mut out = out;
        while !out.is_empty() {
            self.client.read_tls(&mut out).unwrap();
            let state = self.client.process_new_packets().unwrap();
            let mut plain = vec![0; state.plaintext_bytes_to_read()];
            self.client.reader().read_exact(&mut plain).unwrap();
            self.heard.extend_from_slice(&plain);
        }
    }

    fn shake_hands(&mut self) {
        while self.client.is_handshaking() || !self.server.is_known() {
            self.send();
            assert_eq!(self.turn(true), Next::Input);
        }
    }

    fn say(&mut self, words: &[u8]) {
        self.client.writer().write_all(words).unwrap();
        self.send();
    }

    fn encryption(&self) -> Arc<Encryption> {
        self.encryption.lock().unwrap().clone().expect("the conversation inside has begun")
    }

    fn heard(&mut self) -> String {
        String::from_utf8(std::mem::take(&mut self.heard)).unwrap()
    }
}

#[test]
fn no_handshake_is_computed_in_a_loop() {
    let house = house(rustls::ALL_VERSIONS);
    let mut both = house.connect(Lines::default());
    both.server.greet(&mut Vec::new());
    both.send();
    let come = both.input.len();
    for _ in 0..3 {
        assert_eq!(both.turn(false), Next::Offload);
        assert_eq!(both.server.urgency(&both.input), Urgency::Handshake);
        assert_eq!(both.input.len(), come, "nothing has changed");
    }
    assert!(!both.server.is_known() && both.heard.is_empty());
    both.shake_hands();
    assert!(both.server.is_known());
    assert_eq!(both.server.urgency(&both.input), Urgency::Ordinary);
    assert_eq!(both.heard(), "hello\n");
    both.say(b"a line\n");
    assert_eq!(both.turn(false), Next::Input);
    assert_eq!(both.heard(), "a line\n");
}

#[test]
fn both_versions_are_spoken_and_known_inside() {
    for (versions, name) in [(&version::TLS12, "TLSv1.2"), (&version::TLS13, "TLSv1.3")] {
        let house = house(&[versions]);
        let mut both = house.connect(Lines::default());
        both.shake_hands();
        let encryption = both.encryption();
        assert_eq!(encryption.version, name);
        assert!(encryption.cipher.contains("_GCM_") || encryption.cipher.contains("-GCM-"));
        assert_eq!(both.heard(), "", "who asked for TLS was greeted before it");
        // The next connection goes on from the ticket.
        both.say(b"end\n");
        assert_eq!(both.turn(false), Next::Close);
        let mut again = house.connect(Lines::default());
        again.shake_hands();
        assert!(again.encryption().is_resumed, "{name}");
    }
}

#[test]
fn replies_wait_for_their_commit_and_errors_take_their_place() {
    let house = house(rustls::ALL_VERSIONS);
    let mut both = house.connect(Lines::default());
    both.shake_hands();
    both.say(b"read\ncommit\nread on\ncommit\n");
    assert_eq!(both.turn(false), Next::Commit);
    assert_eq!(both.heard(), "", "nothing that depends on a commit is sent before it");
    // The first has succeeded. What is sent of it stays, though the next one fails.
    assert_eq!(both.turn(false), Next::Commit);
    assert_eq!(both.heard(), "read\ncommit\n");
    let mut out = Vec::new();
    both.server.commit_failed(&rows::Error::Refused { why: "a test" }, &mut out);
    both.hear(&out);
    assert_eq!(both.heard(), "failed\n");
    both.say(b"more\n");
    assert_eq!(both.turn(false), Next::Input);
    assert_eq!(both.heard(), "more\n");
}

#[test]
fn a_conversation_goes_on_by_itself_and_ends_with_a_notice() {
    let house = house(rustls::ALL_VERSIONS);
    let mut both = house.connect(Lines::default());
    both.shake_hands();
    both.say(b"again\n");
    assert_eq!(both.turn(false), Next::Again);
    assert_eq!(both.turn(false), Next::Input);
    assert_eq!(both.heard(), "again\nand the rest\n");
    both.say(b"end\n");
    assert_eq!(both.turn(true), Next::Close);
    assert_eq!(both.heard(), "end\n");
    assert!(both.client.process_new_packets().unwrap().peer_has_closed());
}

#[test]
fn a_client_that_says_good_bye_is_closed_after_its_answers() {
    let house = house(rustls::ALL_VERSIONS);
    let mut both = house.connect(Lines::default());
    both.shake_hands();
    both.client.writer().write_all(b"last words\n").unwrap();
    both.client.send_close_notify();
    both.send();
    assert_eq!(both.turn(false), Next::Close);
    assert_eq!(both.heard(), "last words\n");
}

#[test]
fn large_requests_and_replies_pass_in_pieces_of_any_size() {
    let house = house(rustls::ALL_VERSIONS);
    let mut both = house.connect(Lines::default());
    both.shake_hands();
    let idle = both.server.held_bytes();
    let mut line = vec![b'x'; 300_000];
    line.push(b'\n');
    both.client.set_buffer_limit(None);
    both.client.writer().write_all(&line).unwrap();
    let mut sealed = Vec::new();
    while both.client.wants_write() {
        both.client.write_tls(&mut sealed).unwrap();
    }
    for piece in sealed.chunks(7_001) {
        both.input.extend(piece);
        both.turn(false);
        both.input.shrink();
    }
    assert_eq!(both.heard.len(), line.len());
    assert_eq!(both.server.held_bytes(), idle, "an idle one holds no buffers");
    assert_eq!(both.server.pending(&both.input), Pending::Nothing);
}

#[test]
fn a_request_beyond_the_doors_limit_ends_the_connection() {
    let house = house(rustls::ALL_VERSIONS);
    let mut both = house.connect(Lines::default());
    both.shake_hands();
    both.client.set_buffer_limit(None);
    let mut turns = 0;
    while both.next == Next::Input {
        both.say(&[b'x'; 100_000]);
        both.turn(false);
        turns += 1;
        assert!(turns < 12, "{} bytes are kept", both.server.held_bytes());
    }
    assert_eq!(both.next, Next::Close);
}

#[test]
fn what_is_no_tls_or_was_changed_is_refused_at_once() {
    let house = house(rustls::ALL_VERSIONS);
    for garbage in
        ["GET / HTTP/1.1\r\n\r\n", "set a 0 0 1\r\nx\r\n", "\u{16}\u{3}\u{1}\0\u{4}c\0\0\0"]
    {
        let mut both = house.connect(Lines::default());
        both.input.extend(garbage.as_bytes());
        let alert = both.turn_unheard(true);
        assert_eq!((both.next, alert.first()), (Next::Close, Some(&21)), "{garbage:?}");
    }
    let mut both = house.connect(Lines::default());
    both.shake_hands();
    both.say(b"a line\n");
    let last = both.input.len() - 1;
    both.input.bytes_mut()[last] ^= 1;
    let out = both.turn_unheard(false);
    assert_eq!(both.next, Next::Close);
    let mut alert = &out[..];
    both.client.read_tls(&mut alert).unwrap();
    assert!(both.client.process_new_packets().is_err(), "the client is told");
    assert!(both.heard.is_empty());
}

#[test]
fn half_a_hello_waits_and_counts_as_a_request_under_way() {
    let house = house(rustls::ALL_VERSIONS);
    let mut both = house.connect(Lines::default());
    both.send();
    let hello = both.input.bytes().to_vec();
    both.input.consume(hello.len());
    for byte in &hello[..hello.len() - 1] {
        both.input.extend(&[*byte]);
        assert_eq!(both.turn(false), Next::Input, "it is not even handed over");
    }
    assert_eq!(both.server.pending(&both.input), Pending::Request);
    assert!(!both.server.is_known());
}
