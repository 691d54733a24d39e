-- The functions of scripts that need nothing but Lua, and the way to those that do. Runs once in
-- every new state, before the script.
--
-- Not here: functions that need the server (`host`, `plain`).

-- Names of functions that reach records; a table whose `call` is there while a function runs, and gives
-- what is wrong, as text, or the result;
-- a plain search for a text and a cut at a text, whose time does not grow with the product of both
-- lengths;
-- whether a function is none of Lua; and what has the state ask soon whether it is to go on.
local names, door, find, split, is_native, ask_soon = ...
local globals = getfenv()

for _, name in names do
	globals[name] = function(...)
		local call = door.call
		if not call then
			error(name .. ": records can be reached only while a function is called", 2)
		end
		local why, value = call(name, ...)
		if why then
			error(why, 0)
		end
		return value
	end
end

-- Characters of a set are looked at one after another for each byte of the text, and in between
-- nobody asks whether the call is to end. More than all bytes no set needs.
local PATTERN_BYTES_MAX = 256
local function check_pattern(pattern)
	if type(pattern) == "string" and #pattern > PATTERN_BYTES_MAX and find(pattern, "[", 1) then
		error("a pattern with a set is too long", 3)
	end
end

-- Characters that mean something in a pattern.
local MAGIC = "[%^%$%*%+%?%.%(%)%[%]%%%-]"
local find_pattern = string.find
function string.find(text, pattern, first, plain)
	if plain or not find_pattern(pattern, MAGIC) then
		return find(text, pattern, first or 1)
	end
	check_pattern(pattern)
	return find_pattern(text, pattern, first)
end

function string.split(text, separator)
	return split(text, separator or ",")
end

local match, gmatch, gsub = string.match, string.gmatch, string.gsub
function string.match(text, pattern, first)
	check_pattern(pattern)
	return match(text, pattern, first)
end
function string.gmatch(text, pattern)
	check_pattern(pattern)
	return gmatch(text, pattern)
end
function string.gsub(text, pattern, replacement, most)
	check_pattern(pattern)
	return gsub(text, pattern, replacement, most)
end

-- Functions of Luau that call others, or take their time from numbers that they are given: nobody
-- asks in them, so they are called in pieces here, or written anew.
local MOVED_MAX = 65536
local move = table.move
function table.move(list, first, last, to, into)
	local counted = type(first) == "number" and type(last) == "number" and type(to) == "number"
	if not counted or not (last - first >= MOVED_MAX) then
		return move(list, first, last, to, into)
	end
	first, last, to = math.floor(first), math.floor(last), math.floor(to)
	local count = last - first + 1
	if math.min(first, to) < -2 ^ 31 or math.max(last, to + count - 1) >= 2 ^ 31 then
		error("table.move: too many elements to move", 2)
	end
	if to > last or to <= first or (into ~= nil and into ~= list) then
		for moved = 0, count - 1, MOVED_MAX do
			local piece = math.min(MOVED_MAX, count - moved) - 1
			move(list, first + moved, first + moved + piece, to + moved, into)
		end
	else
		-- Onto itself, further back: the last ones first.
		for left = count, 1, -MOVED_MAX do
			local moved = math.max(left - MOVED_MAX, 0)
			move(list, first + moved, first + left - 1, to + moved, into)
		end
	end
	return if into == nil then list else into
end

function table.foreach(list, act)
	for key, value in next, list do
		local result = act(key, value)
		if result ~= nil then
			return result
		end
	end
	return nil
end

function table.foreachi(list, act)
	for at = 1, #list do
		local result = act(at, rawget(list, at))
		if result ~= nil then
			return result
		end
	end
	return nil
end

-- What makes a text of a table may be native, too, and take its time for each.
local FORMATTED_MAX = 200
local format = string.format
function string.format(pattern, ...)
	if select("#", ...) > FORMATTED_MAX then
		error("string.format: too many values", 2)
	end
	return format(pattern, ...)
end

local sort = table.sort
function table.sort(list, less)
	local given = less
	if given ~= nil and is_native(given) then
		less = function(one, other)
			return given(one, other)
		end
	elseif given == nil and type(list) == "table" and type(list[1]) == "table" then
		-- What compares tables may be native, too.
		less = function(one, other)
			return one < other
		end
	end
	ask_soon()
	sort(list, less)
end

string.gfind = string.gmatch
table.getn = function(list)
	return #list
end

local function invalid(name)
	error(name .. ": invalid arguments", 3)
end

-- Texts between any of the characters of `delimiters`, or between zero bytes.
function _split(text, delimiters)
	if text == nil then
		invalid("_split")
	end
	text = tostring(text)
	local parts, start, length = {}, 1, #text
	local ends = {}
	for at = 1, delimiters and #delimiters or 0 do
		ends[string.byte(delimiters, at)] = true
	end
	if not delimiters then
		ends[0] = true
	end
	for at = 1, length do
		if ends[string.byte(text, at)] then
			parts[#parts + 1] = string.sub(text, start, at - 1)
			start = at + 1
		end
	end
	parts[#parts + 1] = string.sub(text, start)
	return parts
end

function _strstr(text, pattern, replacement)
	if text == nil or pattern == nil then
		invalid("_strstr")
	end
	text, pattern = tostring(text), tostring(pattern)
	if replacement == nil then
		return find(text, pattern, 1) or 0
	end
	if pattern == "" then
		return text
	end
	local parts, at = {}, 1
	while true do
		local first, last = find(text, pattern, at)
		if not first then
			break
		end
		parts[#parts + 1] = string.sub(text, at, first - 1)
		parts[#parts + 1] = tostring(replacement)
		at = last + 1
	end
	parts[#parts + 1] = string.sub(text, at)
	return table.concat(parts)
end

local BITS = {
	["and"] = bit32.band,
	["or"] = bit32.bor,
	xor = bit32.bxor,
	["not"] = function(number)
		return bit32.bnot(number)
	end,
	left = bit32.lshift,
	right = bit32.rshift,
}
function _bit(mode, number, other)
	local act = type(mode) == "string" and BITS[string.lower(mode)]
	if not act or not tonumber(number) then
		invalid("_bit")
	end
	return act(tonumber(number), tonumber(other) or 0)
end

-- Code points of a text, or the text of code points.
function _ucs(given)
	if type(given) == "table" then
		local parts = {}
		for at, code in ipairs(given) do
			parts[at] = utf8.char(tonumber(code) or 0)
		end
		return table.concat(parts)
	end
	if given == nil then
		invalid("_ucs")
	end
	local codes, text, at = {}, tostring(given), 1
	while at <= #text do
		-- What is no UTF-8 is passed over, byte by byte.
		if utf8.len(text, at, at) then
			codes[#codes + 1] = utf8.codepoint(text, at)
			at = utf8.offset(text, 2, at) or #text + 1
		else
			at += 1
		end
	end
	return codes
end

local function bytes_of(text)
	local bytes = {}
	for at = 1, #text do
		bytes[at] = string.byte(text, at)
	end
	return bytes
end

-- How many letters are to be changed, added or removed to make one text of another.
function _dist(text, other, in_characters)
	if text == nil or other == nil then
		invalid("_dist")
	end
	local from = in_characters and _ucs(text) or bytes_of(tostring(text))
	local to = in_characters and _ucs(other) or bytes_of(tostring(other))
	local row = {}
	for column = 0, #to do
		row[column] = column
	end
	for line = 1, #from do
		local diagonal = row[0]
		row[0] = line
		for column = 1, #to do
			local above = row[column]
			local changed = diagonal + (from[line] == to[column] and 0 or 1)
			row[column] = math.min(changed, above + 1, row[column - 1] + 1)
			diagonal = above
		end
	end
	return row[#to]
end

-- Lists that were given one by one, or as one list of lists.
local function lists_of(...)
	local lists = { ... }
	if #lists == 1 and type(lists[1]) == "table" and type(lists[1][1]) == "table" then
		lists = lists[1]
	end
	local kept = {}
	for _, list in ipairs(lists) do
		if type(list) == "table" then
			kept[#kept + 1] = list
		end
	end
	return kept
end

-- What each list has, as texts.
function _isect(...)
	local lists, counts, found = lists_of(...), {}, {}
	for number, list in ipairs(lists) do
		for _, element in ipairs(list) do
			local text = tostring(element)
			local count = counts[text] or 0
			if count == number - 1 then
				counts[text] = number
				if number == #lists then
					found[#found + 1] = text
				end
			end
		end
	end
	return found
end

-- What any list has, as texts.
function _union(...)
	local seen, found = {}, {}
	for _, list in ipairs(lists_of(...)) do
		for _, element in ipairs(list) do
			local text = tostring(element)
			if not seen[text] then
				seen[text] = true
				found[#found + 1] = text
			end
		end
	end
	return found
end

-- Calls `mapper` with each record, or each of those with these keys, and `reducer` with each key
-- that was emitted and the list of its values, in the order of keys.
function _mapreduce(mapper, reducer, keys)
	if type(mapper) ~= "function" or type(reducer) ~= "function" then
		invalid("_mapreduce")
	end
	local values = {}
	local function emit(key, value)
		key = tostring(key)
		local list = values[key]
		if not list then
			list = {}
			values[key] = list
		end
		list[#list + 1] = tostring(value)
		return true
	end
	local fine = true
	local function map(key, value)
		fine = mapper(key, value, emit) and true or false
		return fine
	end
	if keys == nil then
		_foreach(map)
	else
		for _, key in ipairs(type(keys) == "table" and keys or { keys }) do
			local value = _get(key)
			if value and not map(key, value) then
				break
			end
		end
	end
	local emitted = {}
	for key in pairs(values) do
		emitted[#emitted + 1] = key
	end
	table.sort(emitted)
	for _, key in ipairs(emitted) do
		if not fine then
			break
		end
		fine = reducer(key, values[key]) and true or false
	end
	return fine
end

-- How numbers are packed: the format, how many bytes, and whether it wraps around at that size.
local FORMATS = {
	c = { "<i1", 1, true }, C = { "<I1", 1, true },
	s = { "<i2", 2, true }, S = { "<I2", 2, true },
	i = { "<i4", 4, true }, I = { "<I4", 4, true },
	l = { "<i8", 8 }, L = { "<i8", 8 },
	f = { "<f", 4 }, F = { "<f", 4 },
	d = { "<d", 8 }, D = { "<d", 8 },
	n = { ">I2", 2, true }, N = { ">I4", 4, true }, M = { ">i8", 8 },
}

local function pack_one(letter, number)
	if letter == "w" or letter == "W" then
		number = math.max(math.floor(number), 0)
		local bytes = string.char(number % 128)
		number = math.floor(number / 128)
		while number > 0 do
			bytes = string.char(128 + number % 128) .. bytes
			number = math.floor(number / 128)
		end
		return bytes
	end
	local format = FORMATS[letter]
	if not format then
		return ""
	end
	local code = format[1]
	if string.find(code, "[fd]") then
		return string.pack(code, number)
	end
	if number ~= number or math.abs(number) == math.huge then
		number = 0
	end
	number = number < 0 and math.ceil(number) or math.floor(number)
	if format[3] then
		return string.pack(string.upper(code), number % 256 ^ format[2])
	end
	return string.pack(code, math.clamp(number, -2 ^ 63, 2 ^ 63 - 1024))
end

-- The letters of a format, each with how often it is used.
local function letters(format)
	local at = 1
	return function()
		local letter, count, rest = string.match(format, "^(.)(%*?%d*)()", at)
		if not letter then
			return nil
		end
		at = rest
		if count == "" then
			return letter, 1
		end
		return letter, tonumber(count) or math.huge
	end
end

function _pack(format, ...)
	if type(format) ~= "string" then
		invalid("_pack")
	end
	local numbers = {}
	for _, given in ipairs({ ... }) do
		if type(given) == "table" then
			for _, element in ipairs(given) do
				numbers[#numbers + 1] = tonumber(element) or 0
			end
		else
			numbers[#numbers + 1] = tonumber(given) or 0
		end
	end
	local parts, next_number = {}, 1
	for letter, count in letters(format) do
		while count > 0 and next_number <= #numbers do
			parts[#parts + 1] = pack_one(letter, numbers[next_number])
			next_number += 1
			count -= 1
		end
	end
	return table.concat(parts)
end

function _unpack(format, bytes)
	if type(format) ~= "string" then
		invalid("_unpack")
	end
	bytes = bytes == nil and "" or tostring(bytes)
	local numbers, at = {}, 1
	for letter, count in letters(format) do
		local code = FORMATS[letter]
		while count > 0 and at <= #bytes do
			if letter == "w" or letter == "W" then
				local number = 0
				repeat
					local byte = string.byte(bytes, at)
					number = number * 128 + byte % 128
					at += 1
				until byte < 128 or at > #bytes
				numbers[#numbers + 1] = number
			elseif not code then
				break
			elseif at + code[2] - 1 > #bytes then
				return numbers
			else
				local number = string.unpack(code[1], bytes, at)
				if (letter == "L" or letter == "M") and number < 0 then
					number += 2 ^ 64
				end
				numbers[#numbers + 1] = number
				at += code[2]
			end
			count -= 1
		end
	end
	return numbers
end

for _, name in { "_stat", "_glob", "_remove", "_mkdir" } do
	globals[name] = function()
		error(name .. ": scripts have no files", 2)
	end
end
