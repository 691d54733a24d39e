//! What each function that scripts can call gives, as the original's does.

use std::time::Duration;

use super::client::House;

/// Runs expressions in turn; what each gives, as text.
fn expect(database: &str, expressions: &[(&str, &str)]) {
    let script = "function run(text)
        local function shown(value)
            if type(value) ~= 'table' then return tostring(value) end
            local parts = {}
            for at, element in ipairs(value) do parts[at] = tostring(element) end
            return '{' .. table.concat(parts, ' ') .. '}'
        end
        local evaluate, why = loadstring('return ' .. text)
        if not evaluate then return why end
        local fine, value = pcall(evaluate)
        return shown(value)
    end";
    let house = House::with_script(database, script, Duration::from_secs(60));
    let mut client = house.client();
    for (expression, result) in expressions {
        assert_eq!(client.ext("run", expression, "").as_deref(), Some(*result), "{expression}");
    }
}

#[test]
fn records() {
    expect(
        "tyrant.records(k, v)",
        &[
            ("_put('a', 1)", "true"),
            ("_putkeep('a', 2)", "false"),
            ("_putkeep('b', 2)", "true"),
            ("_putcat('a', 'x')", "true"),
            ("_get('a')", "1x"),
            ("_get('missing')", "nil"),
            ("_vsiz('a')", "2"),
            ("_vsiz('missing')", "-1"),
            ("_out('missing')", "false"),
            ("_addint('n', 5)", "5"),
            ("_addint('n', -2)", "3"),
            ("_addint('a', 1)", "nil"),
            ("_adddouble('d', 1.5)", "1.5"),
            ("_adddouble('a', 1.5)", "nil"),
            ("_fwmkeys('')", "{a b d n}"),
            ("_fwmkeys('', 2)", "{a b}"),
            ("_fwmkeys('b')", "{b}"),
            ("_iterinit()", "true"),
            ("_iternext()", "a"),
            ("_iternext()", "b"),
            ("_misc('getlist', 'a', {'b', 'missing'})", "{a 1x b 2}"),
            ("_misc('$get', 'a')", "{1x}"),
            ("_misc('get', 'missing')", "nil"),
            ("_misc('sync')", "{}"),
            ("_out('b')", "true"),
            ("_rnum() >= 0", "true"),
            ("_size() >= 0", "true"),
            ("_put('a')", "_put: invalid arguments"),
            ("_addint('a', 'x')", "_addint: invalid arguments"),
            ("_get()", "_get: invalid arguments"),
            ("_search('get')", "nil"),
            ("_vanish()", "true"),
            ("_fwmkeys('')", "{}"),
        ],
    );
}

#[test]
fn all_records_and_those_that_are_emitted() {
    let script = "
        function fill()
            for number = 1, 1000 do _put(string.format('%04d', number), 'word' .. number % 3) end
            return 'ok'
        end
        function all()
            local count = 0
            _foreach(function(key) count = count + 1 _put('seen', count) return true end)
            return count
        end
        function some()
            local count = 0
            _foreach(function() count = count + 1 return count < 300 end)
            return count
        end
        function words(keys)
            local counts = {}
            local function mapper(key, value, emit) return emit(value, 1) end
            local function reducer(key, values)
                counts[#counts + 1] = key .. '=' .. #values
                return true
            end
            local wanted = keys ~= '' and _split(keys, ' ') or nil
            if not _mapreduce(mapper, reducer, wanted) then return nil end
            return table.concat(counts, ' ')
        end";
    let house = House::with_script("tyrant.records(k, v)", script, Duration::from_secs(60));
    let mut client = house.client();
    assert_eq!(client.ext("fill", "", "").as_deref(), Some("ok"));
    assert_eq!(client.ext("words", "", "").as_deref(), Some("word0=333 word1=334 word2=333"));
    assert_eq!(client.ext("words", "0001 0004 missing", "").as_deref(), Some("word1=2"));
    assert_eq!(client.ext("some", "", "").as_deref(), Some("300"));
    // The record that it puts behind all others is visited as well.
    assert_eq!(client.ext("all", "", "").as_deref(), Some("1001"));
}

#[test]
fn functions_of_luau_that_are_replaced_do_what_theirs_did() {
    let numbers = "local function numbers(count)
            local list = table.create(count, 0)
            for at = 1, count do list[at] = at end
            return list
        end ";
    let large = |moved: &str, is_right: &str| {
        format!(
            "(function() {numbers} local list = numbers(100000) {moved}
             for at = 1, 100000 do if not ({is_right}) then return at end end return 'fine' end)()"
        )
    };
    let up = large("table.move(list, 1, 99995, 6)", "list[at] == if at < 6 then at else at - 5");
    let down = large(
        "table.move(list, 6, 100000, 1)",
        "list[at] == math.min(at + 5, 100000)
        or at > 99995 and list[at] == at",
    );
    let over = large("list = table.move(list, 1, 100000, 2, {7})", "list[at + 1] == at");
    expect(
        "tyrant.records(k, v)",
        &[
            ("table.concat(table.move({1, 2, 3}, 1, 3, 2), ',')", "1,1,2,3"),
            ("table.concat(table.move({1, 2, 3}, 2, 3, 1), ',')", "2,3,3"),
            ("table.concat(table.move({1, 2, 3}, 3, 1, 2), ',')", "1,2,3"),
            (&up, "fine"),
            (&down, "fine"),
            (&over, "fine"),
            ("select('#', pcall(table.move, {}, 1, 2 ^ 31, 1))", "2"),
            ("pcall(table.move, {}, 1, 1e15, 2)", "false"),
            ("table.foreach({a = 1}, function(key, value) return key .. value end)", "a1"),
            ("table.foreachi({5, 6}, function(at, n) return at == 2 and n or nil end)", "6"),
            ("table.foreach({}, print)", "nil"),
            ("(function() local a = {3, 1, 2} table.sort(a) return table.concat(a) end)()", "123"),
            (
                "(function() local a = {3, 1, 2} table.sort(a, function(x, y) return x > y end)
                  return table.concat(a) end)()",
                "321",
            ),
            (
                "(function() local kind = {__lt = function(x, y) return x[1] < y[1] end}
                  local a = {setmetatable({2}, kind), setmetatable({1}, kind)} table.sort(a)
                  return a[1][1] end)()",
                "1",
            ),
            ("(string.gsub('hello', 'l+', 'L'))", "heLo"),
            ("string.format('%d %s', 1, 'a')", "1 a"),
            ("pcall(string.format, 'x', table.unpack(table.create(201, 1)))", "false"),
            ("string.match('key=value', '(%w+)=')", "key"),
            ("('aXb'):find('[A-Z]')", "2"),
            ("string.gmatch('one two', '%a+')()", "one"),
            ("pcall(string.match, 'a', '[' .. string.rep('a', 300) .. ']')", "false"),
            ("string.match('a', string.rep('a?', 200))", "a"),
        ],
    );
}

#[test]
fn tables() {
    expect(
        "tyrant.documents",
        &[
            ("_misc('put', 'a', 'name', 'Ann', 'age', 30)", "{}"),
            ("_misc('put', 'b', {'name', 'Bob', 'age', 25})", "{}"),
            ("_search('addcond\\0age\\0NUMGE\\x0030', 'get')", "{\0a\0age\x0030\0name\0Ann}"),
            ("_misc('search', {'addcond\\0name\\0STREQ\\0Bob', 'out'})", "{}"),
            ("_search()", "{a}"),
            ("_search('addcnd\\0name')", "nil"),
            ("_get('a')", "age\x0030\0name\0Ann"),
        ],
    );
}

#[test]
fn stash_and_evaluated_texts() {
    expect(
        "tyrant.records(k, v)",
        &[
            ("_stashput('a', 1)", "true"),
            ("_stashputkeep('a', 2)", "true"),
            ("_stashputcat('a', 'x')", "true"),
            ("_stashget('a')", "1x"),
            ("_stashget('missing')", "nil"),
            ("_stashout('missing')", "false"),
            ("_stashput('b', string.rep('x', 3000000))", "true"),
            ("_stashput('c', string.rep('x', 3000000))", "true"),
            ("_stashput('d', string.rep('x', 3000000))", "false"),
            ("_stashout('c') and _stashout('b')", "true"),
            (
                "(function()
                    local all = ''
                    _stashforeach(function(key, text) all = all .. key .. text return true end)
                    return all
                end)()",
                "a1x",
            ),
            ("_stashout('a')", "true"),
            ("_stashvanish()", "nil"),
            ("_eval('function added() return 7 end')", "true"),
            ("added()", "7"),
        ],
    );
}

#[test]
fn codes_and_texts() {
    expect(
        "tyrant.records(k, v)",
        &[
            ("_codec('url', 'a b/ü')", "a%20b%2F%C3%BC"),
            ("_codec('~url', 'a%20b+c')", "a b c"),
            ("_codec('BASE', 'hello')", "aGVsbG8="),
            ("_codec('~base', 'aGVsbG8=')", "hello"),
            ("_codec('hex', 'az')", "617a"),
            ("_codec('~hex', '617a')", "az"),
            ("_codec('~hex', 'zz')", "nil"),
            ("_codec('xml', '<a&\"b\">')", "&lt;a&amp;&quot;b&quot;&gt;"),
            ("_codec('~xml', '&lt;a&amp;lt;&gt;')", "<a&lt;>"),
            ("_codec('gzip', 'a')", "nil"),
            ("_hash('md5', 'abc')", "900150983cd24fb0d6963f7d28e17f72"),
            ("#_hash('md5raw', 'abc')", "16"),
            ("_hash('crc32', 'hello')", "907060870"),
            ("_hash('sha1', 'abc')", "nil"),
            ("_bit('and', 12, 10)", "8"),
            ("_bit('or', 12, 10)", "14"),
            ("_bit('xor', 12, 10)", "6"),
            ("_bit('not', 0)", "4294967295"),
            ("_bit('left', 1, 4)", "16"),
            ("_bit('right', 16, 4)", "1"),
            ("_strstr('hello', 'l')", "3"),
            ("_strstr('hello', 'x')", "0"),
            ("_strstr('hello', 'l', 'LL')", "heLLLLo"),
            ("_regex('hello', 'l+')", "true"),
            ("_regex('hello', '*L+')", "true"),
            ("_regex('hello', '^l')", "false"),
            ("_regex('hello', '(l+)(o)', '[&\\\\2\\\\1]')", "he[llooll]"),
            ("_split('a,b;c', ',;')", "{a b c}"),
            ("_split('a\\0b')", "{a b}"),
            ("_split('', ',')", "{}"),
            ("_ucs('aü')", "{97 252}"),
            ("_ucs({97, 252})", "aü"),
            ("_dist('kitten', 'sitting')", "3"),
            ("_dist('ü', 'u')", "2"),
            ("_dist('ü', 'u', true)", "1"),
            ("_isect({1, 2, 3}, {3, 2, 9})", "{3 2}"),
            ("_isect({{'a', 'a', 'b'}, {'a'}, {'c', 'a'}})", "{a}"),
            ("_union({1, 2}, {2, 3})", "{1 2 3}"),
            ("_time() > 1e9", "true"),
            ("_sleep(0)", "true"),
            ("string.find('a.b', '.', 1, true)", "2"),
            ("string.find('abcabc', 'b', 3)", "5"),
            ("string.find('abc', 'c', -1)", "3"),
            ("string.find('abc', 'b.')", "2"),
            ("string.find('abc', '', 10)", "nil"),
            ("('a--b'):split('--')", "{a b}"),
            ("math.pow(2, 10)", "1024"),
            ("table.getn({1, 2})", "2"),
        ],
    );
}

#[test]
fn numbers_are_packed_and_unpacked() {
    expect(
        "tyrant.records(k, v)",
        &[
            (
                "_codec('hex', _pack('cCsSiI', -1, 255, -2, 258, -3, 4))",
                "fffffeff0201fdffffff04000000",
            ),
            ("_codec('hex', _pack('lM', -2, 1))", "feffffffffffffff0000000000000001"),
            ("_codec('hex', _pack('nN', 258, 1))", "010200000001"),
            ("_codec('hex', _pack('d', 1.5))", "000000000000f83f"),
            ("_codec('hex', _pack('f', 1.5))", "0000c03f"),
            ("_codec('hex', _pack('w*', {1, 127, 128, 16384}))", "017f8100818000"),
            ("_codec('hex', _pack('C2s', 1, 2, 3))", "01020300"),
            ("_codec('hex', _pack('C', 257.9))", "01"),
            ("_unpack('w*', _pack('w*', {1, 127, 128, 300000}))", "{1 127 128 300000}"),
            ("_unpack('cCsSiI', _pack('cCsSiI', -1, 255, -2, 258, -3, 4))", "{-1 255 -2 258 -3 4}"),
            ("_unpack('d', _pack('d', 0.1))", "{0.1}"),
            ("_unpack('i', nil)", "{}"),
            ("_unpack('i2', '\\1\\0\\0\\0\\2')", "{1}"),
            ("_unpack('N*', '\\0\\0\\0\\1\\0\\0\\0\\2')", "{1 2}"),
        ],
    );
}
