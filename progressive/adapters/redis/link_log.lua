-- The log of a link on a Redis server: who may append, and what was appended.
--
-- Keys, all under one hash tag, so that a cluster has them in one slot:
--   head     hash: epoch, holder, seq, head
--   journal  stream: an entry a batch, its id is the number of its last record
--   lease    string with a lifetime: the node that leads, for as long as it says so
--   copies   hash: up to which record each node has the journal on its disk
--
-- Numbers are compared as texts: Lua's are doubles. Only epochs are counted here.
-- Each function answers with a word and what is there now.

-- The hash before the first record.
local GENESIS = '0000000000000000000000000000000000000000000000000000000000000000'

local function there(head)
  local row = redis.call('HMGET', head, 'epoch', 'holder', 'seq', 'head')
  return row[1] or '0', row[2] or '', row[3] or '0', row[4] or GENESIS
end

local function answer(word, head)
  local epoch, holder, seq, hash = there(head)
  return {word, epoch, holder, seq, hash}
end

-- head, lease | holder, node, above_epoch, lease_milliseconds
local function open(keys, args)
  local leader = redis.call('GET', keys[2])
  if leader and leader ~= args[2] then
    return {'led', leader}
  end
  local epoch, _, seq, hash = there(keys[1])
  epoch = math.max(tonumber(epoch), tonumber(args[3])) + 1
  redis.call('HSET', keys[1], 'epoch', epoch, 'holder', args[1],
    'seq', seq, 'head', hash)
  redis.call('SET', keys[2], args[2], 'PX', args[4])
  return answer('ok', keys[1])
end

-- head | epoch, seq, head: a journal that was begun elsewhere goes on here
local function begin(keys, args)
  if redis.call('EXISTS', keys[1]) == 1 then
    return answer('conflict', keys[1])
  end
  redis.call('HSET', keys[1], 'epoch', args[1], 'holder', '', 'seq', args[2], 'head', args[3])
  return {'ok'}
end

-- head, journal | epoch, holder, seq, head before; last seq, head after, records
local function append(keys, args)
  local epoch, holder, seq, hash = there(keys[1])
  if epoch ~= args[1] or holder ~= args[2] or seq ~= args[3] or hash ~= args[4] then
    return answer('conflict', keys[1])
  end
  redis.call('XADD', keys[2], args[5] .. '-0', 'epoch', epoch, 'prev', hash, 'head', args[6],
    'records', args[7])
  redis.call('HSET', keys[1], 'seq', args[5], 'head', args[6])
  return {'ok'}
end

-- head, lease | epoch, holder, node, lease_milliseconds
local function renew(keys, args)
  local epoch, holder = there(keys[1])
  local leader = redis.call('GET', keys[2])
  if epoch ~= args[1] or holder ~= args[2] or (leader and leader ~= args[3]) then
    return answer('conflict', keys[1])
  end
  redis.call('SET', keys[2], args[3], 'PX', args[4])
  return {'ok'}
end

-- head, journal | epoch, holder, seq: entries up to a record are on enough disks
local function trim(keys, args)
  local epoch, holder = there(keys[1])
  if epoch ~= args[1] or holder ~= args[2] then
    return answer('conflict', keys[1])
  end
  redis.call('XTRIM', keys[2], 'MINID', args[3] .. '-1')
  return {'ok'}
end

-- copies | node, seq
local function report(keys, args)
  redis.call('HSET', keys[1], args[1], args[2])
  return {'ok'}
end

-- head, lease | holder, node
local function release(keys, args)
  local _, holder = there(keys[1])
  if holder == args[1] and redis.call('GET', keys[2]) == args[2] then
    redis.call('DEL', keys[2])
  end
  return {'ok'}
end

redis.register_function('open_VERSION', open)
redis.register_function('begin_VERSION', begin)
redis.register_function('append_VERSION', append)
redis.register_function('renew_VERSION', renew)
redis.register_function('trim_VERSION', trim)
redis.register_function('report_VERSION', report)
redis.register_function('release_VERSION', release)
