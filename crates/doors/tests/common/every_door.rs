// Every door's conversations; included by tests that choose what these run on (`rows`, `COLD`).

#[expect(dead_code, reason = "what it runs on is chosen here")]
#[path = "../handlersocket/main.rs"]
mod handlersocket;
#[expect(dead_code, reason = "what it runs on is chosen here")]
#[path = "../memcached/main.rs"]
mod memcached;
#[expect(dead_code, reason = "what it runs on is chosen here")]
#[path = "../mysql/main.rs"]
mod mysql;
#[expect(dead_code, reason = "what it runs on is chosen here")]
#[path = "../tyrant/main.rs"]
mod tyrant;
