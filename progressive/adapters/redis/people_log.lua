-- The log of changes of people on a Redis server: a stream, one entry a change.
--
-- The id of an entry is its number; its fields are prev, head, acts, body. Numbers are compared as
-- texts. What is appended must stand behind the entry that its writer saw last.

-- log | number and hash of the entry before; number and hash of the new one; acts, body, kept
local function people_append(keys, args)
  -- From the entry before to the end: that one alone, or nothing before the first.
  local found = redis.call('XRANGE', keys[1], args[1] .. '-0', '+', 'COUNT', 2)
  local fits = args[1] == '0' and #found == 0
  if args[1] ~= '0' and #found == 1 then
    fits = found[1][1] == args[1] .. '-0' and found[1][2][4] == args[2]
  end
  if not fits then
    return {'conflict'}
  end
  redis.call('XADD', keys[1], 'MAXLEN', '~', args[7], args[3] .. '-0',
    'prev', args[2], 'head', args[4], 'acts', args[5], 'body', args[6])
  return {'ok'}
end

redis.register_function('people_append_VERSION', people_append)
