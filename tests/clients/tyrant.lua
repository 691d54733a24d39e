-- Functions that clients of the Tyrant door call, as scripts for the original have them.

function echo(key, value)
	return key .. "\t" .. value
end

-- A counter in digits.
function incr(key, by)
	local number = (tonumber(_get(key)) or 0) + (tonumber(by) or 1)
	if not _put(key, number) then
		return nil
	end
	return number
end

-- A queue: numbered records behind a name, the next number in a record of its own.
function enqueue(name, value)
	local number = _addint(name, 1)
	if not _putkeep(string.format("%s\t%010d", name, number), value) then
		return nil
	end
	return "ok"
end

function dequeue(name)
	local keys = _fwmkeys(name .. "\t", 1)
	if #keys < 1 then
		return nil
	end
	local value = _get(keys[1])
	if not _out(keys[1]) then
		return nil
	end
	return value
end
