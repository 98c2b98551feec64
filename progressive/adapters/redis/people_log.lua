-- The log of changes of people on a Redis server: a stream, one entry a change.
--
-- The id of an entry is its number; its fields are prev, head, acts, body. Numbers are compared as
-- texts. What is appended must stand behind the entry that its writer saw last.

-- The hash before the first entry.
local GENESIS = '0000000000000000000000000000000000000000000000000000000000000000'

-- log | number and hash of the entry before; number and hash of the new one; acts, body, kept
local function people_append(keys, args)
  local last = redis.call('XREVRANGE', keys[1], '+', '-', 'COUNT', 1)[1]
  local id, hash = '0-0', GENESIS
  if last then
    id, hash = last[1], last[2][4]
  end
  if id ~= args[1] .. '-0' or hash ~= args[2] then
    return {'conflict', id, hash}
  end
  redis.call('XADD', keys[1], 'MAXLEN', '~', args[7], args[3] .. '-0',
    'prev', args[2], 'head', args[4], 'acts', args[5], 'body', args[6])
  return {'ok'}
end

redis.register_function('people_append_VERSION', people_append)
