-- Keys of tables, signs or relays on a Redis server: a hash of each kind, a field a name.

-- keys | name, value; answers with the value before
local function key_set(keys, args)
  local before = redis.call('HMGET', keys[1], args[1])[1] or ''
  redis.call('HSET', keys[1], args[1], args[2])
  return {'ok', before}
end

redis.register_function('key_set_VERSION', key_set)
