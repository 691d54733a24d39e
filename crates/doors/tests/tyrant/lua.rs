//! Functions of scripts: their writes are one transaction, their limits hold, and they lock.

use std::sync::Arc;
use std::time::{Duration, Instant};

use doors::tyrant::{Clockwork, Periodic, Scripts};

use super::client::{House, PATIENCE, ext, keyed, record, script_options};

const RECORDS: &str = "tyrant.records(k, v)";

fn house(script: &str) -> House {
    House::with_script(RECORDS, script, PATIENCE)
}

#[test]
fn a_function_sees_what_it_has_written_and_others_see_all_of_it() {
    let house = house(
        "function twice(key, value)
            _put(key, value)
            _putcat(key, _get(key))
            _put('other', #_get(key))
            local keys = _fwmkeys('')
            return table.concat(keys, ',') .. ' ' .. _get(key)
        end",
    );
    let mut client = house.client();
    assert_eq!(client.ext("twice", "a", "xy").as_deref(), Some("a,other xyxy"));
    assert_eq!(client.send(&keyed(0x30, "a")), b"\0\0\0\0\x04xyxy");
    assert_eq!(client.send(&keyed(0x30, "other")), b"\0\0\0\0\x014");
}

#[test]
fn a_function_that_fails_has_written_nothing() {
    let house = house(
        "function fails(key, value) _put(key, value) _addint('n', 1) error('no') end
        function gives_nothing(key, value) _put(key, value) end
        function catches(key, value) _put(key, value) pcall(fails, 'b', 'x') return 'done' end",
    );
    let mut client = house.client();
    assert_eq!(client.ext("fails", "a", "1"), None);
    assert_eq!(client.send(&keyed(0x30, "a")), [1]);
    assert_eq!(client.send(&keyed(0x30, "n")), [1]);
    assert_eq!(client.ext("gives_nothing", "a", "2"), None, "but it has not failed");
    assert_eq!(client.send(&keyed(0x30, "a")), b"\0\0\0\0\x012");
    assert_eq!(client.ext("catches", "c", "3").as_deref(), Some("done"));
    assert_eq!(
        client.send(&keyed(0x30, "b")),
        b"\0\0\0\0\x01x",
        "what it caught is its own affair"
    );
}

#[test]
fn a_put_in_front_of_a_call_is_seen_by_it_and_a_get_behind_sees_it() {
    let house = house("function append(key, value) _putcat(key, value) return _get(key) end");
    let requests = [record(0x10, "a", "1"), ext("append", 0, "a", "2"), keyed(0x30, "a")].concat();
    let answer = house.client().send(&requests);
    assert_eq!(answer, b"\0\0\0\0\0\x0212\0\0\0\0\x0212");
}

#[test]
fn functions_that_are_not_there_or_not_for_clients_are_refused() {
    let house = house("function _hidden() return 'x' end value = 'no function'");
    let mut client = house.client();
    for name in ["missing", "_hidden", "_put", "value", ""] {
        assert_eq!(client.ext(name, "a", "b"), None, "{name}");
    }
    assert_eq!(House::new().client().ext("missing", "a", "b"), None, "without a script");
}

#[test]
fn results_are_texts_numbers_true_and_the_first_of_a_list() {
    let house = house(
        "function number() return 10 / 2 end
        function fraction() return 0.5 end
        function yes() return true end
        function no() return false end
        function list() return {'first', 'second'} end
        function empty() return {} end",
    );
    let mut client = house.client();
    for (name, result) in [
        ("number", Some("5")),
        ("fraction", Some("0.5")),
        ("yes", Some("true")),
        ("no", None),
        ("list", Some("first")),
        ("empty", None),
    ] {
        assert_eq!(client.ext(name, "", "").as_deref(), result, "{name}");
    }
}

#[test]
fn a_function_that_runs_for_ever_is_stopped_whatever_it_catches() {
    let house = House::with_script(
        RECORDS,
        "function loops() while true do end end
        function catches() while true do pcall(loops) end end
        function nests() pcall(nests) pcall(nests) return nests() end
        function wraps() while true do coroutine.resume(coroutine.create(loops)) end end
        function matches()
            return string.find(string.rep('a', 1000), string.rep('a-', 20) .. 'b')
        end
        function searches()
            local text = string.rep('a', 1000000)
            for _ = 1, 100000 do string.find(text, string.rep('a', 1000) .. 'b', 1, true) end
        end
        function writes(key) _put(key, 'x') while true do end end
        function sleeps() _sleep(1000) while true do end end
        function moves() table.move({1}, 1, 1e9, 2, {}) end
        function moves_back() local list = {1} table.move(list, 1, 1e9, 5) end
        function sets()
            local pattern = '[' .. string.rep('a', 100000) .. 'b]*x'
            return string.find(string.rep('b', 2000000), pattern)
        end
        function walks()
            local level = {}
            for _ = 1, 30 do
                local above = {}
                for _ = 1, 30 do above[table.clone(level)] = table.foreach end
                level = above
            end
            table.foreach(level, table.foreach)
        end
        function sorts()
            local row = table.create(100000, 1)
            table.sort(table.create(100000, row), table.find)
        end
        function sorts_tables()
            local less = {__lt = table.find}
            local row = setmetatable(table.create(100000, 1), less)
            table.sort(table.create(100000, row))
        end
        function ends() return 'still there' end",
        Duration::from_millis(100),
    );
    let mut client = house.client();
    for name in [
        "loops",
        "catches",
        "nests",
        "wraps",
        "matches",
        "searches",
        "writes",
        "sleeps",
        "moves",
        "moves_back",
        "sets",
        "walks",
        "sorts",
        "sorts_tables",
    ] {
        let since = Instant::now();
        assert_eq!(client.ext(name, "a", ""), None, "{name}");
        // A machine that pauses may take all of the time from one that needs none.
        while client.ext("ends", "", "").as_deref() != Some("still there") {
            assert!(since.elapsed() < PATIENCE, "after {name}");
        }
        assert!(since.elapsed() < PATIENCE, "{name} {:?}", since.elapsed());
    }
    assert_eq!(client.send(&keyed(0x30, "a")), [1], "what was written is rolled back");
}

#[test]
fn a_function_that_takes_memory_without_end_is_stopped() {
    let house = house(
        "kept = 'as it was'
        function doubles() local text = 'x' while true do text = text .. text end end
        function collects() local all = {} while true do all[#all + 1] = {} end end
        function repeats() return #string.rep('x', 1000000000) end
        function nests() return nests() .. 'x' end
        function value() return kept end",
    );
    let mut client = house.client();
    for name in ["doubles", "collects", "repeats", "nests"] {
        assert_eq!(client.ext(name, "", ""), None, "{name}");
        assert_eq!(client.ext("value", "", "").as_deref(), Some("as it was"), "after {name}");
    }
    let used = house.engine.budget().used();
    assert!(used < 4 * (8 << 20), "{used} bytes are counted");
}

#[test]
fn what_a_call_leaves_behind_is_given_back() {
    let house = house(
        "function litter()
            local all = {}
            for number = 1, 4 do all[number] = string.rep(tostring(number), 200000) end
            return #table.concat(all)
        end
        function keep() kept = string.rep('x', 3000000) return 'ok' end",
    );
    let mut client = house.client();
    for _ in 0..20 {
        assert_eq!(client.ext("litter", "", "").as_deref(), Some("800000"));
        let used = house.engine.budget().used();
        assert!(used < 2 << 20, "{used} bytes are counted");
    }
    assert_eq!(client.ext("keep", "", "").as_deref(), Some("ok"));
    let used = house.engine.budget().used();
    assert!(used >= 2_900_000, "{used} bytes are counted");
}

#[test]
fn scripts_have_no_files_no_processes_and_no_compiled_code() {
    let house = house(
        "function has(name) return tostring(_G[name]) end
        function of_os() return tostring(os.execute) .. tostring(os.remove) .. tostring(os.getenv) end
        function compiled() return tostring(loadstring('\\27Lua')) end
        function source() return loadstring('return 1 + 1')() end
        function files() return pcall(_remove, '/tmp') end",
    );
    let mut client = house.client();
    for name in ["io", "package", "require", "dofile", "loadfile", "load"] {
        assert_eq!(client.ext("has", name, "").as_deref(), Some("nil"), "{name}");
    }
    assert_eq!(client.ext("of_os", "", "").as_deref(), Some("nilnilnil"));
    assert_eq!(client.ext("compiled", "", "").as_deref(), Some("nil"));
    assert_eq!(client.ext("source", "", "").as_deref(), Some("2"));
    assert_eq!(client.ext("files", "", ""), None);
}

#[test]
fn a_script_that_does_not_run_is_told_with_its_line() {
    let house = House::new();
    for (script, told) in [
        ("function a(", "test.lua:1"),
        ("x = 1\nerror('wrong')", "test.lua:2: wrong"),
        ("x = 1\n\n_put('a', 'b')", "test.lua:3: _put: records can be reached only"),
        ("while true do end", "its time is over"),
        ("x = string.rep('x', 1e9)", "memory"),
    ] {
        let endless = script.starts_with("while");
        let time_max = if endless { Duration::from_millis(200) } else { PATIENCE };
        let options = script_options(script, time_max);
        let Err(why) = Scripts::new(&house.engine, options) else { panic!("{script}") };
        assert!(why.contains(told), "{script}: {why}");
    }
}

/// Adds one to a number in digits, in a way that loses additions if others do so at once.
const ADDS: &str = "
    function add(key)
        _put(key, (tonumber(_get(key)) or 0) + 1)
        return 'ok'
    end
    function add_locked(key)
        if not _lock(key) then return nil end
        local number = (tonumber(_get(key)) or 0) + 1
        _put(key, number)
        _unlock(key)
        return 'ok'
    end";

#[test]
fn locks_keep_calls_from_losing_what_others_add() {
    const CALLERS: usize = 4;
    const CALLS: usize = 50;
    for (name, options) in [("add", 1), ("add", 2), ("add_locked", 0)] {
        let house = house(ADDS);
        std::thread::scope(|scope| {
            for _ in 0..CALLERS {
                scope.spawn(|| {
                    let mut client = house.client();
                    for _ in 0..CALLS {
                        assert_eq!(client.send(&ext(name, options, "n", "")), b"\0\0\0\0\x02ok");
                    }
                });
            }
        });
        let sum = house.client().send(&keyed(0x30, "n"));
        assert_eq!(sum, b"\0\0\0\0\x03200", "{name} {options}");
    }
}

#[test]
fn locks_are_free_behind_a_call_however_it_ended() {
    let house = house(
        "function lock(key) return _lock(key) end
        function fails(key) _lock(key) error('no') end
        function unlock(key) return _unlock(key) end",
    );
    let mut client = house.client();
    for name in ["lock", "fails", "lock"] {
        client.ext(name, "a", "");
    }
    assert_eq!(client.ext("lock", "a", "").as_deref(), Some("true"));
    assert_eq!(client.ext("unlock", "a", ""), None, "not this call's");
}

#[test]
fn begin_and_end_run_once() {
    let house =
        house("function _begin() _addint('begun', 1) end function _end() _put('z', '1') end");
    let scripts = house.shared.options.scripts.as_ref().unwrap();
    scripts.begin(&house.shared, &house.engine);
    let mut client = house.client();
    assert_eq!(client.send(&keyed(0x30, "begun")), b"\0\0\0\0\x04\x01\0\0\0");
    scripts.end(&house.shared, &house.engine);
    assert_eq!(client.send(&keyed(0x30, "z")), b"\0\0\0\0\x011");
}

#[test]
fn a_periodic_function_runs_until_its_clockwork_is_dropped() {
    let house = house(
        "function tick() _addint('ticks', 1) end
        function fails() _put('failed', 'x') error('no') end",
    );
    let functions = ["tick:0.01", "fails:0.01", "missing:0.01"]
        .map(|text| Periodic::parse(text).expect("a function and seconds"));
    let clockwork = Clockwork::start(&house.shared, &house.engine, &functions).unwrap();
    let mut client = house.client();
    let since = Instant::now();
    while client.send(&keyed(0x30, "ticks")).len() < 9 {
        assert!(since.elapsed() < PATIENCE, "it never ran");
        std::thread::yield_now();
    }
    drop(clockwork);
    let ticks = client.send(&keyed(0x30, "ticks"));
    assert_eq!(client.send(&keyed(0x30, "failed")), [1], "rolled back");
    assert_eq!(client.send(&keyed(0x30, "ticks")), ticks, "none runs any more");
    assert_eq!(Arc::strong_count(&house.shared), 2, "this one and the client's");
}

#[test]
fn http_calls_functions_too() {
    let house = house("function echo(key, value) return key .. '=' .. value end");
    let mut client = house.client();
    let post = |name: &str| {
        format!(
            "POST /a%2fb HTTP/1.1\nHost: localhost\nX-TT-XNAME: {name}\nX-TT-XOPTS: 1\nContent-Length: 2\n\nxy"
        )
    };
    let answer = client.ask(&post("echo"));
    assert!(answer.starts_with("HTTP/1.1 200 OK\n") && answer.ends_with("\n\na/b=xy"), "{answer}");
    assert!(client.ask(&post("missing")).starts_with("HTTP/1.1 500"));
}
