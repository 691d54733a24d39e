//! The page's conversation: logins, which request is answered by what, and what keeps pages of
//! others out.
//!
//! ```text
//! GET  /  /page.css  /page.js      the page
//! GET  /api/now                    figures, times of requests, the last errors
//! GET  /api/settings               settings, and where each came from
//! GET  /api/VIEW                   the parts of a view, each a statement's rows
//! POST /api/console                {"sql", "database"?, "explain"?}: a query, or its plan
//! POST /api/kill                   {"id", "query"?}: KILL
//! ```
//! Invariants
//! 1. Every request is of a user that has logged in (HTTP Basic); what is asked runs as a session
//!    of this user. Figures and views need PROCESS besides; the console and KILL what SQL asks for.
//! 2. Pages of other sites get nothing, though a browser adds the password by itself: a request
//!    that says it is of another site's page is refused, and what changes something is JSON, which
//!    no form can send. Outside of TLS the server answers to its addresses and `localhost` alone.
//! 3. The page runs no script and shows no style but its own, whatever rows hold
//!    (Content-Security-Policy), and no other page frames it.
//! 4. Statements of the console write nothing: their transactions are read-only, and end after so
//!    many seconds.
//!
//! Not here: HTTP (`crate::http`), statements (`views`), rows as JSON (`answers`).

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use access::Privilege;
use doors::{Conversation, DoorClient, Input, LeaveNotice, LoginOutcome, Next, Turn, basic_login};
use plan::encryption::SessionTls;
use results::{ExecutionMode, SqlError};
use serde_json::{Value, json};
use sql::{Session, Sql};
use tls::Encryption;

use super::now::{self, now};
use super::{answers, views};
use crate::http::{self, HttpAnswer, HttpRequest};
use crate::prometheus::Sources;
use crate::settings::GivenSetting;

/// The longest body: a statement of the console.
pub const BODY_BYTES_MAX: usize = 64 * 1024;

const PAGE: &str = include_str!("assets/page.html");
const STYLE: &str = include_str!("assets/page.css");
const SCRIPT: &str = include_str!("assets/page.js");
const JSON: &str = "application/json";

/// Of every answer.
const CLOSED: &str = "Content-Security-Policy: default-src 'none'; script-src 'self'; \
    style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n";
const ASKS_PASSWORD: &str = "WWW-Authenticate: Basic realm=\"Rowhouse\", charset=\"UTF-8\"\r\n";

/// What a session of the page begins with: it reads, and no statement runs for long.
const SESSION_BEGINS: [&str; 2] =
    ["SET SESSION TRANSACTION READ ONLY", "SET SESSION max_execution_time = 10000"];
/// Statements of the console.
const CONSOLE_WORDS: [&str; 8] =
    ["select", "with", "values", "table", "show", "explain", "describe", "desc"];

/// What all connections of the page share.
pub struct PageShared {
    /// What sessions speak to.
    pub sql: Arc<Sql>,
    /// Counters of the event loops.
    pub metrics: Sources,
    /// The program's settings.
    pub settings: Vec<GivenSetting>,
    /// Where the rows are.
    pub data_dir: PathBuf,
}

/// A browser's connection.
pub struct PageDoor {
    shared: Arc<PageShared>,
    connection_id: u32,
    /// The client as it is before a request says who sends it.
    stranger: DoorClient,
    client: Option<PageClient>,
}

/// A user that has logged in.
struct PageClient {
    user: String,
    login: DoorClient,
    session: Session,
}

impl PageDoor {
    /// A conversation with a client that has not logged in.
    pub fn new(shared: Arc<PageShared>, connection_id: u32, stranger: DoorClient) -> PageDoor {
        PageDoor { shared, connection_id, stranger, client: None }
    }

    /// Lets the request's user in; or what to answer, and how late, if it is the client's failure.
    fn log_in(&mut self, request: &HttpRequest) -> Result<(), (HttpAnswer, Option<Duration>)> {
        let denied = |why: &str| HttpAnswer::text("401 Unauthorized", why).with(ASKS_PASSWORD);
        let Some(header) = &request.authorization else {
            return Err((denied("Log in with a name and password of this server.\n"), None));
        };
        let wrong = |delay| (denied("Access denied: wrong name or password.\n"), Some(delay));
        let mut login = self.stranger.unknown();
        let Some((user, password)) = basic_login(header.as_bytes()) else {
            return Err(wrong(login.deny("")));
        };
        if let Some(client) = &mut self.client {
            client.login.give_seat_up();
        }
        match login.prove(&user, &password, true) {
            LoginOutcome::Accepted => {}
            LoginOutcome::Denied(delay) => {
                self.client = None;
                return Err(wrong(delay));
            }
            LoginOutcome::Limited => {
                self.client = None;
                let why = login.beyond().map(ToString::to_string).unwrap_or_default();
                return Err((HttpAnswer::text("429 Too Many Requests", &format!("{why}\n")), None));
            }
            // It may wait, so this does not come; nobody is let in by it.
            LoginOutcome::Wait => return Err(wrong(login.deny(&user))),
        }
        let is_same = |client: &&mut PageClient| {
            client.user == user && client.login.account() == login.account()
        };
        if let Some(client) = self.client.as_mut().filter(is_same) {
            login.continue_login(&mut client.login);
            client.login = login;
            return Ok(());
        }
        self.client = None;
        login.note_login();
        let session = self.session(&user, &login).map_err(|error| {
            (HttpAnswer::text("503 Service Unavailable", error.message()), None)
        })?;
        self.client = Some(PageClient { user, login, session });
        Ok(())
    }

    fn session(&self, user: &str, login: &DoorClient) -> Result<Session, SqlError> {
        let (sql, id, host) = (&self.shared.sql, self.connection_id, login.host());
        let mut session = match login.account() {
            Some(account) => Session::of_account(sql, id, (user, &host), account, None)?,
            None => Session::new(sql, id, user, &host, None)?,
        };
        if let Some(Encryption { version, cipher, .. }) = login.encryption() {
            session.set_tls(SessionTls { version, cipher });
        }
        for statement in SESSION_BEGINS {
            session.query(statement.as_bytes(), ExecutionMode::POOL)?;
        }
        Ok(session)
    }

    /// Whether the user may see what everybody does.
    fn sees_all(&self) -> bool {
        let client = self.client.as_ref();
        client.is_some_and(|client| client.login.rights().has_global(Privilege::Process))
    }

    fn answer(&mut self, request: &HttpRequest, turn: &Turn<'_>) -> HttpAnswer {
        match (request.method.as_str(), request.path.as_str()) {
            ("GET" | "HEAD", "/") => HttpAnswer::of("text/html; charset=utf-8", PAGE),
            ("GET" | "HEAD", "/page.css") => HttpAnswer::of("text/css; charset=utf-8", STYLE),
            ("GET" | "HEAD", "/page.js") => {
                HttpAnswer::of("text/javascript; charset=utf-8", SCRIPT)
            }
            (method, path) => match (method, path.strip_prefix("/api/")) {
                ("GET", Some(name)) => self.view(name, turn),
                ("POST", Some(name)) => self.order(name, request),
                (_, None) => HttpAnswer::text("404 Not Found", "The page is at /.\n"),
                _ => HttpAnswer::text("405 Method Not Allowed", "GET and POST are served.\n"),
            },
        }
    }

    fn view(&mut self, name: &str, turn: &Turn<'_>) -> HttpAnswer {
        let known = matches!(name, "now" | "settings") || views::find(name).is_some();
        if !known {
            return HttpAnswer::text("404 Not Found", "There is no such view.\n");
        }
        if !self.sees_all() {
            return failed(
                "403 Forbidden",
                "Access denied: you need the privilege PROCESS for this",
            );
        }
        let answer = match name {
            "now" => self.now(turn),
            "settings" => self.settings(),
            _ => {
                let parts = views::find(name).unwrap_or_default();
                let Some(client) = &mut self.client else { return denied_again() };
                Value::Object(now::parts(&mut client.session, parts))
            }
        };
        HttpAnswer::of(JSON, answer.to_string())
    }

    fn now(&self, turn: &Turn<'_>) -> Value {
        let figures = turn.engine().metrics().figures();
        let mut said = now(figures, &self.shared.metrics, &self.shared.data_dir);
        said.insert("user".to_owned(), json!(self.user()));
        Value::Object(said)
    }

    fn settings(&self) -> Value {
        let shown = self.shared.settings.iter();
        let rows: Vec<Value> =
            shown.map(|setting| json!([setting.name, setting.text, setting.from])).collect();
        json!({ "settings": { "columns": ["name", "value", "from"], "rows": rows } })
    }

    /// What is asked for by POST.
    fn order(&mut self, name: &str, request: &HttpRequest) -> HttpAnswer {
        if request.content_type.as_deref() != Some(JSON) {
            return failed("415 Unsupported Media Type", "Send JSON");
        }
        let Ok(Value::Object(order)) = serde_json::from_slice(&request.body) else {
            return failed("400 Bad Request", "Send one JSON object");
        };
        let Some(client) = &mut self.client else { return denied_again() };
        let text = |name: &str| order.get(name).and_then(Value::as_str);
        let flag = |name: &str| order.get(name).and_then(Value::as_bool).unwrap_or(false);
        let answer = match name {
            "console" => {
                let Some(asked) = text("sql").filter(|asked| is_query(asked)) else {
                    let why =
                        "The console takes SELECT, WITH, VALUES, TABLE, SHOW, EXPLAIN, DESCRIBE";
                    return failed("400 Bad Request", why);
                };
                let database = text("database").filter(|database| !database.is_empty());
                match database.map(|database| client.session.set_database(database)) {
                    Some(Err(error)) => json!({ "error": error.message() }),
                    _ if flag("explain") => {
                        answers::run(&mut client.session, &format!("EXPLAIN FORMAT=TREE {asked}"))
                    }
                    _ => answers::run(&mut client.session, asked),
                }
            }
            "kill" => {
                let Some(id) = order.get("id").and_then(Value::as_u64) else {
                    return failed("400 Bad Request", "Say the id of a connection");
                };
                let what = if flag("query") { "QUERY" } else { "CONNECTION" };
                answers::run(&mut client.session, &format!("KILL {what} {id}"))
            }
            _ => return failed("404 Not Found", "The orders are console and kill"),
        };
        HttpAnswer::of(JSON, answer.to_string())
    }

    /// Why a request is not looked at at all.
    fn refusal(&self, request: &HttpRequest) -> Option<HttpAnswer> {
        // A certificate bears the server's name; without one, whoever leads a name here is no site
        // of ours.
        if self.stranger.encryption().is_none() && !request.is_for_us() {
            let why = "Call this server by its address or as localhost.\n";
            return Some(HttpAnswer::text("403 Forbidden", why));
        }
        // A link of another page may lead to the page itself.
        let is_page = request.method == "GET" && request.path == "/";
        if !is_page && !request.is_of_no_other_site() {
            return Some(HttpAnswer::text("403 Forbidden", "This is for no other page.\n"));
        }
        None
    }
}

/// Whether a text of the console begins as a query does.
fn is_query(text: &str) -> bool {
    let begins = text.trim_start_matches(|letter: char| letter == '(' || letter.is_whitespace());
    let end = begins.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(begins.len());
    CONSOLE_WORDS.iter().any(|word| begins[..end].eq_ignore_ascii_case(word))
}

fn failed(status: &'static str, why: &str) -> HttpAnswer {
    HttpAnswer::json(status, json!({ "error": why }).to_string())
}

fn denied_again() -> HttpAnswer {
    failed("401 Unauthorized", "Log in again").with(ASKS_PASSWORD)
}

impl Conversation for PageDoor {
    fn turn(&mut self, input: &mut Input, out: &mut Vec<u8>, turn: &mut Turn<'_>) -> Next {
        let (request, bytes) = match http::next_request(input, BODY_BYTES_MAX, out) {
            Ok(request) => request,
            Err(next) => return next,
        };
        // Passwords are proved and statements run where waiting is allowed.
        if !turn.may_wait() {
            return Next::Offload;
        }
        input.consume(bytes);
        let mut late = None;
        let answer = match self.refusal(&request) {
            Some(answer) => answer,
            None => match self.log_in(&request) {
                Ok(()) => self.answer(&request, turn).with(CLOSED),
                Err((answer, delay)) => {
                    late = delay;
                    answer
                }
            },
        };
        answer.write(out, request.method == "HEAD", request.closes);
        turn.served(1);
        match late {
            Some(delay) => Next::Later(delay),
            None => http::after(request.closes || self.is_killed(), input),
        }
    }

    fn leave(&self) -> Option<LeaveNotice> {
        let killer = self.client.as_ref()?.session.killer();
        Some(Arc::new(killer))
    }

    fn is_known(&self) -> bool {
        self.client.is_some()
    }

    fn user(&self) -> Option<&str> {
        self.client.as_ref().map(|client| client.user.as_str())
    }

    fn is_killed(&self) -> bool {
        self.client.as_ref().is_some_and(|client| client.session.is_killed())
    }

    fn note_encryption(&mut self, encryption: &Arc<Encryption>) {
        self.stranger.note_encryption(encryption);
    }

    fn commit_failed(&mut self, _error: &rows::Error, _out: &mut Vec<u8>) {
        // Nothing is ever written into the group.
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_console_takes_queries_alone() {
        for query in ["SELECT 1", " (select 1) union (select 2)", "EXPLAIN SELECT 1", "show tables"]
        {
            assert!(is_query(query), "{query}");
        }
        for other in
            ["", "DELETE FROM t", "/*! delete from t */", "selected", "CALL p()", "SET a=1"]
        {
            assert!(!is_query(other), "{other}");
        }
    }

    #[test]
    fn the_page_is_small_and_asks_nobody_else() {
        assert!(PAGE.len() + STYLE.len() + SCRIPT.len() < 150_000);
        for asset in [PAGE, STYLE, SCRIPT] {
            let elsewhere =
                asset.matches("://").count() - asset.matches("http://www.w3.org/").count();
            assert_eq!(elsewhere, 0);
            assert!(!asset.contains("innerHTML") && !asset.contains("eval("));
        }
    }
}
